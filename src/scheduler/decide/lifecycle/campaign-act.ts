// The acts that change a campaign after it was taken: what each wants its sends to become, and how strict it is
// (campaign-events.md, "Order of acts"). Pure.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendGoal } from './send-state.js';

interface ActFacts {
  /** What the sends become that have not left; null: they are planned again. */
  readonly goal: SendGoal | null;
  /** An act that arrives late counts only against one that is less strict. */
  readonly strictness: number;
  /** Begins the code of what it did. */
  readonly past: 'CANCELED' | 'PAUSED' | 'RESUMED';
}

export const CAMPAIGN_ACTS = {
  cancel: { goal: 'canceled', strictness: 2, past: 'CANCELED' },
  pause: { goal: 'held', strictness: 1, past: 'PAUSED' },
  resume: { goal: null, strictness: 0, past: 'RESUMED' },
} as const satisfies Record<string, ActFacts>;
export type CampaignAct = keyof typeof CAMPAIGN_ACTS;
export const ACT_NAMES = Object.keys(CAMPAIGN_ACTS) as readonly CampaignAct[];

/** What people answer to a campaign that awaits approval. No event says it. A decline is a cancel with a code of its own. */
export const APPROVAL_ACTS = ['approve', 'decline'] as const;
export type ApprovalAct = (typeof APPROVAL_ACTS)[number];
/** Everything that people do to a campaign by hand. */
export const HAND_ACTS = [...ACT_NAMES, ...APPROVAL_ACTS] as const;
export type HandAct = (typeof HAND_ACTS)[number];

/** The code of a campaign that somebody declined. */
export const DECLINED = 'DECLINED';

/** A revision takes the place of the one in force. It is the mildest act: its goal is `held` while it looks, then `superseded`. */
export const REVISE = 'revise';

/**
 * What holds a campaign back: an act, that it awaits approval, or the stop of its project with a recall. Each is released by itself.
 * `revision`: the act `revise`, which holds back only the sends that it changes.
 */
export const MARKS = ['act', 'approval', 'stop', 'revision'] as const;
export type Mark = (typeof MARKS)[number];

/** What a row of campaign_act is called: the act, an approval, a revision, or the stop of the project with a recall and the start that ends it. */
export const MARKED_ACTS = [...ACT_NAMES, 'approve', REVISE, 'recall', 'start'] as const;
export type MarkedAct = (typeof MARKED_ACTS)[number];

/** What may be in force of a campaign: its schedule, or an act. */
export interface ActAt {
  readonly act: CampaignAct | 'schedule';
  /** The CloudEvents time of an event; of an act by hand its arrival. */
  readonly time: EpochMs;
}

/** Producers' clocks have whole seconds and differ: an act may be so much older than another and still be made after it. */
export const CLOCK_SKEW_MS = 60_000;

const strictnessOf = (act: ActAt['act']): number => (act === 'schedule' ? 0 : CAMPAIGN_ACTS[act].strictness);

/** Whether an act that arrives after `newest`, the newest that counts, came too late to change anything. */
export function isSuperseded({ act, time }: ActAt, newest: ActAt): boolean {
  if (time > newest.time) return false;
  const isStricter = strictnessOf(act) > strictnessOf(newest.act);
  return !isStricter || time < newest.time - CLOCK_SKEW_MS;
}
