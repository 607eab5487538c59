// What a patch of a campaign is applied to, and whether it was still so once the campaign was locked.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { Campaign } from '../../decide/plan/campaign.js';

export interface PatchedRevision {
  /** The publisher's id. */
  readonly campaignId: string;
  readonly serviceId: string;
  readonly state: string;
  /** The newest that counts: it waits, or it is in force. */
  readonly revision: number;
  /** The highest number, of whatever state. */
  readonly newest: number;
  readonly data: Campaign;
  /** The time of the newest act on the whole campaign, epoch milliseconds. */
  readonly newestTime: number;
}

/** The newest revision that was neither rejected nor superseded; the first where none is left, as of a campaign that was rejected. */
const NEWEST = `coalesce(
  (select max(r.revision) from revision r where r.campaign = c.id and r.state in ('planning', 'awaiting-approval', 'in-force')),
  c.revision)`;

// Primary keys. Locks nothing.
const READ = `
select c.campaign_id as "campaignId", c.service_id as "serviceId", c.state, r.revision, r.data,
       (select max(n.revision) from revision n where n.campaign = c.id) as newest,
       (extract(epoch from c.newest_time) * 1000)::float8 as "newestTime"
  from campaign c join revision r on r.campaign = c.id and r.revision = ${NEWEST} where c.id = $1`;

export function patchedRevision(sql: Sql, campaign: string): Promise<PatchedRevision | undefined> {
  return firstRow(sql, READ, [campaign]);
}

// Primary key; the caller has locked the campaign.
const MADE = `
select r.revision,
       (select b.state = 'rejected' from revision b where b.campaign = r.campaign and b.revision = $3)
       or exists (select from revision n where n.campaign = r.campaign and n.revision > $4 and n.revision < r.revision
                                           and n.state <> 'rejected') as outdated
  from revision r where r.campaign = $1 and r.event = $2`;

interface MadeRevision {
  readonly revision: number;
  /** What was patched was not the newest any more. */
  readonly outdated: boolean;
}

/** The revision that `event`, our id, has just made from what was read before. */
export async function madeRevision(
  sql: Sql,
  campaign: string,
  event: string,
  { revision, newest }: Pick<PatchedRevision, 'revision' | 'newest'>,
): Promise<MadeRevision> {
  const made = await firstRow<MadeRevision>(sql, MADE, [campaign, event, revision, newest]);
  if (made === undefined) throw new Error('the event made no revision');
  return made;
}
