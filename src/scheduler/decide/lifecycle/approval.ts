// Judges what somebody answers to a campaign that awaits approval (campaigns.md, "Approve or decline a campaign"): whether it is the revision that they
// saw, and whether they are the ones to say so. Pure; store/approval.store.ts reads and writes the rows.
import type { CampaignState } from './campaign-state.js';
import { CANCELABLE_CAMPAIGN, isCanceled } from './campaign-state.js';
import { DECLINED, type ApprovalAct } from './campaign-act.js';

export interface ApprovalFacts {
  readonly state: CampaignState;
  /** Why the campaign is in its state. */
  readonly code: string | null;
  readonly revision: number;
  /** Of all that the approval is about. */
  readonly hash: string;
  /** The campaign's own policy asks for it. */
  readonly ownAccord: boolean;
  /** The project asks for it of all its campaigns. */
  readonly projectAsks: boolean;
  /** The token that published the revision; null: it came over Kafka. */
  readonly publishedBy: string | null;
}

export interface ApprovalGiven {
  readonly act: ApprovalAct;
  readonly tokenId: string;
  /** It is an operator; else a publisher of the service. */
  readonly isOperator: boolean;
  /** What was looked at; a decline need not say it. */
  readonly saw?: { readonly revision: number; readonly hash: string } | undefined;
}

export const APPROVAL_REFUSALS = [
  'CAMPAIGN_CLOSED',
  'NOT_PLANNED_YET',
  'APPROVED_ALREADY',
  'REVISION_CHANGED',
  'HASH_DIFFERS',
  'SAME_HAND',
] as const;

/** `asked`: it is to be done. `already`: it stands so, and nothing changes. `not-theirs`: it needs an operator. */
export type ApprovalJudgement =
  | { readonly kind: 'asked' | 'already' | 'not-theirs' }
  | {
      readonly kind: 'refused';
      readonly code: (typeof APPROVAL_REFUSALS)[number];
      readonly text: string;
    };

export function judgeApproval(facts: ApprovalFacts, given: ApprovalGiven): ApprovalJudgement {
  // Whoever asked for the approval of their own accord may release it: that is how people keep a draft.
  const isTheirs = facts.ownAccord && !facts.projectAsks;
  if (!given.isOperator && !isTheirs) return { kind: 'not-theirs' };
  return stateRefusal(facts, given) ?? sawRefusal(facts, given) ?? handRefusal(facts, given) ?? stands(facts);
}

/** To repeat an answer is no error. */
function stands({ state }: ApprovalFacts): ApprovalJudgement {
  return { kind: state === 'awaiting-approval' ? 'asked' : 'already' };
}

function stateRefusal({ state, code }: ApprovalFacts, { act }: ApprovalGiven): ApprovalJudgement | undefined {
  if (act === 'decline' && isCanceled(state) && code === DECLINED) return { kind: 'already' };
  if (!CANCELABLE_CAMPAIGN.includes(state)) return refused('CAMPAIGN_CLOSED', `it is ${state} already`);
  if (state === 'accepted' || state === 'planning')
    return refused('NOT_PLANNED_YET', 'it is not planned yet: there is no plan to answer to');
  if (act === 'decline' && state !== 'awaiting-approval')
    return refused('APPROVED_ALREADY', `it awaits no approval, it is ${state}: cancel it`);
  return undefined;
}

function sawRefusal(
  { revision, hash }: ApprovalFacts,
  { saw }: ApprovalGiven,
): ApprovalJudgement | undefined {
  if (saw === undefined) return undefined;
  if (saw.revision !== revision)
    return refused('REVISION_CHANGED', `its revision is ${revision}, not ${saw.revision}`);
  if (saw.hash === hash) return undefined;
  return refused('HASH_DIFFERS', 'this hash is not of what its revision sends: look at it once more');
}

function handRefusal(
  { projectAsks, publishedBy }: ApprovalFacts,
  { act, tokenId }: ApprovalGiven,
): ApprovalJudgement | undefined {
  if (act !== 'approve' || !projectAsks || publishedBy !== tokenId) return undefined;
  const text = 'its push project wants another token to approve it than the one that published it';
  return refused('SAME_HAND', text);
}

function refused(code: (typeof APPROVAL_REFUSALS)[number], text: string): ApprovalJudgement {
  return { kind: 'refused', code, text };
}
