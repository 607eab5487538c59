// The errors of the push API after which a send goes again by itself (push-interface.md §7; hand-off.md, "What an answer
// means"). Any other error is final. A 429, and keys that are all refused, block the whole project: read-project.ts says so.
import type { PushErrorName } from '../../../push-contract/errors.js';

/** Why nothing was sent, as far as that decides what comes next. */
export type NotSentCause =
  /** The connection was never made: back off; the circuit counts it. */
  | 'not-started'
  /** A fault of ours prevented the call: the project is blocked, and the circuit learns nothing. */
  | 'local-fault'
  /** 429: the whole project waits. */
  | 'throttled'
  | 'quota'
  /** 503/500: back off. */
  | 'endpoint'
  /** 401/200 with a corrected clock or another key left to try: again at once. */
  | 'key-again'
  /** Every key was refused, or the address redirects: the project is blocked until somebody starts it. */
  | 'bad-key'
  | 'bad-address';

export const RETRYABLE_ERRORS: Readonly<Partial<Record<PushErrorName, NotSentCause>>> = {
  // With no key left to try, the project is blocked.
  authenticationFailed: 'key-again',
  endpointError: 'endpoint',
};
