// Makes room for the next revision of a campaign (planning.md §7). Runs in the caller's transaction, which has locked the campaign's row.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { PLANNABLE_CAMPAIGN } from '../../decide/lifecycle/campaign-state.js';
import type { Campaign } from '../../decide/plan/campaign.js';
import { closeLookups } from '../audience-lookup.store.js';
import { forgetKnown } from '../listed-audience.store.js';

/** The states of a revision that is not in force yet. */
const PENDING = "('planning', 'awaiting-approval')";
/** A revision takes its place right now. */
const IS_APPLIED =
  "exists (select from campaign_act k where k.campaign = c.id and k.mark = 'revision' and k.goal is not null)";

const NEXT_NUMBER = `
select (select max(r.revision) from revision r where r.campaign = c.id) + 1 as revision, ${IS_APPLIED} as applied,
       c.state in ${sqlList(PLANNABLE_CAMPAIGN.filter((state) => state === 'accepted' || state === 'planning'))} as unplanned
  from campaign c where c.id = $1`;
const SUPERSEDE_PENDING = `
update revision r set state = 'superseded' from campaign c
 where c.id = $1 and r.campaign = c.id and r.state in ${PENDING}
   and (r.revision > c.revision and not (${IS_APPLIED} and r.revision = c.revises) or $2)`;
// A campaign that was never planned is planned as this revision says in the first place.
const PLAN_INSTEAD = `
update campaign set revision = $2, name = $3, tags = $4, plan_at = $5, plan_tries = 0, newest_time = greatest(newest_time, $6) where id = $1`;
const PLAN_BESIDE = `
update campaign set revises = $2, rest_plan_at = case when replans then rest_plan_at else plan_at end, replans = true, plan_at = $3,
       plan_tries = 0, newest_time = greatest(newest_time, $4) where id = $1`;
const NEWEST_TIME = 'update campaign set newest_time = greatest(newest_time, $2) where id = $1';

export interface NextRevision {
  readonly campaign: string;
  readonly data: Pick<Campaign, 'name' | 'tags'>;
  readonly time: Date;
  readonly now: Date;
}

/**
 * Makes room for a campaign's next revision, whose row the caller inserts under the number that this returns. It supersedes one that is
 * not in force yet; one that is just taking its place comes first.
 */
export async function beginRevision(sql: Sql, { campaign, data, time, now }: NextRevision): Promise<number> {
  const row = await firstRow<{ revision: number; applied: boolean; unplanned: boolean }>(sql, NEXT_NUMBER, [
    campaign,
  ]);
  if (row === undefined) throw new Error('the campaign is missing');
  const { revision, applied, unplanned } = row;
  await sql.query(SUPERSEDE_PENDING, [campaign, unplanned]);
  if (applied) {
    await sql.query(NEWEST_TIME, [campaign, time]);
    return revision;
  }
  await closeLookups(sql, [campaign]);
  await forgetKnown(sql, [campaign]);
  if (unplanned) await sql.query(PLAN_INSTEAD, [campaign, revision, data.name, data.tags, now, time]);
  else await sql.query(PLAN_BESIDE, [campaign, revision, now, time]);
  return revision;
}
