// Puts the plan of a revision in the place of the one before (planning.md §7): compares the two chunk by chunk, and then works off the
// chunks that differ in pages, as an act does (act.store.ts). A send that has gone is left as it is. Never calls the push service.
import { z } from 'zod';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { count } from '../../../platform/http/zod-schemas.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { CAMPAIGN_ACTS } from '../../decide/lifecycle/campaign-act.js';
import { CANCELABLE_OCCURRENCE } from '../../decide/lifecycle/campaign-state.js';
import {
  GONE_STATES,
  REPLACEABLE_STATES,
  TAKEN_BACK_STATES,
  type SendGoal,
} from '../../decide/lifecycle/send-state.js';
import { CHANNELS } from '../channels.js';
import { WAITS_MS } from './act.store.js';

/** What a revision looks with, before it replaces anything: as a pause. */
export const LOOKS: SendGoal = CAMPAIGN_ACTS.pause.goal;
/** What it makes of the sends that it replaces. */
export const REPLACES: SendGoal = 'superseded';

const WHAT = z.enum(['same', 'changed', 'new', 'gone', 'late']);
const Counts = z.object({ same: count, changed: count, new: count, gone: count, late: count });
const ChangedCell = z.object({
  occurrence: z.string(),
  cell: z.string(),
  what: WHAT,
  dueBefore: z.iso.datetime({ offset: true }).nullable(),
  dueAfter: z.iso.datetime({ offset: true }).nullable(),
});
export const RevisionDifference = z
  .object({
    cells: Counts,
    requests: Counts.describe(
      'late: their message had gone, or may have, when the revision was planned: they stay as they are',
    ),
    changed: z.array(ChangedCell).describe('The first hundred cells that differ'),
    kept: z
      .array(z.string())
      .describe('Occurrences that began while the revision looked: they keep the revision before'),
    tooLate: count.describe('Requests that went while the revision took its place, instead of being changed'),
  })
  .meta({ id: 'RevisionDifference' });
export type RevisionDifference = z.output<typeof RevisionDifference>;

/** The most cells of a difference that are listed. */
const LISTED = 100;

// By the primary keys and by the index send_cell, all of a campaign. A late chunk is one of a cell that is there whose send has gone, or
// may have. Born expired or not: whether a send is too late is judged once more when it leaves.
const COMPARE = `
update send_next n set what = m.what, takes_over = m.takes_over
  from (
    select n.id,
           case when s.id is null then case when n.chunk < c.chunks then 'late' else 'new' end
                when $2 and o.goes_to_same and n.state <> 'skipped' and s.due_at is not distinct from n.due_at
                     and s.intended_at is not distinct from n.intended_at and s.schedule_code is not distinct from n.schedule_code
                then 'same' when s.state = any($4) then 'changed' else 'late' end as what,
           -- A late one has gone to whom it was for.
           case when s.state = any($4) then o.goes_to_same else s.id is not null or n.chunk < c.chunks is true end as takes_over
      from send_next n
      join cell_next k on k.campaign = n.campaign and k.occurrence = n.occurrence and k.cell = n.cell
      left join cell c on c.campaign = $6 and c.occurrence = n.occurrence and c.cell = n.cell
      left join send_open s on s.campaign = $6 and s.occurrence = n.occurrence and s.cell = n.cell and s.chunk = n.chunk
       and s.next_send is null and s.state = any($5)
      left join send_recipients_open r on r.send = s.id
     cross join lateral (select c.target = k.target and s.recipients is not distinct from n.recipients
                           and ($3 or r.recipients is not distinct from n.ids) as goes_to_same) o
     where n.campaign = $1) m
 where n.id = m.id`;

