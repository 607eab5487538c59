// The states of a send and every arrow between them. A test compares them with life-of-a-send.md, "Send: arrows", and with the
// database's own list. Pure: decides which state follows an observation; never performs the change.

/** What an act on a campaign wants of its sends (campaign-act.ts). A goal is only replaced by a later one of this list. */
export const SEND_GOALS = ['held', 'superseded', 'canceled'] as const;
export type SendGoal = (typeof SEND_GOALS)[number];

/** The properties of a state. A property that is not given is false. */
interface StateFacts<State extends string = string> {
  /** A send may begin in it. The sends of a cell that planning leaves out begin in an ended state. */
  readonly born?: true;
  /** Nothing follows except a retry, which is another send. */
  readonly ended?: true;
  /** It is published as an outcome. */
  readonly published?: true;
  /** The send was handed off, so its campaign runs. */
  readonly begun?: true;
  /** The operators' list shows it. */
  readonly attention?: true;
  /** An operator may retry it (campaigns.md, "Operators"). */
  readonly retryable?: true;
  /**
   * How an act on its campaign takes it back: `at-once`; it `asks` the push service to cancel it; or it `waits` for the answer to a call
   * in flight, after which the goal decides. Not given: it is too late.
   */
  readonly takeBack?: TakeBack;
  /** Its due and requestId may still change after it was published, so its event keeps them. */
  readonly volatile?: true;
  /** The work on the send once it is due. */
  readonly work?: SendWork;
  /** What it is to somebody who looks at a list, where its term does not say it: see SEND_KINDS. */
  readonly kind?: 'waiting' | 'reserved' | 'paused';
  /** What the ledger and the reports count it as; null where another send took its place. */
  readonly term: SendTerm | null;
  /**
   * The state to which each observation leads. An observation that is not listed came late (an answer for a send that an operator
   * resolved, a cancel of a send that has ended): it changes nothing and is no error. `goal` is the state that the cancel, pause or
   * revision asked for.
   */
  readonly arrows?: Readonly<Record<string, State | 'goal'>>;
}

/** repeat: repeat the request of an uncertain send or, where its requestId is known, ask what became of it. */
type SendWork = 'fire' | 'poll' | 'cancel' | 'repeat';
export type TakeBack = 'at-once' | 'asks' | 'waits';

/** What a chunk counts as in the ledger and the reports. `standing`: attached to a schedule code. */
export const SEND_TERMS = [
  'sent',
  'empty',
  'failed',
  'stale',
  'rejected',
  'canceled',
  'expired',
  'skipped',
  'uncertain',
  'standing',
  'open',
] as const;
export type SendTerm = (typeof SEND_TERMS)[number];

/** `left-out`: nobody got it, and it was meant so. `failed`: nobody got it, and somebody should look. */
const KIND_OF_TERM = {
  open: 'on-its-way',
  standing: 'standing',
  sent: 'sent',
  empty: 'empty',
  failed: 'failed',
  stale: 'failed',
  rejected: 'failed',
  canceled: 'left-out',
  skipped: 'left-out',
  expired: 'too-late',
  uncertain: 'uncertain',
} as const satisfies Record<SendTerm, string>;
type SendKind = (typeof KIND_OF_TERM)[SendTerm] | NonNullable<StateFacts['kind']>;

const ANSWERED = {
  'answered-success': 'accepted',
  'answered-reserved': 'reserved',
  'answered-scheduled': 'scheduled',
} as const;

const RESULTS = { 'result-sent': 'sent', 'result-failed': 'failed', 'result-empty': 'empty' } as const;

/** The whole lifecycle: every list of states and observations, here and in the database, comes from it. */
const LIFECYCLE = {
  planned: {
    born: true,
    takeBack: 'at-once',
    work: 'fire',
    kind: 'waiting',
    term: 'open',
    arrows: { fired: 'sending', 'taken-back': 'goal', expired: 'expired', skipped: 'skipped' },
  },
  sending: {
    takeBack: 'waits',
    work: 'fire',
    term: 'open',
    arrows: {
      ...ANSWERED,
      refused: 'rejected',
      'not-sent': 'planned',
      'fate-unknown': 'uncertain',
      // A cancel, hold or revision came while the call was in flight, and the answer proved that nothing was sent.
      'taken-back': 'goal',
    },
  },
  accepted: {
    published: true,
    begun: true,
    work: 'poll',
    term: 'open',
    arrows: { ...RESULTS, 'window-over': 'uncertain' },
  },
  reserved: {
    published: true,
    begun: true,
    takeBack: 'asks',
    volatile: true,
    work: 'poll',
    kind: 'reserved',
    term: 'open',
    arrows: {
      'reservation-done': 'accepted',
      'reservation-fail': 'failed',
      'reservation-stale': 'stale',
      'reservation-canceled': 'canceled',
      'cancel-asked': 'canceling',
      'window-over': 'uncertain',
    },
  },
  scheduled: {
    published: true,
    begun: true,
    takeBack: 'asks',
    volatile: true,
    work: 'poll',
    term: 'standing',
    arrows: { ...RESULTS, 'schedule-ended': 'canceled', 'cancel-asked': 'canceling' },
  },
  canceling: {
    takeBack: 'waits',
    work: 'cancel',
    term: 'open',
    arrows: {
      'cancel-confirmed': 'goal',
      'cancel-too-late-reserved': 'reserved',
      'cancel-too-late-scheduled': 'scheduled',
    },
  },
  held: {
    takeBack: 'at-once',
    kind: 'paused',
    term: 'open',
    arrows: { released: 'planned', 'taken-back': 'goal', expired: 'expired' },
  },
  uncertain: {
    published: true,
    begun: true,
    attention: true,
    takeBack: 'waits',
    volatile: true,
    work: 'repeat',
    term: 'uncertain',
    arrows: {
      ...ANSWERED,
      'proved-not-sent': 'planned',
      'proved-too-late': 'failed',
      ...RESULTS,
      'confirmed-sent': 'sent',
      'confirmed-not-sent': 'failed',
    },
  },
  sent: { ended: true, published: true, begun: true, term: 'sent' },
  failed: { ended: true, published: true, begun: true, attention: true, retryable: true, term: 'failed' },
  empty: { ended: true, published: true, begun: true, term: 'empty' },
  stale: { ended: true, published: true, begun: true, attention: true, retryable: true, term: 'stale' },
  rejected: { ended: true, published: true, begun: true, attention: true, retryable: true, term: 'rejected' },
  canceled: { ended: true, published: true, term: 'canceled' },
  expired: { born: true, ended: true, published: true, attention: true, retryable: true, term: 'expired' },
  skipped: { born: true, ended: true, published: true, term: 'skipped' },
  superseded: { ended: true, published: true, term: null },
} as const satisfies Record<string, StateFacts>;

