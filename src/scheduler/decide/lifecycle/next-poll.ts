// When to ask the push service next about a reservation or a result (life-of-a-send.md, "Following"). Pure: what was
// learned about how long results take comes in as a parameter.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A reservation or result that is not final this long after due, or after its 202, ends NO_FINAL_STATUS. */
export const FOLLOW_WINDOW_MS = 24 * HOUR;
/** Gaps between polls grow up to this. */
export const LONGEST_GAP_MS = 5 * MINUTE;
/** A standing message's counts are read this often. */
export const STANDING_GAP_MS = HOUR;

/** An uncertain send waits so long before its request is repeated, or, where its requestId is known, its result asked for. */
const REPEAT_WAIT_MS = 2 * SECOND;
const ASK_WAIT_MS = MINUTE;

/** By the requestId, where there is one. */
export function uncertainWaitMs(requestId: string | null): number {
  return requestId === null ? REPEAT_WAIT_MS : ASK_WAIT_MS;
}

export type NextPoll =
  | { readonly kind: 'at'; readonly at: EpochMs }
  /** The window is over: uncertain, NO_FINAL_STATUS. */
  | { readonly kind: 'window-over' };

/**
 * Gaps grow from `first` by half each poll: 5 s, 7.5 s, 11 s … 5 min. `polls` is how many found nothing final since
 * the thing could have become final.
 */
function growingGap(first: number, polls: number): number {
  return Math.min(first * 1.5 ** Math.min(polls, 40), LONGEST_GAP_MS);
}

function within(at: EpochMs, windowEnd: EpochMs, now: EpochMs): NextPoll {
  if (now >= windowEnd) return { kind: 'window-over' };
  // The last poll falls on the window's end, so that nothing is given up unasked.
  return { kind: 'at', at: Math.min(Math.ceil(at), windowEnd) };
}

export interface ReservationPoll {
  readonly now: EpochMs;
  readonly handedOffAt: EpochMs;
  readonly dueAt: EpochMs;
  /** Polls made after due that found it not final. */
  readonly pollsSinceDue: number;
  /** By default FOLLOW_WINDOW_MS. */
  readonly windowMs?: number;
}

/** Hand-off + 1 min; due − 15 min if that is more than an hour on; due + 5 s; then with growing gaps until final. */
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

export interface ResultPoll {
  readonly now: EpochMs;
  /** When the push service began to send: the 202, or a reservation's DONE. */
  readonly acceptedAt: EpochMs;
  /** Looks at this result that found it not final. */
  readonly polls: number;
  /** How long results of this project took lately; see learnedGap(). */
  readonly learnedGapMs: number;
  /** By default FOLLOW_WINDOW_MS. */
  readonly windowMs?: number;
}

/** One learned gap after the send began; from then on gaps grow from half of it. */
export function nextResultPoll(poll: ResultPoll): NextPoll {
  const { now, acceptedAt, polls, learnedGapMs, windowMs = FOLLOW_WINDOW_MS } = poll;
  // A reservation seen DONE some seconds after its due has waited long enough: its result is asked at once.
  if (polls === 0) return { kind: 'at', at: Math.max(now, acceptedAt + learnedGapMs) };
  const gap = growingGap(Math.max(SECOND, learnedGapMs / 2), polls - 1);
  return within(now + gap, acceptedAt + windowMs, now);
}

/** Milliseconds after the send began at which a result is looked at that so many polls have found not final. */
export function plannedWait(polls: number, learnedGapMs: number): number {
  let waitMs = learnedGapMs;
  for (let poll = 0; poll < polls && waitMs < LONGEST_GAP_MS; poll += 1)
    waitMs += growingGap(Math.max(SECOND, learnedGapMs / 2), poll);
  return waitMs;
}

/** The first poll where nothing has been learned yet: most results end at once. */
export const UNLEARNED_GAP_MS = 2 * SECOND;

/**
 * The gap that finds most results final at the first poll: the 80th percentile of how long the latest ones took
 * (accepted to complete), from 1 s to 5 min. A result is then asked at most three times at the median.
 */
export function learnedGap(latestMs: readonly number[]): number {
  if (latestMs.length === 0) return UNLEARNED_GAP_MS;
  const sorted = [...latestMs].sort((a, b) => a - b);
  const percentile = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.8))] ?? UNLEARNED_GAP_MS;
  return Math.min(Math.max(percentile * 1.1, SECOND), LONGEST_GAP_MS);
}

/** A standing message is asked hourly; `until` is when we cancel it, and read it a last time. */
export function nextStandingPoll(now: EpochMs, until: EpochMs | null): EpochMs {
  const next = now + STANDING_GAP_MS;
  return until === null || until <= now ? next : Math.min(next, until);
}
