// From what a look found to what is written down of it: the next state by the table, or when to look again
// (life-of-a-send.md, "Following"). Pure.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import {
  nextReservationLook,
  nextResultLook,
  nextStandingLook,
  uncertainWaitMs,
  type NextLook,
} from '../decide/lifecycle/next-poll.js';
import { nextState, type Observation } from '../decide/lifecycle/send.js';
import type { DueLook, LookRow } from '../store/send/poll.store.js';
import type { CancelReading, ReservationReading } from '../push-client/answers/read-reservation.js';
import type { ResultReading } from '../push-client/answers/read-result.js';

export interface LookFacts {
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
} as const satisfies Partial<LookRow>;

/** Nothing changes and nothing is known yet; the base of every row. */
export function stay(look: DueLook, { now }: Pick<LookFacts, 'now'>): LookRow {
  return {
    id: look.id,
    isStanding: look.mode === 'scheduled',
    changes: look.changes,
    looksBefore: look.looks,
    from: look.state,
    to: null,
    code: null,
    detail: null,
    at: now,
    nextAt: now,
    looks: look.looks,
    ...NOTHING_SEEN,
  };
}

function move(
  row: LookRow,
  look: DueLook,
  observation: Observation,
  code: string | null,
  detail: string | null,
): LookRow {
  // The goal is the database's to fill in: it may rise while we look.
  const to = observation === 'cancel-confirmed' ? 'goal' : nextState(look.state, observation);
  if (to === undefined) throw new Error(`${look.state} has no arrow for ${observation}`);
  const nextAt = to === 'uncertain' ? row.at + uncertainWaitMs(look.requestId) : null;
  return { ...row, to, code, detail, looks: 0, nextAt };
}

/** Looks again at the next instant; over its window it becomes uncertain. */
function again(row: LookRow, look: DueLook, next: NextLook, looks: number, facts: LookFacts): LookRow {
  if (next.kind === 'at') return { ...row, nextAt: next.at, looks };
  return move(row, look, 'window-over', 'NO_FINAL_STATUS', `not final ${facts.windowMs} ms on`);
}

export function judgeReservation(look: DueLook, reading: ReservationReading, facts: LookFacts): LookRow {
  const row = stay(look, facts);
  if (reading.kind === 'status') {
    const seen = { ...row, gatewayStatus: reading.status };
    switch (reading.status) {
      case 'DONE':
        return { ...move(seen, look, 'reservation-done', null, null), nextAt: facts.now };
      case 'FAIL':
        return move(seen, look, 'reservation-fail', 'RESERVATION_FAILED', null);
      case 'STALE':
        return move(seen, look, 'reservation-stale', 'RESERVATION_STALE', null);
      case 'CANCELED':
        return move(seen, look, 'reservation-canceled', 'CANCELED_ELSEWHERE', null);
      case 'READY':
      case 'PROCESSING':
        return laterReservation(seen, look, facts);
    }
  }
  const noted =
    reading.kind === 'unread'
      ? { ...row, detail: reading.detail }
      : { ...row, gatewayStatus: reading.status };
  return laterReservation(noted, look, facts);
}

function laterReservation(row: LookRow, look: DueLook, facts: LookFacts): LookRow {
  const dueAt = look.dueAt ?? look.handedOffAt;
  const sinceDue = facts.now >= dueAt + 5_000;
  const { now, windowMs } = facts;
  const next = nextReservationLook({
    now,
    handedOffAt: look.handedOffAt,
    dueAt,
    looksSinceDue: look.looks,
    windowMs,
  });
  return again(row, look, next, sinceDue ? look.looks + 1 : 0, facts);
}

export function judgeResult(look: DueLook, reading: ResultReading, facts: LookFacts): LookRow {
  const row = stay(look, facts);
  if (reading.kind === 'unread') return laterResult({ ...row, detail: reading.detail }, look, facts);
  const { status, targetCount, sentCount } = reading;
  const seen = { ...row, gatewayStatus: status, targetCount, sentCount };
  if (reading.kind === 'pending') return laterResult(seen, look, facts);
  // 499 ends a standing message; of one accepted it is a failure like others.
  const observation =
    reading.observation === 'schedule-ended' && look.state !== 'scheduled'
      ? 'result-failed'
      : reading.observation;
  const completeTime = reading.completeTime === null ? null : facts.instantOf(reading.completeTime);
  return { ...move(seen, look, observation, reading.code, null), completeTime };
}

