// The states of campaigns and their occurrences, and every arrow between them. A test compares them with life-of-a-send.md,
// "Campaign: arrows", and with the database's own list. `paused` is a flag, not a state. Pure.

const CAMPAIGN = {
  accepted: ['planning', 'canceling'],
  planning: ['awaiting-approval', 'planned', 'rejected', 'canceling'],
  'awaiting-approval': ['planned', 'completed', 'expired', 'canceling'],
  planned: ['running', 'completed', 'expired', 'canceling'],
  running: ['completed', 'expired', 'canceling'],
  canceling: ['canceled'],
  completed: [],
  expired: [],
  canceled: [],
  rejected: [],
} as const satisfies Record<string, readonly string[]>;
export type CampaignState = keyof typeof CAMPAIGN;
export const CAMPAIGN_STATES = Object.keys(CAMPAIGN) as readonly CampaignState[];

/** What each state is to somebody who looks at a list. */
export const CAMPAIGN_KINDS = {
  accepted: 'waiting',
  planning: 'waiting',
  'awaiting-approval': 'approval',
  planned: 'scheduled',
  running: 'running',
  canceling: 'running',
  completed: 'completed',
  expired: 'too-late',
  canceled: 'canceled',
  rejected: 'rejected',
} as const satisfies Record<CampaignState, string>;

const OCCURRENCE = {
  planned: ['running', 'completed', 'expired', 'canceling'],
  running: ['completed', 'expired', 'canceling'],
  completed: [],
  expired: [],
  canceling: ['canceled'],
  canceled: [],
  skipped: [],
} as const satisfies Record<string, readonly string[]>;
type OccurrenceState = keyof typeof OCCURRENCE;
export const OCCURRENCE_STATES = Object.keys(OCCURRENCE) as readonly OccurrenceState[];

const campaignsThat = (test: (to: readonly CampaignState[]) => boolean): readonly CampaignState[] =>
  CAMPAIGN_STATES.filter((state) => test(CAMPAIGN[state]));
const occurrencesThat = (test: (to: readonly OccurrenceState[]) => boolean): readonly OccurrenceState[] =>
  OCCURRENCE_STATES.filter((state) => test(OCCURRENCE[state]));

/** They never reopen; a retry in one does not change its state. */
export const CLOSED_CAMPAIGN = campaignsThat((to) => to.length === 0);
export const CANCELABLE_CAMPAIGN = campaignsThat((to) => to.includes('canceling'));

export const isCancelable = (state: string): boolean =>
  (CANCELABLE_CAMPAIGN as readonly string[]).includes(state);

/** Campaigns that the closer ends once all of their sends have ended. */
export const FINISHABLE_CAMPAIGN = campaignsThat((to) => to.includes('completed'));
/** Campaigns that the planner may work on: for a first plan, or because a recurrence goes on. */
export const CAMPAIGN_IN_PLANNING = ['planning', ...FINISHABLE_CAMPAIGN] as const;

/** Campaigns for which a plan may be due: a first one, or one of a recurrence's next occurrences. */
export const PLANNABLE_CAMPAIGN = ['accepted', ...CAMPAIGN_IN_PLANNING] as const;

export const OPEN_OCCURRENCE = occurrencesThat((to) => to.length > 0);
export const CANCELABLE_OCCURRENCE = occurrencesThat((to) => to.includes('canceling'));

/** States in which a campaign ends together with its occurrences and their sums; a rejected campaign has none. */
export const ENDED_WITH_OCCURRENCES = CLOSED_CAMPAIGN.filter((state) =>
  (OCCURRENCE_STATES as readonly string[]).includes(state),
);
/** States in which the closer ended the campaign: all of its sends had their chance. */
export const FINISHED_STATES = CLOSED_CAMPAIGN.filter((state) =>
  (CAMPAIGN.running as readonly string[]).includes(state),
);

export const isFinished = (state: string): boolean => (FINISHED_STATES as readonly string[]).includes(state);

/** States of a campaign or an occurrence whose cancel was requested, or is confirmed. */
export const CANCELED_STATES = ['canceling', 'canceled'] as const;

export function isCanceled(state: string | null): boolean {
  return (CANCELED_STATES as readonly (string | null)[]).includes(state);
}

/** Every pair (from, to), as the database's `campaign_transition` must hold them. */
export function campaignArrows(): readonly (readonly [from: CampaignState, to: CampaignState])[] {
  return CAMPAIGN_STATES.flatMap((from) => CAMPAIGN[from].map((to) => [from, to] as const));
}
