// What is counted of a set of retries while it is worked off. Pure: each page answers the counts as they are after it.
import type { RetryCounts } from '../store/retry-batch.store.js';

export const NOTHING_COUNTED: RetryCounts = {
  found: 0,
  toAsk: 0,
  asked: 0,
  retry: 0,
  retried: 0,
  leftOut: {},
  deferred: 0,
  firstDueAt: null,
  lastDueAt: null,
  nextDueAt: {},
};

/** The sums with one more of each code. */
export function withLeftOut(
  leftOut: RetryCounts['leftOut'],
  codes: readonly string[],
): RetryCounts['leftOut'] {
  const sums = new Map(Object.entries(leftOut));
  for (const code of codes) sums.set(code, (sums.get(code) ?? 0) + 1);
  return Object.fromEntries(sums);
}

/** Half of the project's rate is left to what is due anyway. */
const SHARE_OF_RATE = 0.5;

/** Gives each retry of a set its due, spread over what the rate of its project allows. */
export class DueSpread {
  readonly #next: Map<string, number>;

  constructor(
    nextDueAt: RetryCounts['nextDueAt'],
    private readonly now: number,
  ) {
    this.#next = new Map(Object.entries(nextDueAt));
  }

  /** Whole milliseconds, never before now. */
  take(serviceId: string, ratePerSecond: number): number {
    const at = Math.max(this.now, this.#next.get(serviceId) ?? 0);
    this.#next.set(serviceId, at + 1_000 / (ratePerSecond * SHARE_OF_RATE));
    return Math.ceil(at);
  }

  get nextDueAt(): RetryCounts['nextDueAt'] {
    return Object.fromEntries(this.#next);
  }
}

/** The span of dues with one more. */
export function spanWith(
  { firstDueAt, lastDueAt }: Pick<RetryCounts, 'firstDueAt' | 'lastDueAt'>,
  at: number,
): Pick<RetryCounts, 'firstDueAt' | 'lastDueAt'> {
  return { firstDueAt: Math.min(firstDueAt ?? at, at), lastDueAt: Math.max(lastDueAt ?? at, at) };
}
