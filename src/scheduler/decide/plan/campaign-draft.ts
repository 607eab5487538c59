// A campaign that nobody has published yet, as a dry run is given it; and the two questions that stages ask each other
// about one. Stages never import each other: wire.ts hands each the other's answer by these ports.
import type { Campaign } from './campaign.js';
import type { PlanProblem, PlanWarning } from './plan-types.js';

export type CampaignDraft =
  | { readonly kind: 'campaign'; readonly campaign: Campaign }
  /** Whatever acceptance would reject it for; pointers into what was given. */
  | { readonly kind: 'rejected'; readonly reasons: readonly PlanProblem[] }
  /** Its push project is not there, or not the caller's: the two are not told apart. */
  | { readonly kind: 'unknown-service' };

/** Reads the data of a scheduled event, or a whole event, by the rules of acceptance. */
export interface DraftReader {
  read(bytes: Uint8Array, holds: (serviceId: string) => boolean): Promise<CampaignDraft>;
}

/** How the plan that a campaign would get now differs from the one whose hash it names. */
export interface PlanDifference {
  readonly planHash: string;
  /** Cells of the two that are not alike; the first hundred are listed. */
  readonly cellsChanged: number;
  readonly cells: readonly {
    readonly occurrence: string;
    readonly cell: string;
    readonly was: unknown;
    readonly is: unknown;
  }[];
  /** False where the previewed plan is not kept any more: it cannot be said what changed. */
  readonly known: boolean;
}

export interface PlanChecker {
  /** Undefined where a campaign names no planHash, or would be planned as it was previewed. */
  changed(campaign: Campaign): Promise<PlanDifference | undefined>;
  /** Of a dry run, which keeps nothing and looks nothing up. None where the project is not there any more. */
  warnings(campaign: Campaign): Promise<readonly PlanWarning[]>;
}
