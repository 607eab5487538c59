// The errors of the push API after which a send goes again by itself (push-interface.md §7, life-of-a-send.md, "What an
// answer means"). An error that is not here is final. A 429, and keys that are all refused, block the whole project, which
// read-project.ts says.
import type { PushErrorName } from '../../../push-contract/errors.js';

/** Why nothing was sent, as far as it decides what comes next. */
export type NotSentCause =
  /** The connection was never made: back off, and the circuit counts it. */
  | 'not-started'
  /** We could not call, by a fault on our side: the project is blocked, and the circuit hears nothing of it. */
  | 'own-fault'
  /** 429: the whole project waits. */
  | 'throttled'
  | 'quota'
  /** 503/500: back off. */
  | 'endpoint'
  /** 401/200 with a corrected clock or another key left to try: at once again. */
  | 'key-again'
  /** Every key refused, and an address that redirects: the project is blocked until somebody starts it. */
  | 'bad-key'
  | 'bad-address';

export const RETRYABLE_ERRORS: Readonly<Partial<Record<PushErrorName, NotSentCause>>> = {
  // Where no key is left to try, the project is blocked.
  authenticationFailed: 'key-again',
  endpointError: 'endpoint',
};