// Index send_cell.
const ADD_GONE = `
insert into send_next (campaign, occurrence, cell, chunk, what, id)
select $5::uuid, s.occurrence, s.cell, s.chunk, 'gone', gen_random_uuid()
  from occurrence o join send_open s on s.campaign = o.campaign and s.occurrence = o.occurrence
 where o.campaign = $1 and o.state = any($2) and o.occurrence <> all($3) and o.occurrence not like 'test-%'
   and s.next_send is null and s.state = any($4)
   and not exists (select from send_next n
                    where n.campaign = $5 and n.occurrence = s.occurrence and n.cell = s.cell and n.chunk = s.chunk)`;

const COUNT = `
with compared as materialized (
  select n.occurrence, n.cell, count(*) filter (where n.what = 'same')::int as same, count(*) filter (where n.what = 'new')::int as new,
         count(*) filter (where n.what = 'changed')::int as changed, count(*) filter (where n.what = 'gone')::int as gone,
         count(*) filter (where n.what = 'late')::int as late, count(*)::int as requests
    from send_next n where n.campaign = $1 group by 1, 2),
judged as materialized (
  select d.*, case d.requests when d.same then 'same' when d.new then 'new' when d.gone then 'gone' when d.late then 'late'
                   else case when d.same + d.late = d.requests then 'same' else 'changed' end end as what
    from compared d),
listed as (
  select j.occurrence, j.cell, j.what, c.due_at as before, k.due_at as after
    from judged j
    left join cell c on c.campaign = $3 and c.occurrence = j.occurrence and c.cell = j.cell
    left join cell_next k on k.campaign = $1 and k.occurrence = j.occurrence and k.cell = j.cell
   where j.what not in ('same', 'late') order by j.occurrence, j.cell limit $2)
select jsonb_build_object(
  'cells', (select jsonb_build_object(
     'same', count(*) filter (where what = 'same'), 'changed', count(*) filter (where what = 'changed'),
     'new', count(*) filter (where what = 'new'), 'gone', count(*) filter (where what = 'gone'),
     'late', count(*) filter (where what = 'late')) from judged),
  'requests', (select jsonb_build_object('same', coalesce(sum(same), 0), 'changed', coalesce(sum(changed), 0), 'new', coalesce(sum(new), 0),
     'gone', coalesce(sum(gone), 0), 'late', coalesce(sum(late), 0)) from judged),
  'changed', coalesce((select jsonb_agg(jsonb_build_object('occurrence', l.occurrence, 'cell', l.cell, 'what', l.what, 'dueBefore', l.before,
     'dueAfter', l.after) order by l.occurrence, l.cell) from listed l), '[]'),
  'kept', '[]'::jsonb, 'tooLate', 0) as difference`;

// A late one that is still open is uncertain: its page gives it the goal, unless it is to go as it is.
const FORGET_SAME = `
delete from send_next n where n.campaign = $1 and (n.what = 'same' or n.what = 'late' and ($4 or not exists (
  select from send_open s where s.campaign = $3 and s.occurrence = n.occurrence and s.cell = n.cell and s.chunk = n.chunk
     and s.next_send is null and s.state = any($2))))`;

export interface Compared {
  readonly campaign: string;
  /** The id under which its planned rows lie, of a preview one of its own [that of the campaign]. */
  readonly beside?: string | undefined;
  /** All that every send carries whatever its due is as before (decide/lifecycle/revision.ts). */
  readonly sameContent: boolean;
  /** The recipients stay in their chunks: no ids were planned. */
  readonly keepsPlaces: boolean;
  /** Occurrences that the revision does not touch. */
  readonly kept: readonly string[];
  /** It is in force already, and other zone rules move it: what may have gone keeps its fate. */
  readonly inForce: boolean;
}

/**
 * Compares the planned rows of a revision with the campaign's own, and keeps those that are to be worked off. Locks nothing but these.
 * What leaves meanwhile is late when its page comes.
 */
