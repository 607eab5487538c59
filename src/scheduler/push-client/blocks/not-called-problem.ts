// The answer to a person whose call to a push gateway was not made: what prevents it, until when, and what to do.
import { instantText } from '../../../platform/instant.js';
import { Problem } from '../../../platform/http/problem.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { NotCalled } from '../project-calls.js';

/** How to end a block that time alone does not end. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  BAD_KEY: 'give the project a key that its gateway takes',
  NO_KEY: 'give the project a key',
  BAD_ADDRESS: 'set its real baseUrl',
  BASE_URL_INVALID: 'set a baseUrl that is an address',
  STOPPED: 'start the project',
};

/** Its statuses and codes. */
export const NOT_CALLED = {
  409: ['PROJECT_BLOCKED'],
  429: ['RATE_USED_UP'],
  503: ['PROJECT_BLOCKED'],
} as const;

/** 409: somebody has to act; 503 with Retry-After: the block ends by itself; 429: the rate gave no turn. */
export function notCalledProblem(notCalled: NotCalled, now: EpochMs): Problem {
  if (notCalled.kind === 'no-turn') {
    const text = 'the project’s rate is used up at present: try again in a moment';
    return new Problem(429, 'RATE_USED_UP', text, { retryAfterSeconds: 1 });
  }
  const { code, until, detail } = notCalled.block;
  const toDo = WHAT_TO_DO[code];
  const isTimed = Number.isFinite(until);
  const end = isTimed ? instantText(until) : null;
  const details = { blocked: { code, detail, until: end } };
  const why = `the project is blocked: ${code}${detail === null ? '' : ` (${detail})`}`;
  if (toDo !== undefined || !isTimed)
    return new Problem(409, 'PROJECT_BLOCKED', `${why}; ${toDo ?? 'start the project'}`, { details });
  const text = `${why} until ${end}; try again then, or start the project if you know better`;
  const retryAfterSeconds = Math.max(1, Math.ceil((until - now) / 1_000));
  return new Problem(503, 'PROJECT_BLOCKED', text, { details, retryAfterSeconds });
}
