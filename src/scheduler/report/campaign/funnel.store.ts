// Reads the counts from which a campaign's funnel is made (funnel.ts): what became of the ids of its requests, and what breakdowns say.
// Never writes; leaves tests out.
import type { Sql } from '../../../platform/database/database.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';
import { reportedRows } from '../../store/rollup/breakdown.store.js';
import { type ReportedGroup } from '../../store/rollup/reported-group.js';
import { goneOf, SEND_ROLLUP } from '../../store/rollup/counted-sends.js';
import { COUNTS } from '../../store/send/measured-send.js';

/** The newest sends of one state and code. */
export interface FunnelSends {
  readonly state: SendState;
  readonly code: string | null;
  /** There is a result with numbers of devices. */
  readonly answered: boolean;
  readonly sends: number;
  /** How many ids they go to, without those of `unlisted`. */
  readonly ids: number;
  /** How many of the sends have an audience that is not made of ids, or ids that are in several sends at once. */
  readonly unlisted: number;
  /** How many go to one id, and got to all of its devices. */
  readonly whole: number;
}

/** What breakdowns say: a number for each outcome and reason, and the states of the sends that they are about. */
export interface FunnelReported extends Pick<ReportedGroup, 'outcome' | 'reason' | 'devices'> {
  readonly states: readonly SendState[];
}

export interface FunnelCounts {
  /** Ids that the audience names, each once an occurrence; null: it is not made of ids. */
  readonly given: number | null;
  readonly sends: readonly FunnelSends[];
  readonly reported: readonly FunnelReported[];
}

// An id is in one cell of each device type and country by which a campaign is split.
const GIVEN = `
select case when bool_and(g.ids is not null) then sum(g.ids)::float8 end as given
  from (select max(k.recipients) as ids from cell k
         where k.campaign = $1 and k.occurrence not like 'test-%'
         group by k.occurrence, k.zone, k.zone_source, k.segment) g`;

// Index send_cell, then a cell by primary key for each group. Sends that are gone have the share of their cell's ids: exact where all
// of its chunks have ended alike.
const SENDS = `
with counted as (
  select s.occurrence, s.cell, s.state, s.code, s.target_count is not null as answered, count(*) as sends, sum(s.recipients) as ids,
         count(*) filter (where s.recipients is null) as unlisted,
         count(*) filter (where s.recipients = 1 and s.sent_count > 0 and s.sent_count = s.target_count) as whole
    from send s where s.campaign = $1 and s.ended_at >= ends_from($1) and ${COUNTS} and s.occurrence not like 'test-%'
   group by 1, 2, 3, 4, 5
  union all
  select g.occurrence, g.cell, g.state, g.code, g.target > 0 or g.state in ('sent', 'empty'), g.sends,
         round(k.recipients::numeric * g.sends / nullif(k.chunks, 0)), case when k.recipients is null then g.sends else 0 end,
         case when k.recipients = k.chunks and g.sent > 0 and g.sent = g.target and g.sent = g.sends then g.sends else 0 end
    from ${goneOf(SEND_ROLLUP)} g
    join cell k on k.campaign = g.campaign and k.occurrence = g.occurrence and k.cell = g.cell
   where g.campaign = $1 and g.occurrence not like 'test-%')
select c.state, c.code, c.answered, sum(c.sends)::float8 as sends,
       coalesce(sum(c.ids) filter (where not t.split), 0)::float8 as ids,
       sum(case when t.split then c.sends else c.unlisted end)::float8 as unlisted, sum(c.whole)::float8 as whole
  from counted c
 cross join lateral (select k.device_type <> 'all' or k.country <> 'all' as split from cell k
                      where k.campaign = $1 and k.occurrence = c.occurrence and k.cell = c.cell limit 1) t
 group by 1, 2, 3 having sum(c.sends) <> 0 order by sum(c.sends) desc, 1, 2`;

// Constraint breakdown_rollup_key; less the breakdowns of sends that a retry has replaced and that are not withdrawn yet.
const REPORTED = `
select r.outcome, r.reason, sum(r.devices)::float8 as devices, array_agg(distinct r.state order by r.state) as states
  from (select b.state, b.outcome, b.reason, b.devices from breakdown_rollup b where b.campaign = $1
        union all
        select w.state, w.outcome, w.reason, w.devices
          from (${reportedRows(
            '(select b.* from rollup_retry t join send_breakdown b on b.send = t.send_of where b.campaign = $1 and b.reported is not null) b',
            '-1',
          )}) w) r
 group by 1, 2 having sum(r.devices) > 0 order by sum(r.devices) desc, 1, 2`;

/** `sql` sees one moment. */
export async function funnelCounts(sql: Sql, campaign: string): Promise<FunnelCounts> {
  const [row] = await sql.query<{ given: number | null }>(GIVEN, [campaign]);
  return {
    given: row?.given ?? null,
    sends: await sql.query<FunnelSends>(SENDS, [campaign]),
    reported: await sql.query<FunnelReported>(REPORTED, [campaign]),
  };
}
