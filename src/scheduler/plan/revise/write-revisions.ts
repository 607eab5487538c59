// Writes the plans of later revisions beside those in force, compares the two, and lets each revision go on: to its approval, into the
// place of the one before, or to its end. In the transaction of write-plans.ts.
import type { Sql } from '../../../platform/database/database.js';
import type { Campaign } from '../../decide/plan/campaign.js';
import { keepsPlaces, revisionChange } from '../../decide/lifecycle/revision.js';
import { markReplanned } from '../../store/revision/mark-replanned.store.js';
import {
  forgetNext,
  insertOccurrences,
  type OccurrenceRow,
  type PlannedTo,
} from '../../store/send/planned-rows.store.js';
import { compareRevision, type RevisionDifference } from '../../store/send/revise.store.js';
import type { PlannedCampaign } from '../plan.store.js';

/** A later revision, or the one in force that other zone rules move: its data, and that of the one in force. */
export interface Revised {
  readonly before: Campaign;
  readonly after: Campaign;
  /** Occurrences that it leaves as they are. */
  readonly kept: readonly string[];
  readonly inForce: boolean;
}

export interface ComparedRevision {
  readonly planned: PlannedCampaign;
  readonly difference: RevisionDifference;
}

/** Sends to testTo. */
export const isTest = ({ occurrence }: { readonly occurrence: string }): boolean =>
  occurrence.startsWith('test-');

/** Where a row of a later revision is written; its test waits until the revision is taken. */
export const besideOthers = (row: { readonly occurrence: string }): PlannedTo | undefined =>
  isTest(row) ? undefined : 'next';
export const testOnly = (row: { readonly occurrence: string }): PlannedTo | undefined =>
  isTest(row) ? 'now' : undefined;

/** Call it before the rows are written. */
export async function makeRoom(sql: Sql, campaign: string): Promise<void> {
  await forgetNext(sql, campaign);
}

/** Without a lock of the campaign: it takes as long as the campaign is large. */
export async function compareWritten(
  sql: Sql,
  { planned, revised }: { readonly planned: PlannedCampaign; readonly revised: Revised },
  occurrences: readonly OccurrenceRow[],
  now: number,
): Promise<ComparedRevision> {
  const { before, after, kept, inForce } = revised;
  const own = occurrences.filter((row) => row.campaign === planned.id && !isTest(row));
  await insertOccurrences(sql, own, now, 'next');
  const difference = await compareRevision(sql, {
    campaign: planned.id,
    sameContent: !revisionChange(before, after).content,
    keepsPlaces: keepsPlaces(before, after),
    kept,
    inForce,
  });
  return { planned, difference };
}

/** Call it once the campaigns are locked, and nothing has changed since they were read. Returns those that were taken. */
export async function markCompared(
  sql: Sql,
  compared: readonly ComparedRevision[],
  now: number,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (const { planned, difference } of compared) {
    const { id: campaign, revision, plan, planAt } = planned;
    const became = await markReplanned(sql, { campaign, revision, plan, difference, planAt }, now);
    if (became === 'taken') taken.add(campaign);
  }
  return taken;
}
