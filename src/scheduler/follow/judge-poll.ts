// From what a poll found to what is written down of it: the next state by the table, or when to poll again
// (life-of-a-send.md, "Following"). Pure.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import {
  nextReservationPoll,
  nextResultPoll,
  nextStandingPoll,
  uncertainWaitMs,
  type NextPoll,
} from '../decide/lifecycle/next-poll.js';
import { nextState, type Observation } from '../decide/lifecycle/send-state.js';
import type { DuePoll, PollRow } from '../store/send/poll.store.js';
import type { ReserveStatus } from '../../push-contract/statuses.js';
import type { CancelReading, ReservationReading } from '../push-client/answers/read-reservation.js';
import type { ResultReading } from '../push-client/answers/read-result.js';

export interface PollFacts {
  readonly now: EpochMs;
  readonly learnedGapMs: number;
  /** How long a status may stay short of final. */
  readonly windowMs: number;
  /** Reads a completeTime on the gateway's clock. */
  readonly instantOf: (localTime: string) => EpochMs | null;
}

/** A cancel is asked again after this, doubling; real answers come sooner than that. */
const CANCEL_AGAIN_MS = 2_000;
const CANCEL_AGAIN_CAP_MS = 300_000;

/** Of a row: no answer told anything. */
export const NOTHING_SEEN = {
  gatewayStatus: null,
  targetCount: null,
  sentCount: null,
  completeTime: null,
  dropsGoal: false,
  goal: null,
  call: null,
} as const satisfies Partial<PollRow>;

