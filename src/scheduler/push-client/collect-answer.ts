// Makes one request over an undici dispatcher, with one limit on its whole time, and returns however it ends as a value. `started`
// is the client's own signal that it began to write the request: error codes and byte counts prove nothing.
import type { Dispatcher } from 'undici';
import { errorCode } from '../../platform/logging/error-code.js';
import { NOT_LEFT, type Unanswered } from './push-api.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface RawAnswer {
  readonly kind: 'raw';
  readonly status: number;
  /** By name, in lower case. */
  readonly headers: Headers;
  readonly body: string;
}

/** A result contains the message (1 MiB by default); this is ample. A longer answer counts as cut off. */
const MAX_ANSWER_BYTES = 8 * 1_048_576;

/** Why this process ended a call. */
class CallEndedError extends Error {
  constructor(
    readonly code: 'ANSWER_TOO_LONG' | 'CALL_TIMEOUT' | typeof NOT_LEFT,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Never rejects. Ends the whole call (queue, connect, write, answer) after `limitMs` real milliseconds, even while bytes still
 * come in. A request that is still queued or connecting then is never written. Nor is one for which `mayLeave` returns false when
 * the client begins to write it.
 */
export function collectAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  limitMs: number,
  mayLeave: () => boolean = () => true,
): Promise<RawAnswer | Unanswered> {
  return new Promise((resolve) => {
    const call = new Call(resolve, limitMs, mayLeave);
    try {
      dispatcher.dispatch(options, call);
    } catch (error) {
      call.failed(error);
    }
  });
}

/** A class, and no interceptor for the limit: two closures for each send were a tenth of the cost of a call. */
class Call implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #late: CallEndedError | undefined;
  #status: number | undefined;
  #headers: Headers = {};
  #size = 0;
  readonly #chunks: Buffer[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly resolve: (answer: RawAnswer | Unanswered) => void,
    limitMs: number,
    private readonly mayLeave: () => boolean,
  ) {
    // No closure, as above.
    this.#timer = setTimeout(endLate, limitMs, this);
  }

  endLate(): void {
    this.#late = new CallEndedError('CALL_TIMEOUT', 'the call took too long');
    this.#controller?.abort(this.#late);
    this.failed(this.#late);
  }

  failed(error: unknown): void {
    clearTimeout(this.#timer);
    const code = error instanceof Error ? errorCode(error) || error.name : 'UNKNOWN';
    this.resolve({
      kind: 'unanswered',
      started: this.#controller !== undefined,
      error: code,
      timedOut: /TIMEOUT/.test(code),
      ...(this.#status === undefined ? {} : { status: this.#status }),
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#late !== undefined) controller.abort(this.#late);
    else if (this.mayLeave()) this.#controller = controller;
    else controller.abort(new CallEndedError(NOT_LEFT, 'this process may not write it any more'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= MAX_ANSWER_BYTES) this.#chunks.push(chunk);
    else controller.abort(new CallEndedError('ANSWER_TOO_LONG', 'the answer is too long'));
  }

  onResponseEnd(): void {
    if (this.#status === undefined) return this.failed(new Error('an answer without a status'));
    clearTimeout(this.#timer);
    const [first] = this.#chunks;
    const body = (this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)).toString('utf8');
    this.resolve({ kind: 'raw', status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.failed(error);
  }
}

function endLate(call: Call): void {
  call.endLate();
}
