// Judges what a revision may do with the occurrences that are there (planning.md §7). Locks nothing.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { judgeRevised, revisionChange } from '../../decide/lifecycle/revision.js';
import type { Campaign } from '../../decide/plan/campaign.js';
import { ONCE } from '../../decide/recurrence/occurrences.js';
import { touchedByRevision } from '../send/revise.store.js';

const BOTH = `
select c.revision, a.data as before, b.data as after
  from campaign c join revision a on a.campaign = c.id and a.revision = c.revision
  join revision b on b.campaign = c.id and b.revision = $2 where c.id = $1`;

/** What becomes of the occurrences that are there. */
interface JudgedRevision {
  readonly isFixed: boolean;
  readonly hasToLook: boolean;
  readonly keeps: readonly string[];
}

export async function judgeTouched(sql: Sql, campaign: string, revision: number): Promise<JudgedRevision> {
  const data = await firstRow<{ before: Campaign; after: Campaign }>(sql, BOTH, [campaign, revision]);
  if (data === undefined) throw new Error('the revision is missing');
  return judgeRevision(sql, { campaign, ...data });
}

/** `beside`: as in compareRevision(). */
export async function judgeRevision(
  sql: Sql,
  of: {
    readonly campaign: string;
    readonly beside?: string;
    readonly before: Campaign;
    readonly after: Campaign;
  },
): Promise<JudgedRevision> {
  const { audience } = revisionChange(of.before, of.after);
  const judged = (await touchedByRevision(sql, of.campaign, of.beside)).map((one) => ({
    ...one,
    verdict: judgeRevised(one, { audience, recurs: one.occurrence !== ONCE }),
  }));
  return {
    isFixed: judged.some(({ verdict }) => verdict === 'fixed'),
    hasToLook: judged.some(({ occurrence, moves }) => occurrence !== ONCE || moves || audience),
    keeps: judged.flatMap(({ occurrence, verdict }) => (verdict === 'keeps' ? [occurrence] : [])),
  };
}
