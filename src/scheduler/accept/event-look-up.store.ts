// Finds what became of an event by what its publisher knows: the CloudEvents source and id, and the service. For publishers over
// Kafka, who get no other answer. Never writes.
import type { Sql } from '../../platform/database/database.js';
import type { Reason } from './parse/reason.js';

/** The most refusals of a service, and duplicates of all, that are read, newest first: there is no index by source and id. */
const MOST_LOOKED_AT = 10_000;
/** If a publisher repeats an event without end, only the last arrivals are shown. */
const MOST_SEEN = 20;
/** Days, as long as keys are kept. */
const KEPT_DAYS = 30;

export interface SeenEvent {
  readonly verdict: 'accepted' | 'parked' | 'duplicate' | 'rejected';
  /** Ours. */
  readonly eventId: string;
  /** Null where it could not be read, or the token that brought the event did not hold it. */
  readonly serviceId: string | null;
  readonly receivedAt: Date;
  /** Ours; of a duplicate, the campaign of the first. Null: a rejection has none, or the campaign is gone. */
  readonly campaignId: string | null;
  readonly duplicateOf: string | null;
  readonly rejectionId: string | null;
  readonly problems: readonly Reason[] | null;
  /** Until when a parked event waits. */
  readonly until: Date | null;
}

const REFUSED = `select j.id, j.event, j.reasons from rejection j
   where j.id >= uuid_floor($5::timestamptz - interval '${KEPT_DAYS} days')`;
const NEWEST = `order by j.id desc limit ${MOST_LOOKED_AT}`;

/**
 * Newest first, of the given services (null: all, and events of no service). Finds the event that was taken by the primary key
 * of inbox_key, for 30 days; duplicates by the primary key of duplicate, and refusals by rejection_service or the primary key,
 * the newest of each. Events of one batch came at the same instant: they are in the order of their records, and over HTTP
 * the one that was taken comes first.
 */
export async function eventsSeen(
  sql: Sql,
  asked: {
    readonly source: string;
    readonly id: string;
    readonly serviceIds: readonly string[] | null;
    readonly now: Date;
  },
): Promise<SeenEvent[]> {
  const { source, id, serviceIds, now } = asked;
  const refused =
    serviceIds === null
      ? `${REFUSED} and $3::text[] is null ${NEWEST}`
      : `select j.* from unnest($3::text[]) as s(service_id) cross join lateral (${REFUSED} and j.service_id = s.service_id ${NEWEST}) j`;
  return sql.query<SeenEvent>(
    `with taken as (
       select event from inbox_key where source = $1 and event_id = $2 and ($3::text[] is null or service_id = any($3))
     ), seen as (
       select case when p.event is null then 'accepted' else 'parked' end as verdict, t.event, null::uuid as of,
              null::uuid as rejection, null::jsonb as reasons, p.ends_at as until
         from taken t left join parked_command p on p.event = t.event
       union all
       select 'duplicate', d.event, d.of_event, null, null, null
         from (select event, of_event from duplicate order by event desc limit ${MOST_LOOKED_AT}) d join taken t on t.event = d.of_event
       union all
       select 'rejected', j.event, null, j.id, j.reasons, null from (${refused}) j
     )
     select s.verdict, s.event as "eventId", e.service_id as "serviceId", e.received_at as "receivedAt", s.of as "duplicateOf", s.rejection as "rejectionId",
            s.reasons as problems, s.until,
            case when s.verdict <> 'rejected' then coalesce(
              (select r.campaign from revision r where r.event = coalesce(s.of, s.event)),
              (select m.campaign from command m where m.event = coalesce(s.of, s.event))) end as "campaignId"
       from seen s cross join lateral (select * from event where id = s.event limit 1) e
      where e.source = $1 and e.event_id = $2 and ($3::text[] is null or e.service_id = any($3))
      order by e.received_at desc, e."offset" desc nulls last, s.verdict in ('accepted', 'parked'), s.event desc limit $4`,
    [source, id, serviceIds, MOST_SEEN, now],
  );
}
