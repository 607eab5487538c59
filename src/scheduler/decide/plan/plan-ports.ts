// A campaign that is not published yet, as a dry run gets it, and two ports through which stages ask each other about one:
// stages never import each other, so stages.ts connects them.
import type { Campaign } from './campaign.js';
import type { HashedMember } from './plan-hash.js';
import type { PlanProblem, PlanWarning } from './plan-types.js';

export type CampaignDraft =
  | { readonly kind: 'campaign'; readonly campaign: Campaign }
  /** Every reason for which acceptance would reject it, with pointers into the input. */
  | { readonly kind: 'rejected'; readonly reasons: readonly PlanProblem[] }
  /** Its push project does not exist, or belongs to somebody else: the answer does not say which. */
  | { readonly kind: 'unknown-service' };

/** The caller for whom a draft is read. */
export interface DraftCaller {
  readonly tokenId: string;
  readonly holds: (serviceId: string) => boolean;
  /** The version of its list that stays; left out: the one that counts now. */
  readonly listVersion?: string | undefined;
}

/** Reads the data of a scheduled event, or the whole event, by the rules of acceptance. */
export interface DraftReader {
  read(bytes: Uint8Array, caller: DraftCaller): Promise<CampaignDraft>;
}

/** How the plan that a campaign would get now differs from the plan whose hash it names. */
export interface PlanDifference {
  readonly planHash: string;
  /** The members of the plan that are not as they were previewed; empty only where that is not known. */
  readonly changed: readonly HashedMember[];
  /** The number of cells that differ; the first hundred are listed. */
  readonly cellsChanged: number;
  readonly cells: readonly {
    readonly occurrence: string;
    readonly cell: string;
    readonly was: unknown;
    readonly is: unknown;
  }[];
  /** False where the previewed plan is no longer stored, so that nobody can say what changed. */
  readonly known: boolean;
}

export interface PlanChecker {
  /** Undefined where the campaign names no planHash, or would be planned as it was previewed. */
  changed(campaign: Campaign): Promise<PlanDifference | undefined>;
  /** The warnings of a dry run that stores nothing and looks nothing up; none where the project no longer exists. */
  warnings(campaign: Campaign): Promise<readonly PlanWarning[]>;
}

/** Looks up, for a preview, the zones that a campaign's plan would need. */
export interface LookUps {
  /** Ends after a short time, whatever is known by then. Never throws because of a gateway. */
  lookUp(campaign: Campaign): Promise<void>;
}
