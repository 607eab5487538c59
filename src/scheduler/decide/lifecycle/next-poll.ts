// When to poll the push service next about a reservation or a result (hand-off.md, "Following"). Pure: how long earlier results
// took is a parameter.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A reservation or result that is not final this long after its due, or after its 202, ends as NO_FINAL_STATUS. */
export const FOLLOW_WINDOW_MS = 24 * HOUR;
/** The longest gap between polls. */
export const LONGEST_GAP_MS = 5 * MINUTE;
/** How often the counts of a standing message are read. */
const STANDING_GAP_MS = HOUR;

/** How long an uncertain send waits before its request is repeated or, where its requestId is known, its result is polled. */
const REPEAT_WAIT_MS = 2 * SECOND;
const ASK_WAIT_MS = MINUTE;

export function uncertainWaitMs(requestId: string | null): number {
  return requestId === null ? REPEAT_WAIT_MS : ASK_WAIT_MS;
}

export type NextPoll =
  | { readonly kind: 'at'; readonly at: EpochMs }
  /** The follow window is over: uncertain, NO_FINAL_STATUS. */
  | { readonly kind: 'window-over' };

/**
 * Each gap is 1.5 times the one before: from `first`, such as 5 s, 7.5 s, 11 s … 5 min. `polls` counts the polls that found
 * nothing final, from when it could have become final.
 */
function growingGap(first: number, polls: number): number {
  return Math.min(first * 1.5 ** Math.min(polls, 40), LONGEST_GAP_MS);
}

function within(at: EpochMs, windowEnd: EpochMs, now: EpochMs): NextPoll {
  if (now >= windowEnd) return { kind: 'window-over' };
  // The last poll is made at the end of the follow window, so that nothing is given up without asking.
  return { kind: 'at', at: Math.min(Math.ceil(at), windowEnd) };
}

interface ReservationPoll {
  readonly now: EpochMs;
  readonly handedOffAt: EpochMs;
  readonly dueAt: EpochMs;
  /** How many polls after its due found it not final. */
  readonly pollsSinceDue: number;
  /** By default FOLLOW_WINDOW_MS. */
  readonly windowMs?: number;
}

/** At hand-off + 1 min; at due − 15 min if that is more than 1 h later; at due + 5 s; then with growing gaps until it is final. */
export function nextReservationPoll(poll: ReservationPoll): NextPoll {
  const { now, handedOffAt, dueAt, pollsSinceDue, windowMs = FOLLOW_WINDOW_MS } = poll;
  const afterDue = dueAt + 5 * SECOND;
  const confirm = handedOffAt + MINUTE;
  if (now < confirm && confirm < dueAt) return { kind: 'at', at: confirm };
  const lateCheck = dueAt - 15 * MINUTE;
  if (now < lateCheck && lateCheck - confirm > HOUR) return { kind: 'at', at: lateCheck };
  if (now < afterDue) return { kind: 'at', at: afterDue };
  return within(now + growingGap(5 * SECOND, pollsSinceDue), dueAt + windowMs, now);
}

interface ResultPoll {
  readonly now: EpochMs;
  /** When the push service began to send: at the 202, or at a reservation's DONE. */
  readonly acceptedAt: EpochMs;
  /** How many polls found this result not final. */
  readonly polls: number;
  /** How long this project's latest results took; see learnedGap(). */
  readonly learnedGapMs: number;
  /** By default FOLLOW_WINDOW_MS. */
  readonly windowMs?: number;
}

/** First one learned gap after the send began; then with growing gaps, the first of which is half of the learned one. */
export function nextResultPoll(poll: ResultPoll): NextPoll {
  const { now, acceptedAt, polls, learnedGapMs, windowMs = FOLLOW_WINDOW_MS } = poll;
  // A reservation seen as DONE some seconds after its due has waited long enough: its result is polled at once.
  if (polls === 0) return { kind: 'at', at: Math.max(now, acceptedAt + learnedGapMs) };
  const gap = growingGap(Math.max(SECOND, learnedGapMs / 2), polls - 1);
  return within(now + gap, acceptedAt + windowMs, now);
}

/** The milliseconds from the beginning of the send to the next poll of a result that `polls` polls found not final. */
export function plannedWait(polls: number, learnedGapMs: number): number {
  let waitMs = learnedGapMs;
  for (let poll = 0; poll < polls && waitMs < LONGEST_GAP_MS; poll += 1)
    waitMs += growingGap(Math.max(SECOND, learnedGapMs / 2), poll);
  return waitMs;
}

/** The gap before anything has been learned: most results are final at once. */
export const UNLEARNED_GAP_MS = 2 * SECOND;

/**
 * The gap after which most results are final at the first poll: 1.1 times the 80th percentile of how long the latest ones
 * took (accepted to complete), from 1 s to 5 min. At the median, a result is then polled at most three times.
 */
export function learnedGap(latestMs: readonly number[]): number {
  if (latestMs.length === 0) return UNLEARNED_GAP_MS;
  const sorted = [...latestMs].sort((a, b) => a - b);
  const percentile = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.8))] ?? UNLEARNED_GAP_MS;
  return Math.min(Math.max(percentile * 1.1, SECOND), LONGEST_GAP_MS);
}

/** A standing message is polled every hour, and a last time at `until`, when we cancel it. */
export function nextStandingPoll(now: EpochMs, until: EpochMs | null): EpochMs {
  const next = now + STANDING_GAP_MS;
  return until === null || until <= now ? next : Math.min(next, until);
}
