// What an approval is about, and the release of a campaign that was approved. In the caller's transaction, which has locked the
// campaign (store/send/act.store.ts).
import { firstRow, type Sql } from '../../platform/database/database.js';
import type { ApprovalFacts } from '../decide/lifecycle/approval.js';
import { DECLINED } from '../decide/lifecycle/campaign-act.js';
import { CHANNELS } from './channels.js';

/**
 * SHA-256 in hex over all that revision `r` sends, to whom, when and by which policy. It leaves out the cells, which move with time,
 * and names and tags. Equal values are equal text: jsonb has one order of members.
 */
export const APPROVAL_HASH = `encode(sha256(convert_to(jsonb_build_array(r.data -> 'serviceId', r.data -> 'messageType', r.data -> 'message',
  r.data -> 'audience', r.data -> 'delivery', r.data -> 'policy')::text, 'UTF8')), 'hex')`;

const ANSWERED = `coalesce((select n.revision from revision n
  where n.campaign = c.id and n.revision = c.revises and n.state = 'awaiting-approval'), c.revision)`;
// A later revision that awaits approval, else the one in force. While another one takes the place of a draft, there is none to answer to.
const FACTS = `
select case when r.revision <> c.revision then 'awaiting-approval'
            when c.state = 'awaiting-approval' and c.revises is not null then 'planning' else c.state end as state,
       c.code, r.revision, ${APPROVAL_HASH} as hash, coalesce(r.data #>> '{policy,approval}' = 'required', false) as "ownAccord",
       coalesce(p.approval = 'required', false) as "projectAsks", r.token_id as "publishedBy"
  from campaign c join revision r on r.campaign = c.id and r.revision = ${ANSWERED}
  left join project p on p.service_id = c.service_id
 where c.id = $1`;

/** Of the newest revision, by the project as it is now. */
export async function approvalFacts(sql: Sql, campaign: string): Promise<ApprovalFacts> {
  const facts = await firstRow<ApprovalFacts>(sql, FACTS, [campaign]);
  if (facts === undefined) throw new Error('the revision of the campaign is missing');
  return facts;
}

// A recurrence is planned on, unless it is paused.
const APPROVE = `
update campaign set state = 'planned', code = null, detail = null, state_at = $2, state_by = $3,
       plan_at = case when plan_at = 'infinity' and not paused then $2 else plan_at end
 where id = $1`;
const IN_FORCE = `
update revision r set state = 'in-force' from campaign c where c.id = $1 and r.campaign = c.id and r.revision = c.revision`;
// As a resume: from now on it holds nothing, and its pages release what it held.
const RELEASE = `
update campaign_act set goal = null, code = 'APPROVED', asked_at = $2, asked_by = $3, after_occurrence = null, after_cell = null,
       after_chunk = null, pass = 1, pass_moved = 0, pass_waits = 0, looked = 0, moved = 0, page_at = clock_timestamp(), done_at = null
 where campaign = $1 and mark = 'approval'`;

/** awaiting-approval ▶ planned. What a pause holds as well stays held. */
export async function releaseApproved(sql: Sql, campaign: string, now: Date, by: string): Promise<void> {
  await sql.query(APPROVE, [campaign, now, by]);
  await sql.query(IN_FORCE, [campaign]);
  await sql.query(RELEASE, [campaign, now, by]);
  await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.acts, CHANNELS.plan, '']);
}

// It is planned once more, because time has passed since it was planned, and then takes the place of the one in force.
const APPROVE_NEXT = `
update revision r set state = 'planning', approved_at = $2 from campaign c
 where c.id = $1 and r.campaign = c.id and r.revision = c.revises and r.state = 'awaiting-approval' returning r.revision`;
const PLAN_NEXT = `
update campaign set replans = true, rest_plan_at = plan_at, plan_at = $2, plan_tries = 0 where id = $1`;

/** Whether it was a later revision that awaited approval, which is now on its way into force. */
export async function approveNext(sql: Sql, campaign: string, now: Date): Promise<boolean> {
  if ((await firstRow(sql, APPROVE_NEXT, [campaign, now])) === undefined) return false;
  await sql.query(PLAN_NEXT, [campaign, now]);
  await sql.query('select pg_notify($1, $2)', [CHANNELS.plan, '']);
  return true;
}

const REJECT = `
update revision r set state = 'rejected', reasons = $2 from campaign c
 where c.id = $1 and r.campaign = c.id and r.revision = c.revision`;
const DECLINE_NEXT = `
update revision r set state = 'rejected', reasons = $2 from campaign c
 where c.id = $1 and r.campaign = c.id and r.revision = c.revises and r.state = 'awaiting-approval' returning r.revision`;
const NO_NEXT = 'update campaign set revises = null where id = $1';

/** Whether it was a later revision that awaited approval; the one in force goes on. */
export async function declineNext(sql: Sql, campaign: string, reason: string, now: Date): Promise<boolean> {
  const next = await firstRow<{ revision: number }>(sql, DECLINE_NEXT, [campaign, declined(reason)]);
  if (next === undefined) return false;
  await sql.query(NO_NEXT, [campaign]);
  const published = [campaign, 'campaign.revision-rejected', now, reason, next.revision];
  await sql.query('select write_campaign_event($1, $2, null, null, $3, $4, $5)', published);
  return true;
}

const declined = (reason: string): string => JSON.stringify([{ pointer: '', code: DECLINED, text: reason }]);

/** The revision keeps why it was declined; the cancel of the campaign is an act like any other. */
export async function rejectDeclined(sql: Sql, campaign: string, reason: string): Promise<void> {
  await sql.query(REJECT, [campaign, declined(reason)]);
}
