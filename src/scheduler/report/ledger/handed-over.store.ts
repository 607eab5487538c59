// Counts our sends that the push service must have: every send with a requestId, by the day in that id, on which the push service took
// it. Includes replaced sends and tests. One pass over the sends that are kept; never writes.
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { AWAITED_STATES, ENDED_STATES, statesOfTerm } from '../../decide/lifecycle/send-state.js';
import { MEASURES } from '../../store/send/measured-send.js';
import { RESOLVED_CODES } from '../../store/send/resolve.store.js';
import { ofService } from './ledger-filter.js';

/** One service on one day. */
export interface HandedOverDay {
  readonly serviceId: string;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  /** Sends with a requestId of that day. */
  readonly messages: number;
  /** Sends that ended with a result of the push service; `target`, `sent` and `failed` are their devices. */
  readonly final: number;
  readonly target: number;
  readonly sent: number;
  readonly failed: number;
  /** Sends that an operator resolved, so that nobody asks about them any more. */
  readonly byHand: number;
}

export interface HandedOver {
  /** All our projects, in order. */
  readonly serviceIds: readonly string[];
  readonly days: readonly HandedOverDay[];
  /** By service, how many sends in flight or uncertain have no requestId: the push service may have taken each of them. */
  readonly unanswered: ReadonlyMap<string, number>;
}

const WITHOUT_ANSWER = sqlList([...AWAITED_STATES, ...statesOfTerm('sent')]);
const ENDED = sqlList(ENDED_STATES);
const BY_HAND = `s.code in ${sqlList(RESOLVED_CODES)}`;

// The ids of another gateway have no day in them: their sends are left out.
const TAKEN_AT = `case when s.request_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7' then bound_at(s.request_id) end`;

const DAYS = `
select m.service_id as "serviceId", m.day, count(*)::float8 as messages,
       count(*) filter (where m.final)::float8 as final,
       coalesce(sum(m.target) filter (where m.final), 0)::float8 as target,
       coalesce(sum(m.sent) filter (where m.final), 0)::float8 as sent,
       coalesce(sum(m.failed) filter (where m.final), 0)::float8 as failed,
       count(*) filter (where m.by_hand)::float8 as "byHand"
  from (select s.service_id, to_char(${TAKEN_AT} at time zone 'UTC', 'YYYY-MM-DD') as day,
               s.state in ${ENDED} and ${BY_HAND} is not true as final, s.state in ${ENDED} and ${BY_HAND} is true as by_hand,
               ${MEASURES.target} as target, ${MEASURES.sent} as sent, ${MEASURES.failed} as failed
          from send s
         where ${ofService('s.service_id')} and s.request_id is not null and ${TAKEN_AT} >= $2 and ${TAKEN_AT} < $3) m
 group by 1, 2 order by 1, 2`;

const UNANSWERED = `
select s.service_id as "serviceId", count(*)::float8 as sends from send s
 where ${ofService('s.service_id')} and s.request_id is null and s.state in ${WITHOUT_ANSWER}
   and coalesce(s.attempt_started_at, s.handed_off_at) >= $2
 group by 1`;

const PROJECTS = `select p.service_id as "serviceId" from project p where ${ofService('p.service_id')} order by 1`;

/**
 * The sends of these services (null: all) that the push service took in a range of time; `sql` sees one moment. `from` lies in the
 * last 31 days: sends taken in these are kept, however short SEND_RETENTION_DAYS is.
 */
export async function handedOver(
  sql: Sql,
  serviceIds: readonly string[] | null,
  { from, to }: { readonly from: EpochMs; readonly to: EpochMs },
): Promise<HandedOver> {
  const projects = await sql.query<{ serviceId: string }>(PROJECTS, [serviceIds]);
  const days = await sql.query<HandedOverDay>(DAYS, [serviceIds, new Date(from), new Date(to)]);
  const unanswered = await sql.query<{ serviceId: string; sends: number }>(UNANSWERED, [
    serviceIds,
    new Date(from),
  ]);
  return {
    serviceIds: projects.map(({ serviceId }) => serviceId),
    days,
    unanswered: new Map(unanswered.map(({ serviceId, sends }) => [serviceId, sends])),
  };
}
