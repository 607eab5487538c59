// Named SQL of a service's totals: what it took on a day, and what became of it. Messages and firings keep their counts when the
// outcomes of their day are dropped, so the answer stays the same. Reads only.
import { v7 } from 'uuid';
import type { EpochMs } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';

/** Messages, and the devices that they were for: target = sent + failed + unknown + pending. */
export interface Totals {
  readonly messages: number;
  readonly target: number;
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  /** Devices that have no outcome yet. */
  readonly pending: number;
}

export interface FinalAndOpen {
  /** The counts of messages whose result does not change any more. */
  readonly final: Totals;
  readonly open: Totals;
}

// Index message_service. It looks up firings (index firing_occurrence) only for messages that did not reach all their devices;
// most messages did. A message that was cancelled while a firing was SENDING is final once that firing is, as its result is
// (FIND_CANCELED).
const TOTALS = prepared(`
  select j.final, count(*)::float8 as messages, sum(j.target)::float8 as target, sum(j.sent)::float8 as sent,
         sum(j.failed)::float8 as failed, sum(j.unknown)::float8 as unknown,
         sum(j.target - j.sent - j.failed - j.unknown)::float8 as pending
    from (select m.target_count as target, m.sent_count as sent, coalesce(f.failed, 0) as failed, coalesce(f.unknown, 0) as unknown,
                 m.state in ('FINISHED', 'CANCELED', 'FAIL', 'STALE') and f.sending is not true as final
            from message m cross join lateral (
              select sum(failed_count) as failed, sum(unknown_count) as unknown, bool_or(state = 'SENDING') as sending
                from firing where message_id = m.id and m.target_count > m.sent_count offset 0) f
           where m.service_id = $1 and m.id >= $2::uuid and m.id < $3::uuid and m.kind <> 'closed') j
   group by j.final`);

const NONE: Totals = { messages: 0, target: 0, sent: 0, failed: 0, unknown: 0, pending: 0 };

/** The messages of one statement: at most an hour, milliseconds. */
const HOUR_MS = 3_600_000;

/** Counts the messages that the service took from `from` until before `to`, by the instants in their ids. */
export async function totalsBetween(
  sql: Sql,
  serviceId: string,
  from: EpochMs,
  to: EpochMs,
): Promise<FinalAndOpen> {
  const sums = { final: NONE, open: NONE };
  for (let start = from; start < to; start += HOUR_MS) {
    const ids = [start, Math.min(start + HOUR_MS, to)].map(firstId);
    const rows = await sql.query<Totals & { final: boolean }>(TOTALS, [serviceId, ...ids]);
    for (const { final, ...more } of rows) {
      const which = final ? 'final' : 'open';
      sums[which] = added(sums[which], more);
    }
  }
  return sums;
}

function firstId(at: EpochMs): string {
  return v7({ msecs: at, random: new Uint8Array(16), seq: 0 });
}

export function added(one: Totals, other: Totals): Totals {
  const names = Object.keys(NONE) as (keyof Totals)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as Totals;
}
