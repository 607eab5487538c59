// The states of campaigns and their occurrences, and every arrow between them (life-of-a-send.md, "Campaign: arrows", lists the same; a test
// compares the two, and the database's own list). `paused` is a flag beside the state. Pure.

export const CAMPAIGN_STATES = [
  'accepted',
  'planning',
  'awaiting-approval',
  'planned',
  'running',
  'canceling',
  'completed',
  'expired',
  'canceled',
  'rejected',
] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

const CAMPAIGN: Readonly<Record<CampaignState, readonly CampaignState[]>> = {
  accepted: ['planning', 'canceling'],
  planning: ['awaiting-approval', 'planned', 'rejected', 'canceling'],
  'awaiting-approval': ['planned', 'expired', 'canceling'],
  planned: ['running', 'completed', 'expired', 'canceling'],
  running: ['completed', 'expired', 'canceling'],
  canceling: ['canceled'],
  completed: [],
  expired: [],
  canceled: [],
  rejected: [],
};

export const OCCURRENCE_STATES = [
  'planned',
  'running',
  'completed',
  'expired',
  'canceling',
  'canceled',
  'skipped',
] as const;
export type OccurrenceState = (typeof OCCURRENCE_STATES)[number];

const OCCURRENCE: Readonly<Record<OccurrenceState, readonly OccurrenceState[]>> = {
  planned: ['running', 'completed', 'expired', 'canceling'],
  running: ['completed', 'expired', 'canceling'],
  canceling: ['canceled'],
  completed: [],
  expired: [],
  canceled: [],
  skipped: [],
};

const campaignsThat = (said: (to: readonly CampaignState[]) => boolean): readonly CampaignState[] =>
  CAMPAIGN_STATES.filter((state) => said(CAMPAIGN[state]));
const occurrencesThat = (said: (to: readonly OccurrenceState[]) => boolean): readonly OccurrenceState[] =>
  OCCURRENCE_STATES.filter((state) => said(OCCURRENCE[state]));

/** They never reopen; a retry in one leaves its state. */
export const CLOSED_CAMPAIGN = campaignsThat((to) => to.length === 0);
export const CANCELABLE_CAMPAIGN = campaignsThat((to) => to.includes('canceling'));
/** All of their sends may be over: what the closer ends. */
export const FINISHABLE_CAMPAIGN = campaignsThat((to) => to.includes('completed'));
/** The planner has them: a first plan, or a recurrence that goes on. */
export const CAMPAIGN_IN_PLANNING = ['planning', ...FINISHABLE_CAMPAIGN] as const;

export const OPEN_OCCURRENCE = occurrencesThat((to) => to.length > 0);
export const CANCELABLE_OCCURRENCE = occurrencesThat((to) => to.includes('canceling'));

/** Of a campaign or an occurrence: a cancel was asked, or is confirmed. */
export const CANCELED_STATES = ['canceling', 'canceled'] as const;

export function isCanceled(state: string | null): boolean {
  return (CANCELED_STATES as readonly (string | null)[]).includes(state);
}

/** Every pair (from, to): what the database's `campaign_transition` must hold. */
export function campaignArrows(): readonly (readonly [from: CampaignState, to: CampaignState])[] {
  return CAMPAIGN_STATES.flatMap((from) => CAMPAIGN[from].map((to) => [from, to] as const));
}
