// The answer to a caller who gets no turn: the caller has the most waiting requests that one may have (429), or others have all
// turns (503).
import type { Lack, TurnLimits } from '../limited-turns.js';
import { Problem } from './problem.js';

interface Turned {
  /** The code where others have all turns. */
  readonly code: string;
  /** In the plural. */
  readonly what: string;
}

export function lackOfTurns(limits: TurnLimits, { code, what }: Turned): (lack: Lack) => Problem {
  const { most, waitingOfOne = 0, waitMs } = limits;
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return (lack) =>
    lack === 'own'
      ? budgetSpent(
          `${waitingOfOne} ${what} of this token wait for their turn, the most that may`,
          retryAfterSeconds,
        )
      : new Problem(503, code, `${most} ${what} run and others wait: ask again later`, { retryAfterSeconds });
}

/** `text` says which budget, how large it is, and when the caller may ask again. */
export function budgetSpent(text: string, retryAfterSeconds: number): Problem {
  return new Problem(429, 'BUDGET_SPENT', `${text}: ask again in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}
