// What standing messages had come to, day by day: counts of their whole life, as the push service told them at the last
// look of each UTC day (life-of-a-send.md, "Following"). Reads and forgets; look.store.ts writes them.
import { z } from 'zod';
import type { Sql } from '../../../../platform/database/database.js';
import { count } from '../../../../platform/http/schema-parts.js';

export const StandingDay = z
  .object({
    day: z.string().describe('YYYY-MM-DD, UTC'),
    target: count.nullable().describe('Cumulative'),
    sent: count.nullable().describe('Cumulative'),
    at: z.date().describe('When they were read last on that day'),
  })
  .meta({ id: 'StandingDay' });
export type StandingDay = z.output<typeof StandingDay>;

/** The newest are shown, oldest first. */
const MOST_DAYS = 366;

// On each day on which one of the sends was read, the sum over all of them, each with what was read of it last until then.
// Index standing_count_pkey.
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
// Of a chunk's newest send: of one that is gone, as it was marked (markReplacedCounts). Index standing_count_campaign.
const OF_CAMPAIGN = daysOf(`
  select distinct k.send from standing_count k left join send s on s.id = k.send
   where k.campaign = $1 and ($2::text is null or k.occurrence = $2) and k.occurrence not like 'test-%'
     and not k.replaced and (s.id is null or s.next_send is null and s.state <> 'superseded')`);

/** Of one send. */
export async function standingDaysOf(sql: Sql, send: string): Promise<StandingDay[]> {
  return sql.query<StandingDay>(OF_SEND, [send]);
}

/** Of a campaign (of one occurrence where that is named): of all of its newest standing sends together. */
export async function standingDays(sql: Sql, campaign: string, occurrence?: string): Promise<StandingDay[]> {
  return sql.query<StandingDay>(OF_CAMPAIGN, [campaign, occurrence ?? null]);
}

/** Marks, of these sends that are about to go (a query's text), the counts of those that no report tells of. */
export const markReplacedCounts = (going: string): string => `
update standing_count k set replaced = true from (${going}) g
 where k.send = g.id and g.mode = 'scheduled' and (g.next_send is not null or g.state = 'superseded')`;

/**
 * Forgets at most `batch` counts of days before `before`; returns how many. Of every send the newest of them stays, for
 * the sums of later days begin with it, unless its campaign is gone. Scans the table: a row a day and standing send.
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