function laterResult(row: LookRow, look: DueLook, facts: LookFacts): LookRow {
  const { now, learnedGapMs, windowMs } = facts;
  const looks = look.looks + 1;
  if (look.state === 'scheduled') return { ...row, nextAt: nextStandingLook(now, look.until), looks };
  return again(
    row,
    look,
    nextResultLook({ now, acceptedAt: look.stateAt, looks, learnedGapMs, windowMs }),
    looks,
    facts,
  );
}

/** Too early for a first look, as results of this project go: asked once most of them are final. */
export function postponeResult(look: DueLook, facts: LookFacts): LookRow | undefined {
  const first = look.stateAt + facts.learnedGapMs;
  const early = look.state === 'accepted' && look.looks === 0 && facts.now < first;
  return early ? { ...stay(look, facts), nextAt: first } : undefined;
}

/** A standing message at its `until`, or one that was asked back while its call was on the wire. */
export function askCancelOf(look: DueLook, facts: LookFacts): LookRow | undefined {
  if (look.state !== 'scheduled' && look.state !== 'reserved') return undefined;
  const ends = look.until !== null && look.until <= facts.now;
  if (look.goal === null && !ends) return undefined;
  const code = look.goal === null ? 'UNTIL_REACHED' : 'CANCELED';
  const asked = move(stay(look, facts), look, 'cancel-asked', code, null);
  return { ...asked, goal: look.goal ?? 'canceled', nextAt: facts.now };
}

/** The row of a cancel, with what was asked after it where its answer proved nothing. */
export function judgeCancel(
  look: DueLook,
  cancel: CancelReading,
  after: ReservationReading | ResultReading | undefined,
  facts: LookFacts,
): LookRow {
  const row = { ...stay(look, facts), ...countsOf(after) };
  if (cancel.kind === 'confirmed') return move(row, look, 'cancel-confirmed', null, null);
  const waited = Math.min(CANCEL_AGAIN_MS * 2 ** Math.min(look.looks, 20), CANCEL_AGAIN_CAP_MS);
  const askAgain =
    look.mode !== 'scheduled' && facts.now >= (look.dueAt ?? look.handedOffAt) + facts.windowMs
      ? givenUp(row, look, facts)
      : { ...row, nextAt: facts.now + waited, looks: look.looks + 1, detail: cancel.detail };
  if (after === undefined || after.kind === 'unread') return askAgain;
  if (look.mode === 'scheduled') {
    return after.kind === 'final' ? move(row, look, 'cancel-confirmed', null, null) : askAgain;
  }
  if (after.kind !== 'status')
    return after.kind === 'unknown-status' ? { ...askAgain, gatewayStatus: after.status } : askAgain;
  const seen = { ...row, gatewayStatus: after.status };
  if (after.status === 'CANCELED') return move(seen, look, 'cancel-confirmed', null, null);
  if (after.status === 'READY') return { ...askAgain, gatewayStatus: after.status };
  // PROCESSING and later: it goes out, or went. What it came to is read as of any reservation.
  const late = move(seen, look, 'cancel-too-late-reserved', 'CANCEL_TOO_LATE', null);
  return { ...late, nextAt: facts.now, dropsGoal: true };
}

/**
 * A reservation whose window is over, and still nobody says whether it was cancelled: followed as one that was not, which
 * its window ends as uncertain, so that its campaign ends and operators see it.
 */
function givenUp(row: LookRow, look: DueLook, facts: LookFacts): LookRow {
  const late = move(
    row,
    look,
    'cancel-too-late-reserved',
    'CANCEL_UNCONFIRMED',
    `not confirmed ${facts.windowMs} ms on`,
  );
  return { ...late, nextAt: facts.now, dropsGoal: true };
}

/** What a standing message has come to so far; nothing for a reservation, which never fired. */
function countsOf(
  after: ReservationReading | ResultReading | undefined,
): Partial<Pick<LookRow, 'targetCount' | 'sentCount' | 'gatewayStatus'>> {
  if (after?.kind !== 'final' && after?.kind !== 'pending') return {};
  return { targetCount: after.targetCount, sentCount: after.sentCount, gatewayStatus: after.status };
}