export type SendState = keyof typeof LIFECYCLE;
type ArrowsOf<Facts> = Facts extends { arrows: infer Arrows } ? keyof Arrows : never;
/** Something seen that may lead a send to another state. */
export type Observation = ArrowsOf<(typeof LIFECYCLE)[SendState]>;

/** The same, typed: each arrow leads to a state. */
const FACTS: Readonly<Record<SendState, StateFacts<SendState>>> = LIFECYCLE;

export const SEND_STATES = Object.keys(FACTS) as readonly SendState[];
export const OBSERVATIONS = [
  ...new Set(SEND_STATES.flatMap((state) => Object.keys(FACTS[state].arrows ?? {}))),
] as readonly Observation[];

/** The kind of each state, for people: many states are one kind to them. */
export const SEND_KINDS = Object.fromEntries(
  SEND_STATES.map((state) => {
    const { kind, term } = FACTS[state];
    return [state, kind ?? (term === null ? 'left-out' : KIND_OF_TERM[term])];
  }),
) as Readonly<Record<SendState, SendKind>>;

/** In the order of SEND_STATES. */
function statesThat(test: (facts: StateFacts) => boolean): readonly SendState[] {
  return SEND_STATES.filter((state) => test(FACTS[state]));
}

export const BIRTH_STATES = statesThat(({ born = false }) => born);
export const ENDED_STATES = statesThat(({ ended = false }) => ended);
export const PUBLISHED_STATES = statesThat(({ published = false }) => published);
export const BEGUN_STATES = statesThat(({ begun = false }) => begun);
export const ATTENTION_STATES = statesThat(({ attention = false }) => attention);
export const RETRYABLE_STATES = statesThat(({ retryable = false }) => retryable);
/** Neither ended nor uncertain. A campaign may close while sends are uncertain; a standing message keeps it open. */
export const OPEN_STATES = statesThat(({ ended = false, term }) => !ended && term !== 'uncertain');
/** The answer to a call may still decide what becomes of the send. */
export const AWAITED_STATES = statesThat(({ arrows = {} }) => 'answered-success' in arrows);
/** Ended before anything was handed off. */
export const UNSENT_STATES = statesThat(({ ended = false, begun = false }) => ended && !begun);
export const VOLATILE_STATES = statesThat(({ volatile = false }) => volatile);
/** An act on its campaign takes it back, now or after an answer. */
export const TAKEN_BACK_STATES = statesThat(({ takeBack }) => takeBack !== undefined);
/** A revision may still replace it, at once or once the answer to a call is known. */
export const REPLACEABLE_STATES = statesThat(
  ({ takeBack, term }) => takeBack !== undefined && term !== 'uncertain',
);
/** It has gone, may have gone, or ended: a revision leaves it as it is, and never sends its chunk again. */
export const GONE_STATES = statesThat(
  ({ takeBack, term }) => term !== null && (takeBack === undefined || term === 'uncertain'),
);
/** Counted nowhere: another send took its place. */
export const REPLACED_STATES = statesThat(({ term }) => term === null);

export const statesOfWork = (asked: SendWork): readonly SendState[] =>
  statesThat(({ work }) => work === asked);
export const statesTakenBack = (how: TakeBack): readonly SendState[] =>
  statesThat(({ takeBack }) => takeBack === how);
export const statesOfTerm = (asked: SendTerm): readonly SendState[] =>
  statesThat(({ term }) => term === asked);

/** The state that follows; undefined where the observation has no arrow from `state`. */
export function nextState(
  state: SendState,
  observation: Observation,
  goal?: SendGoal,
): SendState | undefined {
  const arrow = FACTS[state].arrows?.[observation];
  if (arrow !== 'goal') return arrow;
  // held ▶ held would be no change, and an arrow to the goal needs a goal.
  return goal === state ? undefined : goal;
}

/** Every pair (from, to) that is allowed, as the database's `send_transition` must hold them. */
export function allArrows(): readonly (readonly [from: SendState, to: SendState])[] {
  return SEND_STATES.flatMap((from) => {
    const arrows = new Set(
      Object.values(FACTS[from].arrows ?? {}).flatMap((to) => (to === 'goal' ? SEND_GOALS : [to])),
    );
    return [...arrows].filter((to) => to !== from).map((to) => [from, to] as const);
  });
}
