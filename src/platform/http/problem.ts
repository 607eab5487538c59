// A refusal as an HTTP answer: RFC 9457 with a stable code. Controllers, guards and pipes throw it, and problem.filter.ts writes
// it. Its texts are for the caller: never a secret, a stack or a query.

import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { mostListed } from '../most-listed.js';

/** One thing that is wrong with the request. */
export const FoundProblem = z
  .object({
    pointer: z
      .string()
      .describe(
        "JSON pointer into the body, ?name for a query parameter, {name} for a segment of the path; '' for the whole",
      ),
    code: z.string(),
    text: z.string(),
  })
  .readonly();
export type FoundProblem = z.output<typeof FoundProblem>;

/** The body of a refusal. `type` stays about:blank: the code says what it is. A code may have further members. */
export const ProblemBody = z
  .looseObject({
    title: z.string(),
    status: z.int().min(400).max(599),
    code: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/)
      .describe('Stable; the texts are not'),
    detail: z.string(),
    problems: z
      .array(FoundProblem)
      .readonly()
      .optional()
      .describe('What was wrong: the first 50, and how many more'),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' });

export interface ProblemExtras {
  readonly problems?: readonly FoundProblem[];
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Further members of the answer, such as a number that the caller must repeat. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A refusal with its status; `code` is stable (UPPER_SNAKE_CASE), `text` may change. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    text: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(text);
  }
}

/** The body of the answer to a refusal. */
export function problemBody(problem: Problem, requestId: string): z.output<typeof ProblemBody> {
  return {
    ...problem.extras.details,
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    ...(problem.extras.problems !== undefined && { problems: mostListed(problem.extras.problems) }),
    requestId,
  };
}

/** The refusal of a member that fits its schema and is still wrong. The answer looks like a fault that the schema finds. */
export function invalidMember(pointer: string, text: string): Problem {
  return new Problem(400, 'INVALID_REQUEST', 'the request does not fit what this route takes', {
    problems: [{ pointer, code: 'INVALID_VALUE', text }],
  });
}

/** Unknown rows and rows of others get the same answer, so that nobody learns which ids exist. */
export function notFound(what: string): Problem {
  return new Problem(404, 'NOT_FOUND', `there is no such ${what}`);
}
