// The end of a planning that failed too often: a first planning rejects its campaign, and a recurrence that goes on leaves out
// its next occurrence. Runs in the caller's transaction.
import type { Sql } from '../../platform/database/database.js';
import { nextUnplanned } from '../decide/lifecycle/next-unplanned.js';
import { PLANNING_FAILED, PLANNING_TRIES } from '../decide/lifecycle/planning-tries.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import { closeLookups } from '../store/audience-lookup.store.js';
import { rejectRevision } from '../store/revision/reject-revision.store.js';
import { lockToPlan, markRefused, markSkipped, readToPlan, type CampaignToPlan } from './plan.store.js';

interface GivenUp {
  readonly campaign: string;
  /** Includes the last fault. */
  readonly detail: string;
  readonly rules: ZoneRules;
  readonly now: EpochMs;
  readonly by: string;
}

/** Returns what ended, for the log; undefined where a cancel came first, or another process finished the last try after all. */
export async function giveUpPlanning(
  sql: Sql,
  { campaign, detail, rules, now, by }: GivenUp,
): Promise<{ occurrence?: string | undefined } | undefined> {
  const [one] = await readToPlan(sql, await lockToPlan(sql, [campaign], PLANNING_TRIES));
  if (one === undefined) return undefined;
  const { revision } = one;
  await closeLookups(sql, [campaign]);
  if (one.before !== null) {
    const reasons = [{ pointer: '', code: PLANNING_FAILED, text: detail }];
    await rejectRevision(sql, { campaign, revision }, reasons, now);
    return {};
  }
  if (one.state === 'planning') {
    const reasons = [{ pointer: '', code: PLANNING_FAILED, text: detail }];
    await markRefused(sql, [{ id: campaign, revision, reasons }], now, by);
    return {};
  }
  const occurrence = nextOf(one, rules, now);
  await markSkipped(sql, { campaign, occurrence, revision, detail }, now);
  return { occurrence };
}

/** The occurrence to leave out; undefined where the rule cannot be read, which may be the reason why planning fails. */
function nextOf(
  { data, after, canceled }: CampaignToPlan,
  rules: ZoneRules,
  now: EpochMs,
): string | undefined {
  if (data === null) return undefined;
  try {
    return nextUnplanned(data, { after, leftOut: new Set(canceled), now }, rules);
  } catch {
    return undefined;
  }
}
