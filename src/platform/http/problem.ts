// What an HTTP answer says when it refuses: RFC 9457 with a stable code. Thrown by controllers, guards and pipes;
// problem.filter.ts writes it. Texts are for the caller: never a secret, a stack or a query.

/** One thing that is wrong with the request. */
export interface FoundProblem {
  /** JSON pointer into the body, `?name` for a query parameter, '' for the whole. */
  readonly pointer: string;
  readonly code: string;
  readonly text: string;
}

export interface ProblemExtras {
  readonly problems?: readonly FoundProblem[];
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number;
  /** Further members of the answer, such as the number a caller has to repeat. */
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

/** A member that fits its schema and is wrong all the same, told as a fault of the schema is. */
export function invalidMember(pointer: string, text: string): Problem {
  return new Problem(400, 'INVALID_REQUEST', 'the request does not fit what this route takes', {
    problems: [{ pointer, code: 'INVALID_VALUE', text }],
  });
}

/** Unknown and foreign rows answer alike, so that nobody learns which ids exist. */
export function notFound(what: string): Problem {
  return new Problem(404, 'NOT_FOUND', `there is no such ${what}`);
}
