// The recall of a project that was stopped: its campaigns are marked, and their sends follow as those of a pause (act.store.ts). A mark
// of its own beside that of an act, so that a start releases no pause, and a resume nothing that the stop holds.
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { CAMPAIGN_ACTS, type Mark, type MarkedAct } from '../../decide/lifecycle/campaign-act.js';
import { statesTakenBack } from '../../decide/lifecycle/send-state.js';
import { CHANNELS } from '../channels.js';

const STOP: Mark = 'stop';
const RECALL: MarkedAct = 'recall';
const START: MarkedAct = 'start';

// Index send_work; the states that are polled and can be asked back. The project's row stays locked against its start until the commit,
// which then finds these marks; SKIP LOCKED: whoever changes the project comes first, and the next round marks. A row whose release is
// under way becomes a mark again, from its first send on. Campaigns in order of id, because each new row locks its campaign against
// removal.
const MARK = `
with stopped as materialized (
  select service_id, blocked_by, blocked_detail from project
   where recalled and blocked_code = 'STOPPED' for share skip locked),
taken as materialized (
  select distinct s.campaign, p.blocked_by, p.blocked_detail
    from stopped p join send_open s on s.service_id = p.service_id and s.work = 'p' and s.state in ${sqlList(statesTakenBack('asks'))}
   where not exists (select from campaign_act k where k.campaign = s.campaign and k.mark = '${STOP}' and k.goal is not null)
   order by s.campaign limit $2)
insert into campaign_act as k (campaign, mark, act, goal, code, detail, asked_at, asked_by)
select t.campaign, '${STOP}', '${RECALL}', '${CAMPAIGN_ACTS.pause.goal}', 'PROJECT_STOPPED', t.blocked_detail, $1, coalesce(t.blocked_by, 'sql') from taken t
on conflict on constraint campaign_act_key do update set
  act = excluded.act, goal = excluded.goal, code = excluded.code, detail = excluded.detail, asked_at = excluded.asked_at,
  asked_by = excluded.asked_by, after_occurrence = null, after_cell = null, after_chunk = null, pass = 1, pass_moved = 0,
  pass_waits = 0, looked = 0, moved = 0, page_at = excluded.page_at, done_at = null
  where k.goal is null
returning k.campaign`;

/**
 * Marks campaigns of which the push service holds sends though their project was stopped with a recall, at most `most`. Also finds
 * what came to be held after the stop: the answer of a call that was in flight. Returns how many. In a transaction of its own.
 */
export async function markRecalled(sql: Sql, now: Date, most: number): Promise<number> {
  const marked = await sql.query(MARK, [now, most]);
  if (marked.length > 0) await sql.query('select pg_notify($1, $2)', [CHANNELS.acts, '']);
  return marked.length;
}

// As a resume: from now on the rows hold nothing, and their pages release what they held. Index campaign_act_held.
const RELEASE = `
update campaign_act k set act = '${START}', goal = null, code = 'PROJECT_STARTED', detail = null, asked_at = $2, asked_by = $3,
       after_occurrence = null, after_cell = null, after_chunk = null, pass = 1, pass_moved = 0, pass_waits = 0, looked = 0, moved = 0,
       page_at = clock_timestamp(), done_at = null
  from campaign c
 where k.mark = '${STOP}' and k.goal = '${CAMPAIGN_ACTS.pause.goal}' and c.id = k.campaign and c.service_id = any($1)`;

/** What the recall of these projects holds is planned again, but not what a pause or a missing approval holds as well. */
export async function releaseRecalled(
  sql: Sql,
  serviceIds: readonly string[],
  now: Date,
  by: string,
): Promise<void> {
  await sql.query(RELEASE, [serviceIds, now, by]);
  await sql.query('select pg_notify($1, $2)', [CHANNELS.acts, '']);
}
