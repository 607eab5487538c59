// A send's states and every arrow between them (docs/lifecycle.md draws the same; a test compares the two, and the
// database's own list). Pure: it decides which state follows an observation, never performs the change.

export const SEND_STATES = [
  'planned',
  'sending',
  'accepted',
  'reserved',
  'scheduled',
  'canceling',
  'held',
  'uncertain',
  'sent',
  'failed',
  'empty',
  'stale',
  'rejected',
  'canceled',
  'expired',
  'skipped',
  'superseded',
] as const;
export type SendState = (typeof SEND_STATES)[number];

/** Nothing follows these but a retry, which is a send of its own. */
export const FINAL_STATES = [
  'sent',
  'failed',
  'empty',
  'stale',
  'rejected',
  'canceled',
  'expired',
  'skipped',
  'superseded',
] as const satisfies readonly SendState[];

/** Ended states an operator may retry (life-of-a-send.md, the last arrow). */
export const RETRYABLE_STATES = [
  'failed',
  'stale',
  'rejected',
  'expired',
] as const satisfies readonly SendState[];

/** States a send may be born in: a cell that planning already leaves out is born ended. */
export const BIRTH_STATES = ['planned', 'expired', 'skipped'] as const satisfies readonly SendState[];

/** What a cancel, a pause or a revision wants of a send that may have left. It only ever rises, in this order. */
export const SEND_GOALS = ['held', 'superseded', 'canceled'] as const;
export type SendGoal = (typeof SEND_GOALS)[number];

export const OBSERVATIONS = [
  'fired',
  'answered-success',
  'answered-reserved',
  'answered-scheduled',
  'refused',
  'not-sent',
  'fate-unknown',
  'result-sent',
  'result-failed',
  'result-empty',
  'reservation-done',
  'reservation-fail',
  'reservation-stale',
  'reservation-canceled',
  'schedule-ended',
  'window-over',
  'cancel-asked',
  'cancel-confirmed',
  'cancel-too-late-reserved',
  'cancel-too-late-scheduled',
  'taken-back',
  'expired',
  'skipped',
  'released',
  'proved-not-sent',
  'confirmed-sent',
  'confirmed-not-sent',
] as const;
export type Observation = (typeof OBSERVATIONS)[number];

/** Where an arrow leads; `goal` is the state that the cancel, pause or revision asked for. */
type Arrow = SendState | 'goal';

/**
 * The whole table. An observation that is not listed for a state changes nothing and is not an error: it came late
 * (an answer for a send that an operator resolved, a cancel of one that has ended).
 */
const TRANSITIONS: Readonly<Record<SendState, Partial<Record<Observation, Arrow>>>> = {
  planned: { fired: 'sending', 'taken-back': 'goal', expired: 'expired', skipped: 'skipped' },
  sending: {
    'answered-success': 'accepted',
    'answered-reserved': 'reserved',
    'answered-scheduled': 'scheduled',
    refused: 'rejected',
    'not-sent': 'planned',
    'fate-unknown': 'uncertain',
    // Asked to cancel, hold or supersede while the call was on the wire, and the answer proved that nothing went.
    'taken-back': 'goal',
  },
  accepted: {
    'result-sent': 'sent',
    'result-failed': 'failed',
    'result-empty': 'empty',
    'window-over': 'uncertain',
  },
  reserved: {
    'reservation-done': 'accepted',
    'reservation-fail': 'failed',
    'reservation-stale': 'stale',
    'reservation-canceled': 'canceled',
    'cancel-asked': 'canceling',
    'window-over': 'uncertain',
  },
  scheduled: {
    'result-sent': 'sent',
    'result-failed': 'failed',
    'result-empty': 'empty',
    'schedule-ended': 'canceled',
    'cancel-asked': 'canceling',
  },
  canceling: {
    'cancel-confirmed': 'goal',
    'cancel-too-late-reserved': 'reserved',
    'cancel-too-late-scheduled': 'scheduled',
  },
  held: { released: 'planned', 'taken-back': 'goal', expired: 'expired' },
  uncertain: {
    'answered-success': 'accepted',
    'answered-reserved': 'reserved',
    'answered-scheduled': 'scheduled',
    'proved-not-sent': 'planned',
    'result-sent': 'sent',
    'result-failed': 'failed',
    'result-empty': 'empty',
    'confirmed-sent': 'sent',
    'confirmed-not-sent': 'failed',
  },
  sent: {},
  failed: {},
  empty: {},
  stale: {},
  rejected: {},
  canceled: {},
  expired: {},
  skipped: {},
  superseded: {},
};

/** The state that follows, or undefined where the observation has no arrow from `state`. */
export function nextState(
  state: SendState,
  observation: Observation,
  goal?: SendGoal,
): SendState | undefined {
  const arrow = TRANSITIONS[state][observation];
  if (arrow !== 'goal') return arrow;
  // held ▶ held would be no change; an arrow to the goal needs a goal.
  return goal === state ? undefined : goal;
}

/** The goal that stands once `asked` is asked on top of `standing`: it may only rise. */
export function raiseGoal(standing: SendGoal | undefined, asked: SendGoal): SendGoal {
  if (standing === undefined) return asked;
  return SEND_GOALS.indexOf(asked) > SEND_GOALS.indexOf(standing) ? asked : standing;
}

/** Every pair (from, to) the table allows: what the database's `send_transition` must hold. */
export function allArrows(): readonly (readonly [from: SendState, to: SendState])[] {
  const pairs = new Map<string, readonly [SendState, SendState]>();
  for (const from of SEND_STATES) {
    for (const observation of OBSERVATIONS) {
      for (const goal of [undefined, ...SEND_GOALS]) {
        const to = nextState(from, observation, goal);
        if (to !== undefined && to !== from) pairs.set(`${from} ${to}`, [from, to]);
      }
    }
  }
  return [...pairs.values()];
}

export function isFinal(state: SendState): boolean {
  return (FINAL_STATES as readonly SendState[]).includes(state);
}
