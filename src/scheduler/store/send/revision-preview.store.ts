// What a revision would do now, counted from its planned rows and their comparison with the campaign's own (revise.store.ts). Reads only.
import { z } from 'zod';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import type { Campaign } from '../../decide/plan/campaign.js';
import { statesTakenBack } from '../../decide/lifecycle/send-state.js';
import { PlanProblemView } from '../read/plan-view.js';
import { RevisionDifference } from './revise.store.js';

export const REVISION_VERDICTS = ['takes-its-place', 'awaits-approval', 'rejected'] as const;

export const RevisionPreview = z
  .object({
    verdict: z.enum(REVISION_VERDICTS).describe('What becomes of it once it is planned'),
    reasons: listOf(PlanProblemView).describe('Why it would be rejected'),
    difference: RevisionDifference.nullable().describe('null: it cannot be planned'),
    atOnce: count.describe('Sends that it replaces or takes back at once: those that have not left'),
    askedOfPushService: count.describe('Sends that the push service holds, and is asked to give back first'),
    inFlight: count.describe('Sends whose answer is awaited: it decides'),
    tooLate: count.describe('Sends that are gone, or may be, and stay as they are'),
    late: z
      .object({
        expire: count.describe('Past what its lateness allows: it ends as expired'),
        send: count.describe('Goes out late'),
      })
      .describe('Sends of the revision whose time has passed, by what its policy does with them'),
    firstDueAt: z
      .date()
      .nullable()
      .describe('When the first send of the revision is due; null: it makes none'),
  })
  .meta({ id: 'RevisionPreview' });
export type RevisionPreview = z.output<typeof RevisionPreview>;

/** Counts what a revision of a campaign would do; stages.ts connects the stage that takes patches with the one that plans. */
export interface RevisionPreviewer {
  /** `after`: the data of the revision, as acceptance reads it. Undefined where the campaign is closed, or there is none. */
  preview(campaign: string, after: Campaign): Promise<RevisionPreview | undefined>;
}

export type RevisionCounts = Omit<RevisionPreview, 'verdict' | 'reasons' | 'difference'>;

const among = (how: 'at-once' | 'asks' | 'waits'): string =>
  `count(*) filter (where n.what in ('changed', 'gone') and s.state in ${sqlList(statesTakenBack(how))})::int`;
const IS_MADE = "n.what in ('changed', 'new')";

// Indexes send_next_pkey and send_cell. compareRevision() has left out what stays as it is.
const COUNTS = `
select ${among('at-once')} as "atOnce", ${among('asks')} as "askedOfPushService", ${among('waits')} as "inFlight",
       count(*) filter (where ${IS_MADE} and n.state = 'expired')::int as expire,
       count(*) filter (where ${IS_MADE} and n.state = 'planned' and n.due_at < $3)::int as send,
       min(n.due_at) filter (where ${IS_MADE} and n.state = 'planned') as "firstDueAt"
  from send_next n
  left join send_open s on s.campaign = $1 and s.occurrence = n.occurrence and s.cell = n.cell and s.chunk = n.chunk and s.next_send is null
 where n.campaign = $2`;

/** `beside`: the id under which the planned rows lie. */
export async function countRevision(
  sql: Sql,
  { campaign, beside, now }: { readonly campaign: string; readonly beside: string; readonly now: Date },
): Promise<Omit<RevisionCounts, 'tooLate'>> {
  const row = await firstRow<Omit<RevisionCounts, 'late' | 'tooLate'> & RevisionCounts['late']>(sql, COUNTS, [
    campaign,
    beside,
    now,
  ]);
  if (row === undefined) throw new Error('a count has no row');
  const { expire, send, ...counts } = row;
  return { ...counts, late: { expire, send } };
}
