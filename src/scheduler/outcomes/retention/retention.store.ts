// Deletes what is past its time, except for days of sends: days of published events, rows from before the oldest day (…_old), and
// everything of a campaign whose report is no longer kept.
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { CLOSED_CAMPAIGN } from '../../decide/lifecycle/campaign-state.js';
import { keptFrom } from '../../store/kept-from.js';
import { unreadBehind } from '../../store/unread-outcomes.js';
import { BY_HOURS } from '../../store/rollup/counted-sends.js';
import { addToHours, hourly, type Sums } from '../../store/rollup/sums.js';

/**
 * The names of partitions of events that end by `before` and that every consumer has read. An event is written into the present day,
 * so none is added to these. Index send_event_position of each partition, one probe for each hole.
 */
export async function publishedDays(sql: Sql, before: Date): Promise<string[]> {
  const days = await sql.query<{ name: string }>(
    `select name from day_partition where parent = 'send_event' and isfinite(low) and high <= $1 order by low`,
    [before],
  );
  const published: string[] = [];
  for (const { name } of days) {
    const waiting = await sql.query(
      `select from outcome_cursor c
        cross join lateral ${unreadBehind({ table: name })}
        limit 1`,
    );
    if (waiting.length === 0) published.push(name);
  }
  return published;
}

/**
 * Deletes at most `batch` events older than `before` from before the oldest partition that every consumer has read; returns how many.
 * A scan: there are such events only after a clock was set back.
 */
export async function deleteOldEvents(sql: Sql, before: Date, batch: number): Promise<number> {
  const rows = await sql.query(
    `delete from send_event_old where ctid = any (array(
       select e.ctid from send_event_old e
        where e.at < $1 and not exists (
          select from outcome_cursor c where c.shard = e.shard and not e.position <@ c.done) limit $2))
     returning 1`,
    [before, batch],
  );
  return rows.length;
}

const ITS_DAY_IS_GONE = (event: string): string => `${event} < ${keptFrom()}`;

/** A page of rows in order of id. */
export interface TidiedPage {
  readonly seen: number;
  /** The last id; null: there was none. */
  readonly last: string | null;
  readonly gone: number;
}

const NONE: TidiedPage = { seen: 0, last: null, gone: 0 };

/** `page`: a query of at most $3 rows with ids above $2, the last one seen; `work`: further queries of the WITH, one of them `gone`. */
const tidied = (page: string, work: string): string => `
with page as materialized (${page}),
${work}
select count(*)::int as seen, max(p.id::text) as last, (select count(*)::int from gone) as gone from page p`;

type Tidy = (sql: Sql, endedBy: Date, after: string, most: number) => Promise<TidiedPage>;

/** The tables that belong to a send; each row has the end of its send. */
const OF_A_SEND = ['send_recipients', 'send_note', 'attempt'];

const MOVE_EARLIER_SENDS = tidied(
  'select id from send_old where id > $2 order by id limit $3',
  `${OF_A_SEND.map(
    (table) => `of_${table} as (
  update ${table} t set send_ended_at = $1::timestamptz - interval '1 day' from page p
   where t.send = p.id and t.send_ended_at < $1::timestamptz - interval '1 day')`,
  ).join(',\n')},
gone as (
  update send s set ended_at = $1::timestamptz - interval '1 day' from page p
   where s.id = p.id and s.ended_at < $1::timestamptz - interval '1 day' returning 1)`,
);

/**
 * For each raw body of `from`: whether the row that it became is there. Indexes campaign_event, revision_event, command_event,
 * rejection_event; duplicate_pkey.
 */
export const judgedEvents = (from: string): string => `
select e.id, e.service_id, e.verdict,
       num_nonnulls(case e.verdict when 'campaign' then c.id when 'revision' then r.campaign when 'command' then m.id
                                   when 'rejected' then j.id when 'duplicate' then u.event end) as counterpart
  from ${from} e
  left join campaign c on c.event = e.id
  left join revision r on r.event = e.id and r.revision > 1
  left join command m on m.event = e.id
  left join lateral (select j.id from rejection j where j.event = e.id limit 1) j on true
  left join duplicate u on u.event = e.id`;

/** Inserts the sums of judged events, a query, under the days of their ids. */
export const insertEventSums = (judged: string): string => `
insert into event_sum (day, service_id, verdict, events, counterparts)
select (bound_at(g.id::text) at time zone 'UTC')::date, g.service_id, g.verdict, count(*), sum(g.counterpart)
  from (${judged}) g group by 1, 2, 3`;

const SUM_UP_EVENTS = tidied(
  'select id, service_id, verdict from event_old where id < uuid_floor($1) and id > $2 order by id limit $3',
  `ended as materialized (${judgedEvents('page')}),
gone as (delete from event_old o using ended e where o.id = e.id returning e.*),
sums as (${insertEventSums('select * from gone')})`,
);

const tidy =
  (text: string): Tidy =>
  async (sql, endedBy, after, most) =>
    (await sql.query<TidiedPage>(text, [endedBy, after, most]))[0] ?? NONE;

