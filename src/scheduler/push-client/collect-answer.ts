// One request over an undici dispatcher, limited in time as a whole, and everything that may come of it as a value. The
// started flag is the client's own signal that the request began to be written: error codes and byte counts prove nothing.
import type { Dispatcher } from 'undici';
import { errorCode } from '../../platform/error-code.js';
import { NOT_LEFT, type Unanswered } from './push-api.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface RawAnswer {
  readonly kind: 'raw';
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Headers;
  readonly body: string;
}

/** Of a result, which echoes the message (1 MiB by default), with room to spare. More counts as cut. */
const MAX_ANSWER_BYTES = 8 * 1_048_576;

class AnswerTooLongError extends Error {
  readonly code = 'ANSWER_TOO_LONG';
}

class NotLeftError extends Error {
  readonly code = NOT_LEFT;
}

class CallTimeoutError extends Error {
  readonly code = 'CALL_TIMEOUT';
}

/**
 * Never rejects. Ends the whole call (queue, connect, write, answer) after `limitMs` real milliseconds, whatever trickles
 * in; what is still in the queue or connecting then is never written. Nor is what may not leave when it would be.
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

/** A class, and no interceptor for the time: each send makes two, and their closures were a tenth of a call's cost. */
class Call implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #late: CallTimeoutError | undefined;
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
    this.#timer = setTimeout(endLate, limitMs, this);
  }

  endLate(): void {
    this.#late = new CallTimeoutError('the call took too long');
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
    else controller.abort(new NotLeftError('this process may not write it any more'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > MAX_ANSWER_BYTES) controller.abort(new AnswerTooLongError('the answer is too long'));
    else this.#chunks.push(chunk);
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
