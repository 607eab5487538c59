// What a person is answered whose call of a push gateway was not made: what keeps it, until when, and what to do.
import { instantText } from '../../platform/instant.js';
import { Problem } from '../../platform/http/problem.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { NotCalled } from './project-calls.js';
import type { Block } from './project-gate.js';

/** What ends a block that time alone does not end. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  BAD_KEY: 'give the project a key that its gateway takes',
  NO_KEY: 'give the project a key',
  BAD_ADDRESS: 'set its real baseUrl',
  BASE_URL_INVALID: 'set a baseUrl that is an address',
  STOPPED: 'start the project',
};

/** What it may come to. */
export const NOT_CALLED = {
  409: ['PROJECT_BLOCKED'],
  429: ['RATE_USED_UP'],
  503: ['PROJECT_BLOCKED'],
} as const;

/** 409 where somebody has to act, 503 with Retry-After where time ends it, 429 where the rate left no turn. */
export function notCalledProblem(notCalled: NotCalled, now: EpochMs): Problem {
  if (notCalled.kind === 'no-turn') {
    return new Problem(
      429,
      'RATE_USED_UP',
      'the project’s rate is used up at present: try again in a moment',
      {
        retryAfterSeconds: 1,
      },
    );
  }
  return blockedProblem(notCalled.block, now);
}

function blockedProblem({ code, until, detail }: Block, now: EpochMs): Problem {
  const toDo = WHAT_TO_DO[code];
  const isTimed = Number.isFinite(until);
  const end = isTimed ? instantText(until) : null;
  const details = { blocked: { code, detail, until: end } };
  const why = `the project is blocked: ${code}${detail === null ? '' : ` (${detail})`}`;
  if (toDo !== undefined || !isTimed)
    return new Problem(409, 'PROJECT_BLOCKED', `${why}; ${toDo ?? 'start the project'}`, { details });
  return new Problem(
    503,
    'PROJECT_BLOCKED',
    `${why} until ${end}; try again then, or start the project if you know better`,
    { details, retryAfterSeconds: Math.max(1, Math.ceil((until - now) / 1_000)) },
  );
}
