// Turns the answer to a poll into the row that is written: the next state by the table of arrows, or when to poll again
// (hand-off.md, "Following"). Pure.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import {
  nextReservationPoll,
  nextResultPoll,
  nextStandingPoll,
  uncertainWaitMs,
} from '../decide/lifecycle/next-poll.js';
import { nextState, type Observation } from '../decide/lifecycle/send-state.js';
import type { PollRow } from '../store/send/poll.store.js';
import type { DuePoll } from '../store/send/read-work.store.js';
import type { ReserveStatus } from '../../push-contract/statuses.js';
import type { CancelReading, ReservationReading } from '../push-client/answers/read-reservation.js';
import type { ResultReading } from '../push-client/answers/read-result.js';

export interface PollFacts {
  readonly now: EpochMs;
  readonly learnedGapMs: number;
  /** The follow window: a status must be final within it, milliseconds. */
  readonly windowMs: number;
  /** Reads a completeTime in the gateway's zone. */
  readonly instantOf: (localTime: string) => EpochMs | null;
}

/** A cancel is repeated after this, doubling, milliseconds. */
const CANCEL_AGAIN_MS = 2_000;
const CANCEL_AGAIN_CAP_MS = 300_000;

/** The columns that an answer fills, all empty. */
export const NOTHING_SEEN = {
  gatewayStatus: null,
  targetCount: null,
  sentCount: null,
  completeTime: null,
  dropsGoal: false,
  goal: null,
  call: null,
} as const satisfies Partial<PollRow>;

/** The base of every row: the send stays as it is, and no answer fills a column. */
export function stay(poll: DuePoll, { now }: Pick<PollFacts, 'now'>): PollRow {
  return {
    id: poll.id,
    changes: poll.changes,
    pollsBefore: poll.polls,
    from: poll.state,
    to: null,
    code: null,
    detail: null,
    at: now,
    nextAt: now,
    polls: poll.polls,
    ...NOTHING_SEEN,
  };
}

/** The columns that the answer to a poll fills. */
type Seen = Partial<PollRow>;
/** Why a send moves, and the code and detail that are kept with it. */
type Move = readonly [Observation, code: string | null, detail?: string | null];

function move(
  poll: DuePoll,
  facts: PollFacts,
  [observation, code, detail = null]: Move,
  seen: Seen = {},
): PollRow {
  // The database writes the goal as the state: it may change while we poll.
  const to = observation === 'cancel-confirmed' ? 'goal' : nextState(poll.state, observation);
  if (to === undefined) throw new Error(`${poll.state} has no arrow for ${observation}`);
  const nextAt = to === 'uncertain' ? facts.now + uncertainWaitMs(poll.requestId) : null;
  return { ...stay(poll, facts), ...seen, to, code, detail, polls: 0, nextAt };
}

/** A status that is not final is asked for again; once its follow window is over, the send becomes uncertain. */
function later(poll: DuePoll, facts: PollFacts, seen: Seen): PollRow {
  const { now, learnedGapMs, windowMs } = facts;
  const { handedOffAt, dueAt } = poll;
  const polls = poll.polls + 1;
  const row = { ...stay(poll, facts), ...seen };
  if (poll.state === 'scheduled') return { ...row, nextAt: nextStandingPoll(now, poll.until), polls };
  const isReserved = poll.state === 'reserved';
  const next = isReserved
    ? nextReservationPoll({
        now,
        handedOffAt,
        dueAt: dueAt ?? handedOffAt,
        pollsSinceDue: poll.polls,
        windowMs,
      })
    : nextResultPoll({ now, acceptedAt: poll.stateAt, polls, learnedGapMs, windowMs });
  if (next.kind !== 'at')
    return move(poll, facts, ['window-over', 'NO_FINAL_STATUS', `not final after ${windowMs} ms`], seen);
  // Polls of a reservation are counted only from its due on.
  const isBeforeDue = isReserved && now < (dueAt ?? handedOffAt) + 5_000;
  return { ...row, nextAt: next.at, polls: isBeforeDue ? 0 : polls };
}

