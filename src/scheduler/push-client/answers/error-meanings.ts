// What an error of the push service means for the send and for its project: one row for each error of push-interface.md §7, then one
// for each status without such an error, as of a proxy in between (hand-off.md, "What an answer means").
import type { PushErrorName } from '../../../push-contract/errors.js';
import { readGatewayError } from '../../../push-contract/read-error.js';
import type { Answered } from '../push-api.js';

/** Why nothing was sent. The cause decides when it is tried again. */
export type NotSentCause =
  /** The connection was never made: back off; the circuit counts it. */
  | 'not-started'
  /** A fault on our side prevented the call: the project is blocked, and the circuit does not count it. */
  | 'local-fault'
  /** Back off, or wait for as long as Retry-After says. */
  | 'endpoint'
  /** The clock was corrected or another key is left: tried again at once. */
  | 'key-again'
  | BlockCause;

/** Why nobody calls the project. */
export type BlockCause = 'throttled' | 'quota' | 'bad-key' | 'bad-address';

/** `code`: shown for it [the error's name]. */
type Meaning = { readonly code?: string } & (
  | { readonly send: 'not-sent'; readonly cause: 'endpoint' | 'key-again' }
  /** Retry-After is of the whole project [`blocksForMs` milliseconds]; Infinity: blocked until somebody acts. */
  | { readonly send: 'not-sent'; readonly cause: BlockCause; readonly blocksForMs: number }
  /** Nothing was sent, and it is not tried again. */
  | { readonly send: 'refused' }
  /** Nobody knows whether it was sent. */
  | { readonly send: 'unknown' }
);

/** push-decisions.md, "Extensions": the gateway has the Idempotency-Key with another body, or has closed it. */
export const KEY_CONFLICT = 'KEY_CONFLICT';

const REFUSED: Meaning = { send: 'refused' };
const UNKNOWN: Meaning = { send: 'unknown' };
const CONFLICT: Meaning = { send: 'unknown', code: KEY_CONFLICT };
const THROTTLED: Meaning = { send: 'not-sent', cause: 'throttled', blocksForMs: 1_000 };

const OF_ERROR: Readonly<Record<PushErrorName, Meaning>> = {
  badRequest: REFUSED,
  authenticationFailed: { send: 'not-sent', cause: 'bad-key', code: 'BAD_KEY', blocksForMs: Infinity },
  permissionDenied: REFUSED,
  forbidden: REFUSED,
  notFound: REFUSED,
  conflict: CONFLICT,
  // Nobody says when a quota begins anew.
  quotaExceeded: { send: 'not-sent', cause: 'quota', blocksForMs: 15 * 60_000 },
  throttleLimited: THROTTLED,
  rateLimited: THROTTLED,
  requestEntityTooLarge: REFUSED,
  endpointError: { send: 'not-sent', cause: 'endpoint' },
  endpointTimeout: UNKNOWN,
  unexpected: UNKNOWN,
};

/** The first that has the status counts. */
const OF_STATUS: readonly (readonly [from: number, to: number, Meaning])[] = [
  [300, 399, { send: 'not-sent', cause: 'bad-address', code: 'BAD_ADDRESS', blocksForMs: Infinity }],
  [409, 409, CONFLICT],
  [429, 429, { ...THROTTLED, code: 'THROTTLE_LIMITED' }],
  [400, 499, REFUSED],
  [500, Infinity, { send: 'unknown', code: 'SERVER_ERROR' }],
];

/** What the answer means, whose status is 300 or more; `code` always is what is shown. */
export function errorMeaning(answer: Pick<Answered, 'status' | 'body' | 'keys'>): Meaning & { code: string } {
  const { status, body, keys } = answer;
  const error = readGatewayError(status, body);
  if (error?.name === undefined) {
    const [, , meaning] = OF_STATUS.find(([from, to]) => from <= status && status <= to) ?? [0, 0, UNKNOWN];
    return { code: error === undefined ? 'FOREIGN_ANSWER' : `REFUSED_${status}`, ...meaning };
  }
  const code = codeOf(error.name);
  if (error.name === 'authenticationFailed' && keys === 'try-again')
    return { send: 'not-sent', cause: 'key-again', code };
  return { code, ...OF_ERROR[error.name] };
}

/** `throttleLimited` → `THROTTLE_LIMITED`. */
export function codeOf(name: PushErrorName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
