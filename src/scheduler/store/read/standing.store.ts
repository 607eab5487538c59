// Counts of standing messages by day: since their beginning, as the push service answered at the last poll of each UTC day
// (hand-off.md, "Following"). Reads and deletes them; poll.store.ts writes them.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { count } from '../../../platform/http/zod-schemas.js';

export const StandingDay = z
  .object({
    day: z.string().describe('YYYY-MM-DD, UTC'),
    target: count.nullable().describe('Cumulative'),
    sent: count.nullable().describe('Cumulative'),
    at: z.date().describe('When they were read last on that day'),
  })
  .meta({ id: 'StandingDay' });
export type StandingDay = z.output<typeof StandingDay>;

/** The most days that are shown: the newest, in order. */
const MOST_DAYS = 366;

// For each day on which one of the sends was polled: the sum over all sends, each with its last counts up to that day. Index
// standing_count_pkey.
const daysOf = (sends: string): string => `
with standing as (${sends}),
days as (
  select distinct k.day from standing t join standing_count k on k.send = t.send order by k.day desc limit ${MOST_DAYS})
select to_char(d.day, 'YYYY-MM-DD') as day, sum(k.target_count)::float8 as target, sum(k.sent_count)::float8 as sent,
       max(k.at) as at
  from days d cross join standing t
 cross join lateral (select target_count, sent_count, at from standing_count
                      where send = t.send and day <= d.day order by day desc limit 1) k
 group by d.day order by d.day`;

const OF_SEND = daysOf('select $1::uuid as send');
// Only the newest sends of their chunks; for a send that is gone, `replaced` says so (markReplacedCounts). Index standing_count_campaign.
const OF_CAMPAIGN = daysOf(`
  select distinct k.send from standing_count k left join send s on s.id = k.send
   where k.campaign = $1 and ($2::text is null or k.occurrence = $2) and k.occurrence not like 'test-%'
     and not k.replaced and (s.id is null or s.next_send is null and s.state <> 'superseded')`);

/** The days of one send. */
export async function standingDaysOf(sql: Sql, send: string): Promise<StandingDay[]> {
  return sql.query<StandingDay>(OF_SEND, [send]);
}

/** The days of a campaign or of one occurrence, for all its newest standing sends together. */
export async function standingDays(sql: Sql, campaign: string, occurrence?: string): Promise<StandingDay[]> {
  return sql.query<StandingDay>(OF_CAMPAIGN, [campaign, occurrence ?? null]);
}

/** Marks the counts of sends that no report includes (`replaced`, a query of their ids). Index standing_count_pkey. */
export const markReplacedCounts = (replaced: string): string => `
update standing_count k set replaced = true from (${replaced}) as g(send) where k.send = g.send`;

/**
 * Deletes at most `batch` counts of days before `before`; returns how many. It keeps the newest of these of each send, because the sums
 * of later days begin with it, unless its campaign is gone. Scans the table, which has a row for each day and standing send.
 */
export async function deleteOldStandingCounts(sql: Sql, before: Date, batch: number): Promise<number> {
  const gone = await sql.query(
    `delete from standing_count where ctid = any (array(
       select k.ctid from standing_count k
        where k.day < ($1::timestamptz at time zone 'UTC')::date
          and (exists (select from standing_count n where n.send = k.send and n.day > k.day
                          and n.day < ($1::timestamptz at time zone 'UTC')::date)
               or not exists (select from campaign c where c.id = k.campaign))
        limit $2 for update skip locked)) returning 1 as gone`,
    [before, batch],
  );
  return gone.length;
}