/** The statuses that end a reservation; with any other status it is asked about again. */
const RESERVATION_ENDS: Partial<Record<ReserveStatus, Move>> = {
  DONE: ['reservation-done', null],
  FAIL: ['reservation-fail', 'RESERVATION_FAILED'],
  STALE: ['reservation-stale', 'RESERVATION_STALE'],
  CANCELED: ['reservation-canceled', 'CANCELED_ELSEWHERE'],
};

export function judgeReservation(poll: DuePoll, reading: ReservationReading, facts: PollFacts): PollRow {
  if (reading.kind === 'unread') return later(poll, facts, { detail: reading.detail });
  const seen = { gatewayStatus: reading.status };
  const end = reading.kind === 'status' ? RESERVATION_ENDS[reading.status] : undefined;
  if (end === undefined) return later(poll, facts, seen);
  const moved = move(poll, facts, end, seen);
  // Its result is asked for at once.
  return reading.status === 'DONE' ? { ...moved, nextAt: facts.now } : moved;
}

export function judgeResult(poll: DuePoll, reading: ResultReading, facts: PollFacts): PollRow {
  if (reading.kind === 'unread') return later(poll, facts, { detail: reading.detail });
  const { status: gatewayStatus, targetCount, sentCount } = reading;
  const seen = { gatewayStatus, targetCount, sentCount };
  if (reading.kind === 'pending') return later(poll, facts, seen);
  // A 499 ends a standing message; for an accepted send it is a failure like others.
  const isEnded = reading.observation === 'schedule-ended' && poll.state !== 'scheduled';
  const observation = isEnded ? 'result-failed' : reading.observation;
  const completeTime = reading.completeTime === null ? null : facts.instantOf(reading.completeTime);
  return move(poll, facts, [observation, reading.code], { ...seen, completeTime });
}

/** Puts a first poll off that comes before most results of this project are final. */
export function postponeResult(poll: DuePoll, facts: PollFacts): PollRow | undefined {
  const first = poll.stateAt + facts.learnedGapMs;
  const early = poll.state === 'accepted' && poll.polls === 0 && facts.now < first;
  return early ? { ...stay(poll, facts), nextAt: first } : undefined;
}

/** Cancels a standing message at its `until`, and a send that got a goal while its call was in flight. */
export function askCancelOf(poll: DuePoll, facts: PollFacts): PollRow | undefined {
  if (poll.state !== 'scheduled' && poll.state !== 'reserved') return undefined;
  const ends = poll.until !== null && poll.until <= facts.now;
  if (poll.goal === null && !ends) return undefined;
  const asked = move(poll, facts, ['cancel-asked', poll.goal === null ? 'UNTIL_REACHED' : 'CANCELED']);
  return { ...asked, goal: poll.goal ?? 'canceled', nextAt: facts.now };
}

/** Judges the answer to a cancel. `after`: the status that was asked for after it, where its answer proved nothing. */
export function judgeCancel(
  poll: DuePoll,
  cancel: CancelReading,
  after: ReservationReading | ResultReading | undefined,
  facts: PollFacts,
): PollRow {
  const counts = countsOf(after);
  if (cancel.kind === 'confirmed') return move(poll, facts, ['cancel-confirmed', null], counts);
  if (after === undefined || after.kind === 'unread') return cancelAgain(poll, cancel, facts, counts);
  if (poll.mode === 'scheduled') {
    if (after.kind === 'final') return move(poll, facts, ['cancel-confirmed', null], counts);
    return cancelAgain(poll, cancel, facts, counts);
  }
  const seen = { ...counts, gatewayStatus: after.status };
  const status = after.kind === 'status' ? after.status : undefined;
  if (status === 'CANCELED') return move(poll, facts, ['cancel-confirmed', null], seen);
  if (status === undefined || status === 'READY') return cancelAgain(poll, cancel, facts, seen);
  // From PROCESSING on it goes out or has gone out.
  return tooLate(poll, facts, ['cancel-too-late-reserved', 'CANCEL_TOO_LATE'], seen);
}