/**
 * Moves sends that lie before the oldest day, which ends at `endedBy`, to that day: the rollups count them on it, and they are removed
 * with it. There are such sends only after a clock was set back. Within tidyPage, so that nobody retries them meanwhile.
 */
export const moveEarlierSends: Tidy = tidy(MOVE_EARLIER_SENDS);

/** Replaces raw bodies of earlier days by sums. */
export const sumUpEvents: Tidy = tidy(SUM_UP_EVENTS);

/**
 * Deletes revisions of campaigns that ended by `endedBy` and have no sends any more, but only after their raw body is gone: the ledger
 * counts a raw body together with its revision. Index revision_pkey.
 */
export const forgetRevisions: Tidy = tidy(
  tidied(
    `select campaign as id from revision where campaign > $2 and campaign < uuid_floor($1) order by campaign limit $3`,
    `gone as (
  delete from revision r using page p, campaign c
   where r.campaign = p.id and c.id = p.id and c.state in ${sqlList(CLOSED_CAMPAIGN)} and c.state_at <= $1
     and not exists (select from send s where s.campaign = c.id)
     and ${ITS_DAY_IS_GONE('r.event')}
     and not exists (select from event_old o where o.id in (c.event, r.event)) returning 1)`,
  ),
);

/** Deletes rejections or duplicates whose raw body is gone. Indexes rejection_event, duplicate_pkey. */
const forgetVerdicts = (table: 'rejection' | 'duplicate'): Tidy =>
  tidy(
    tidied(
      `select t.event as id from ${table} t
        where t.event > $2 and ${ITS_DAY_IS_GONE('t.event')} and $1::timestamptz is not null order by t.event limit $3`,
      `gone as (
  delete from ${table} t using page p
   where t.event = p.id and not exists (select from event_old o where o.id = t.event) returning 1)`,
    ),
  );
export const forgetRejections: Tidy = forgetVerdicts('rejection');
export const forgetDuplicates: Tidy = forgetVerdicts('duplicate');

const OVER = `
select c.id from campaign c
 where c.id < uuid_floor($1) and c.state in ${sqlList(CLOSED_CAMPAIGN)} and c.state_at <= $1
   and not exists (select from revision r where r.campaign = c.id)
   and not exists (select from send s where s.campaign = c.id)
   and not exists (select from command m where m.campaign = c.id
                      and (m.event >= ${keptFrom()} or exists (select from event_old o where o.id = m.event)))
 order by c.id limit $2`;

/** Deletes the rows of a rollup of the cells of `page`, and subtracts them from the sums by hour. */
const forgetSums = (sums: Sums): string => `
of_${sums.table} as (
  delete from ${sums.table} t using page p
   where t.campaign = p.campaign and t.occurrence = p.occurrence and t.cell = p.cell returning t.*),
hours_of_${sums.table} as (${addToHours(sums, `of_${sums.table}`, '-')})`;

/** Deletes cells together with their sums, so that both sides of the ledger agree between two pages. By the primary keys. */
const FORGET_CELLS = `
with page as materialized (
  select campaign, occurrence, cell from cell where campaign = any($1::uuid[]) order by campaign, occurrence, cell limit $2),
${BY_HOURS.map(forgetSums).join(',')}
delete from cell k using page p
 where k.campaign = p.campaign and k.occurrence = p.occurrence and k.cell = p.cell returning 1`;

const forgetOf = (table: string): string => `
delete from ${table} where ctid = any (array(select t.ctid from ${table} t where t.campaign = any($1::uuid[]) limit $2)) returning 1`;

/** Deletes campaigns together with their history. $2 limits nothing here, because OVER has at most as many. */
const FORGET = `
with gone as materialized (select unnest($1::uuid[]) as id limit $2),
${['campaign_history', 'campaign_act']
  .map((table) => `of_${table} as (delete from ${table} t using gone g where t.campaign = g.id)`)
  .join(',\n')}
delete from campaign c using gone g where c.id = g.id returning 1`;

/** The statements in this order: each is repeated until nothing is left before the next begins. */
const FORGOTTEN = [
  FORGET_CELLS,
  ...['occurrence', 'command', 'standing_count', 'breakdown_rollup'].map((table) => forgetOf(table)),
  FORGET,
];

/**
 * Deletes campaigns that ended by `endedBy` with all that is left of them, reports and sums, at most `most` rows of each table. A
 * campaign is kept while one of its sends is uncertain. Sums of raw bodies are deleted by day, sums by hour once they are zero.
 */
export async function forgetCampaigns(sql: Sql, endedBy: Date, most: number): Promise<number> {
  await sql.query(`delete from event_sum where day < $1::timestamptz at time zone 'UTC'`, [endedBy]);
  for (const sums of BY_HOURS)
    await sql.query(`delete from ${hourly(sums).table} where sends = 0 and (minute < $1 or minute is null)`, [
      endedBy,
    ]);
  const over = await sql.query<{ id: string }>(OVER, [endedBy, most]);
  if (over.length === 0) return 0;
  for (const text of FORGOTTEN) {
    const gone = await sql.query(text, [over.map(({ id }) => id), most]);
    if (gone.length >= most) break;
  }
  return over.length;
}