/** Nothing changes and nothing is known yet; the base of every row. */
export function stay(poll: DuePoll, { now }: Pick<PollFacts, 'now'>): PollRow {
  return {
    id: poll.id,
    isStanding: poll.mode === 'scheduled',
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

function move(
  row: PollRow,
  poll: DuePoll,
  observation: Observation,
  code: string | null,
  detail: string | null = null,
): PollRow {
  // The goal is the database's to fill in: it may rise while we poll.
  const to = observation === 'cancel-confirmed' ? 'goal' : nextState(poll.state, observation);
  if (to === undefined) throw new Error(`${poll.state} has no arrow for ${observation}`);
  const nextAt = to === 'uncertain' ? row.at + uncertainWaitMs(poll.requestId) : null;
  return { ...row, to, code, detail, polls: 0, nextAt };
}

/** Looks again at the next instant; over its window it becomes uncertain. */
function again(row: PollRow, poll: DuePoll, next: NextPoll, polls: number, facts: PollFacts): PollRow {
  if (next.kind === 'at') return { ...row, nextAt: next.at, polls };
  return move(row, poll, 'window-over', 'NO_FINAL_STATUS', `not final ${facts.windowMs} ms on`);
}

/** What ends a reservation; of another status it is asked again. */
const RESERVATION_ENDS: Partial<Record<ReserveStatus, readonly [Observation, code: string | null]>> = {
  DONE: ['reservation-done', null],
  FAIL: ['reservation-fail', 'RESERVATION_FAILED'],
  STALE: ['reservation-stale', 'RESERVATION_STALE'],
  CANCELED: ['reservation-canceled', 'CANCELED_ELSEWHERE'],
};

export function judgeReservation(poll: DuePoll, reading: ReservationReading, facts: PollFacts): PollRow {
  const row = stay(poll, facts);
  if (reading.kind === 'unread') return laterReservation({ ...row, detail: reading.detail }, poll, facts);
  const seen = { ...row, gatewayStatus: reading.status };
  const end = reading.kind === 'status' ? RESERVATION_ENDS[reading.status] : undefined;
  if (end === undefined) return laterReservation(seen, poll, facts);
  const moved = move(seen, poll, ...end);
  // Its result is asked for at once.
  return reading.status === 'DONE' ? { ...moved, nextAt: facts.now } : moved;
}

function laterReservation(row: PollRow, poll: DuePoll, facts: PollFacts): PollRow {
  const dueAt = poll.dueAt ?? poll.handedOffAt;
  const sinceDue = facts.now >= dueAt + 5_000;
  const { now, windowMs } = facts;
  const next = nextReservationPoll({
    now,
    handedOffAt: poll.handedOffAt,
    dueAt,
    pollsSinceDue: poll.polls,
    windowMs,
  });
  return again(row, poll, next, sinceDue ? poll.polls + 1 : 0, facts);
}

export function judgeResult(poll: DuePoll, reading: ResultReading, facts: PollFacts): PollRow {
  const row = stay(poll, facts);
  if (reading.kind === 'unread') return laterResult({ ...row, detail: reading.detail }, poll, facts);
  const { status, targetCount, sentCount } = reading;
  const seen = { ...row, gatewayStatus: status, targetCount, sentCount };
  if (reading.kind === 'pending') return laterResult(seen, poll, facts);
  // 499 ends a standing message; of one accepted it is a failure like others.
  const observation =
    reading.observation === 'schedule-ended' && poll.state !== 'scheduled'
      ? 'result-failed'
      : reading.observation;
  const completeTime = reading.completeTime === null ? null : facts.instantOf(reading.completeTime);
  return { ...move(seen, poll, observation, reading.code), completeTime };
}

function laterResult(row: PollRow, poll: DuePoll, facts: PollFacts): PollRow {
  const { now, learnedGapMs, windowMs } = facts;
  const polls = poll.polls + 1;
  if (poll.state === 'scheduled') return { ...row, nextAt: nextStandingPoll(now, poll.until), polls };
  return again(
    row,
    poll,
    nextResultPoll({ now, acceptedAt: poll.stateAt, polls, learnedGapMs, windowMs }),
    polls,
    facts,
  );
}

/** Too early for a first poll, as results of this project go: asked once most of them are final. */
export function postponeResult(poll: DuePoll, facts: PollFacts): PollRow | undefined {
  const first = poll.stateAt + facts.learnedGapMs;
  const early = poll.state === 'accepted' && poll.polls === 0 && facts.now < first;
  return early ? { ...stay(poll, facts), nextAt: first } : undefined;
}

/** A standing message at its `until`, or one that was asked back while its call was on the wire. */
export function askCancelOf(poll: DuePoll, facts: PollFacts): PollRow | undefined {
  if (poll.state !== 'scheduled' && poll.state !== 'reserved') return undefined;
  const ends = poll.until !== null && poll.until <= facts.now;
  if (poll.goal === null && !ends) return undefined;
  const code = poll.goal === null ? 'UNTIL_REACHED' : 'CANCELED';
  const asked = move(stay(poll, facts), poll, 'cancel-asked', code);
  return { ...asked, goal: poll.goal ?? 'canceled', nextAt: facts.now };
}

/** The row of a cancel, with what was asked after it where its answer proved nothing. */
export function judgeCancel(
  poll: DuePoll,
  cancel: CancelReading,
  after: ReservationReading | ResultReading | undefined,
  facts: PollFacts,
): PollRow {
  const row = { ...stay(poll, facts), ...countsOf(after) };
  if (cancel.kind === 'confirmed') return move(row, poll, 'cancel-confirmed', null);
  const waited = Math.min(CANCEL_AGAIN_MS * 2 ** Math.min(poll.polls, 20), CANCEL_AGAIN_CAP_MS);
  const askAgain =
    poll.mode !== 'scheduled' && facts.now >= (poll.dueAt ?? poll.handedOffAt) + facts.windowMs
      ? givenUp(row, poll, facts)
      : { ...row, nextAt: facts.now + waited, polls: poll.polls + 1, detail: cancel.detail };
  if (after === undefined || after.kind === 'unread') return askAgain;
  if (poll.mode === 'scheduled') {
    return after.kind === 'final' ? move(row, poll, 'cancel-confirmed', null) : askAgain;
  }
  if (after.kind !== 'status')
    return after.kind === 'unknown-status' ? { ...askAgain, gatewayStatus: after.status } : askAgain;
  const seen = { ...row, gatewayStatus: after.status };
  if (after.status === 'CANCELED') return move(seen, poll, 'cancel-confirmed', null);
  if (after.status === 'READY') return { ...askAgain, gatewayStatus: after.status };
  // PROCESSING and later: it goes out, or went. What it came to is read as of any reservation.
  const late = move(seen, poll, 'cancel-too-late-reserved', 'CANCEL_TOO_LATE');
  return { ...late, nextAt: facts.now, dropsGoal: true };
}

/**
 * A reservation whose window is over, and still nobody says whether it was cancelled: followed as one that was not, which
 * its window ends as uncertain, so that its campaign ends and operators see it.
 */
function givenUp(row: PollRow, poll: DuePoll, facts: PollFacts): PollRow {
  const late = move(
    row,
    poll,
    'cancel-too-late-reserved',
    'CANCEL_UNCONFIRMED',
    `not confirmed ${facts.windowMs} ms on`,
  );
  return { ...late, nextAt: facts.now, dropsGoal: true };
}

/** What a standing message has come to so far; nothing for a reservation, which never fired. */
function countsOf(
  after: ReservationReading | ResultReading | undefined,
): Partial<Pick<PollRow, 'targetCount' | 'sentCount' | 'gatewayStatus'>> {
  if (after?.kind !== 'final' && after?.kind !== 'pending') return {};
  return { targetCount: after.targetCount, sentCount: after.sentCount, gatewayStatus: after.status };
}

const LONGEST_UNCERTAIN_GAP_MS = 3_600_000;
/** Then only an operator's word ends it. */
const UNCERTAIN_ASKED_FOR_MS = 7 * 86_400_000;

/**
 * Of an uncertain send whose requestId is known, the result is asked for (life-of-a-send.md, "a result after all"): the answer
 * named another status than was asked for, or nothing was final within the window. Only a final result moves it; of one that is not, its reason stays and it is asked again, ever more rarely.
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
 * A poll that came to nothing by a fault of ours: it could not be made, or the database will not have what it found. The send
 * stays as it is, says why, and is asked about again, ever more rarely, until somebody has mended it. Nothing of what was
 * found is in it: any of that may be what was refused.
 */
export function askAgainRow(row: PollRow, why: string, now: EpochMs): PollRow {
  return {
    ...row,
    ...NOTHING_SEEN,
    to: null,
    code: null,
    detail: `${why}; it is asked again`,
    at: now,
    nextAt: now + Math.min(FIRST_REFUSED_GAP_MS * 2 ** row.pollsBefore, LONGEST_REFUSED_GAP_MS),
    polls: row.pollsBefore + 1,
  };
}