/**
 * Cancels again later. If the follow window of a reservation is over and no answer has said whether it was cancelled, it is followed
 * like one that was not cancelled: the window makes it uncertain, so that its campaign ends and operators see it.
 */
function cancelAgain(poll: DuePoll, { detail }: CancelReading, facts: PollFacts, seen: Seen): PollRow {
  const { now, windowMs } = facts;
  if (poll.mode !== 'scheduled' && now >= (poll.dueAt ?? poll.handedOffAt) + windowMs) {
    const why = `not confirmed after ${windowMs} ms`;
    return tooLate(poll, facts, ['cancel-too-late-reserved', 'CANCEL_UNCONFIRMED', why], seen);
  }
  const waitMs = Math.min(CANCEL_AGAIN_MS * 2 ** Math.min(poll.polls, 20), CANCEL_AGAIN_CAP_MS);
  return { ...stay(poll, facts), ...seen, nextAt: now + waitMs, polls: poll.polls + 1, detail };
}

/** Drops the goal; the send is asked about at once, as any reservation. */
function tooLate(poll: DuePoll, facts: PollFacts, why: Move, seen: Seen): PollRow {
  return { ...move(poll, facts, why, seen), nextAt: facts.now, dropsGoal: true };
}

/** The counts of a standing message so far; none of a reservation, which never fired. */
function countsOf(after: ReservationReading | ResultReading | undefined): Seen {
  if (after?.kind !== 'final' && after?.kind !== 'pending') return {};
  return { targetCount: after.targetCount, sentCount: after.sentCount, gatewayStatus: after.status };
}

const LONGEST_UNCERTAIN_GAP_MS = 3_600_000;
/** After this only an operator can end it, milliseconds. */
const UNCERTAIN_ASKED_FOR_MS = 7 * 86_400_000;

/**
 * Judges the result of an uncertain send whose requestId is known (hand-off.md, "A result after all"): its answer had named another
 * status than was asked for, or its status was not final within the follow window. Only a final result moves it. Otherwise it keeps
 * its reason and is asked about again, with growing gaps.
 */
export function judgeUncertain(poll: DuePoll, reading: ResultReading, facts: PollFacts): PollRow {
  if (reading.kind === 'final') return judgeResult(poll, reading, facts);
  const waitMs = uncertainWaitMs(poll.requestId) * 2 ** Math.min(poll.polls + 1, 20);
  const nextAt = facts.now + Math.min(waitMs, LONGEST_UNCERTAIN_GAP_MS);
  return {
    ...stay(poll, facts),
    detail: poll.detail,
    nextAt: nextAt > poll.stateAt + UNCERTAIN_ASKED_FOR_MS ? null : nextAt,
    polls: poll.polls + 1,
    gatewayStatus: reading.kind === 'pending' ? reading.status : null,
  };
}

const FIRST_REFUSED_GAP_MS = 30_000;
const LONGEST_REFUSED_GAP_MS = 3_600_000;

/**
 * The row of a poll that failed on our side: it could not be made, or the database refuses its row. The send stays as it is, shows
 * why, and is asked about again, with growing gaps, until somebody has mended the fault. The row has nothing of the answer, because
 * any part of it may be the reason for the refusal.
 */
export function askAgainRow(row: PollRow, why: string, now: EpochMs): PollRow {
  return {
    ...row,
    ...NOTHING_SEEN,
    to: null,
    code: null,
    detail: `${why}; it will be made again`,
    at: now,
    nextAt: now + Math.min(FIRST_REFUSED_GAP_MS * 2 ** row.pollsBefore, LONGEST_REFUSED_GAP_MS),
    polls: row.pollsBefore + 1,
  };
}
