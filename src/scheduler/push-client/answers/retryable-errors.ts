// The errors of the push API after which a send is sent again without an operator (push-interface.md §7; hand-off.md, "What an answer
// means"). Any other error is final. A 429, or the refusal of every key, blocks the whole project (read-project.ts).
import type { PushErrorName } from '../../../push-contract/errors.js';

/** Why nothing was sent. The cause decides when it is tried again. */
export type NotSentCause =
  /** The connection was never made: back off; the circuit counts it. */
  | 'not-started'
  /** A fault on our side prevented the call: the project is blocked, and the circuit does not count it. */
  | 'local-fault'
  /** 429: the whole project waits. */
  | 'throttled'
  | 'quota'
  /** 503/500: back off. */
  | 'endpoint'
  /** 401/200, and the clock was corrected or another key is left: tried again at once. */
  | 'key-again'
  /** Every key was refused, or the address redirects: the project is blocked until somebody starts it. */
  | 'bad-key'
  | 'bad-address';

export const RETRYABLE_ERRORS: Readonly<Partial<Record<PushErrorName, NotSentCause>>> = {
  // With no key left to try, the project is blocked.
  authenticationFailed: 'key-again',
  endpointError: 'endpoint',
};
