// Sends that were on the wire of a replica that is gone: found by its beat, and made uncertain.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { uncertainWaitMs } from '../../decide/lifecycle/next-poll.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ReplicaBeat } from '../../decide/lifecycle/replica-observer.js';
import { moveSends } from './move.store.js';

/** A place in the index: of the last row read. */
export interface WorkPlace {
  readonly nextAt: string;
  readonly chunk: number;
  readonly id: string;
}

const BEGINNING: WorkPlace = { nextAt: '-infinity', chunk: -1, id: '00000000-0000-0000-0000-000000000000' };

export interface LostAsk {
  readonly serviceId: string;
  /** Work up to here is looked through. */
  readonly upTo: EpochMs;
  /** Who asks: what it has fired itself is not lost. */
  readonly replica: string;
  readonly dead: readonly ReplicaBeat[];
  /** Rows looked through. */
  readonly most: number;
  readonly after?: WorkPlace;
}

export interface LostSend {
  readonly id: string;
  readonly attempts: number;
}

export interface LostPage {
  readonly lost: readonly LostSend[];
  /** undefined: there are no more rows to look through. */
  readonly last: WorkPlace | undefined;
}

// Index send_work from a place on: every send of the project whose hand-off was or is now, `planned` and `sending` alike,
// for the index does not tell them apart (firing must not touch it). So what is late and still planned is read too: in
// pages, when somebody is gone and once a minute. No locks. A kept answer whose send could not be moved is
// lost as well, though its replica lives: nobody else will end it.
const LOST = prepared(`
with page as materialized (
  select s.id, s.next_at, s.chunk, s.state, s.fired_by, s.attempts from send s
   where s.service_id = $1 and s.work = 'f' and s.next_at <= $2 and (s.next_at, s.chunk, s.id) > ($3, $4, $5)
   order by s.next_at, s.chunk, s.id limit $6),
lost as (
  select p.id, p.attempts from page p
   where p.state = 'sending'
     and (p.fired_by is distinct from $7 and not exists (
            select from replica r where r.id = p.fired_by
               and not exists (select from unnest($8::uuid[], $9::timestamptz[]) as d(id, beat_at)
                                where d.id = r.id and d.beat_at = r.beat_at))
          or exists (select from unwritten_answer u where u.send = p.id and u.attempt = p.attempts)))
select coalesce((select json_agg(l) from lost l), '[]') as lost,
       (select json_build_object('nextAt', p.next_at::text, 'chunk', p.chunk, 'id', p.id)
          from page p offset $6 - 1 limit 1) as last`);

/** Sends whose replica is dead, by the very beat given, or has no row. */
export async function lostSends(sql: Sql, ask: LostAsk): Promise<LostPage> {
  const { serviceId, upTo, replica, dead, most, after = BEGINNING } = ask;
  const [page] = await sql.query<{ lost: LostSend[]; last: WorkPlace | null }>(LOST, [
    serviceId,
    new Date(upTo),
    after.nextAt,
    after.chunk,
    after.id,
    most,
    replica,
    dead.map(({ id }) => id),
    dead.map(({ beat }) => beat),
  ]);
  return { lost: page?.lost ?? [], last: page?.last ?? undefined };
}

/**
 * Returns how many it made uncertain: by the attempt that was found, so that an answer that comes after all still finds its
 * send, by the same attempt.
 */
export async function recoverSends(
  sql: Sql,
  lost: readonly LostSend[],
  now: EpochMs,
  by: string,
): Promise<number> {
  return moveSends(sql, {
    sends: lost,
    from: 'sending',
    to: 'uncertain',
    code: 'LOST_ANSWER',
    detail: null,
    nextAt: now + uncertainWaitMs(null),
    at: now,
    by,
  });
}