export async function compareRevision(
  sql: Sql,
  { campaign, beside = campaign, sameContent, keepsPlaces, kept, inForce }: Compared,
): Promise<RevisionDifference> {
  const states = [REPLACEABLE_STATES, TAKEN_BACK_STATES];
  await sql.query(COMPARE, [beside, sameContent, keepsPlaces, ...states, campaign]);
  await sql.query(ADD_GONE, [campaign, CANCELABLE_OCCURRENCE, kept, REPLACEABLE_STATES, beside]);
  const row = await firstRow<{ difference: RevisionDifference }>(sql, COUNT, [beside, LISTED, campaign]);
  if (row === undefined) throw new Error('a count has no row');
  const { difference } = row;
  const { requests } = difference;
  if (keepsPlaces && requests.new + requests.gone > 0)
    throw new Error('recipients that stay where they are were planned elsewhere');
  await sql.query(FORGET_SAME, [beside, TAKEN_BACK_STATES, campaign, inForce]);
  return difference;
}

/** Whether a send of the occurrence `o` is gone; index send_cell. */
export const HAS_BEGUN = `(exists (
  select from send s where s.campaign = o.campaign and s.occurrence = o.occurrence and s.next_send is null
     and s.state in ${sqlList(GONE_STATES)})
  or exists (select from send_gone g where g.campaign = o.campaign and g.occurrence = o.occurrence))`;

const TOUCHED = `
select o.occurrence, ${HAS_BEGUN} as begun, t.moves
  from (select n.occurrence, bool_or(not n.takes_over) as moves from send_next n where n.campaign = $2 group by 1) t
  join occurrence o on o.campaign = $1 and o.occurrence = t.occurrence order by o.occurrence`;

export interface TouchedOccurrence {
  readonly occurrence: string;
  readonly begun: boolean;
  readonly moves: boolean;
}

/** The occurrences that are there and that the planned revision would change. `beside`: as in compareRevision(). */
export function touchedByRevision(
  sql: Sql,
  campaign: string,
  beside: string = campaign,
): Promise<TouchedOccurrence[]> {
  return sql.query(TOUCHED, [campaign, beside]);
}

// As PAGE in act.store.ts. A phase is over once a pass finds nothing that waits; the campaign's next phase is then up to
// settle-revision.ts, which page_at says.
const PAGE = `
with turn as materialized (
  select campaign, goal, code, detail, asked_by, after_occurrence, after_cell, after_chunk, pass_waits from campaign_act
   where mark = 'revision' and goal is not null and done_at is null and page_at <= clock_timestamp()
   order by page_at limit 1 for no key update skip locked),
page as materialized (
  select t.campaign, t.pass_waits + p.waits as pass_waits, p.seen < $1 as is_last, p.*
    from turn t cross join lateral revise_page(t.campaign, t.after_occurrence, t.after_cell, t.after_chunk, $1, $2, t.asked_by,
                                               $3, t.goal, t.code, t.detail, $4) p)
update campaign_act k set
  after_occurrence = case when not p.is_last then p.last_occurrence end, after_cell = case when not p.is_last then p.last_cell end,
  after_chunk = case when not p.is_last then p.last_chunk end,
  moved = k.moved + p.moved, late = k.late + p.late, pass = k.pass + case when p.is_last then 1 else 0 end,
  pass_waits = case when p.is_last then 0 else p.pass_waits end,
  page_at = case when p.is_last and p.pass_waits = 0 then 'infinity'
                 else clock_timestamp() + case when p.is_last then $5::float8 * least(power(2, least(k.pass, 10) - 1), $6::float8) else 0 end
                                          * interval '1 millisecond' end
  from page p where k.campaign = p.campaign and k.mark = 'revision'
returning p.moved`;

const MOST_WAITS = 60;

/** A page of one revision. One transaction. False: no page is due, or other processes work on all that are. */
export async function workRevisionPage(sql: Sql, now: EpochMs, most: number): Promise<boolean> {
  const parameters = [most, new Date(now), LOOKS, CANCELABLE_OCCURRENCE, WAITS_MS, MOST_WAITS];
  const page = await firstRow<{ moved: number }>(sql, PAGE, parameters);
  if (page === undefined) return false;
  if (page.moved > 0)
    await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.dispatch, CHANNELS.cancel, '']);
  return true;
}
