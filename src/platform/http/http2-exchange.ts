// One request on one HTTP/2 stream, and what became of it. What matters to whoever repeats nothing blindly: whether the
// peer may have taken it. Never repeats by itself.
import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { errorCode } from '../error-code.js';

export type RequestOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** Empty for status 200 unless it was asked for; may be cut short. */
      readonly body: string;
      /** Names the connection, for Http2Pool.retire. */
      readonly connection: number;
    }
  /** The peer has not processed it and will not (RFC 9113 §8.7): it may go again. */
  | { readonly kind: 'notTaken'; readonly reason: string }
  /** It may have been processed. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** What is known of a stream that ended without a status. */
export interface EndedStream {
  /** Undefined: it was never opened. */
  readonly id: number | undefined;
  readonly resetCode: number;
  /** The code of the error it ended with, or empty. */
  readonly error: string;
}

/** Of a body: what is longer is not one of a provider's answers. */
const MOST_BODY_BYTES = 64 * 1_024;

/**
 * Judges a stream without a status; a status is an answer, whatever follows it. `lastTaken` is the last stream id of the
 * connection's GOAWAY, Infinity without one.
 */
export function endWithoutStatus(stream: EndedStream, lastTaken: number): RequestOutcome {
  const { id, resetCode, error } = stream;
  if (id === undefined || error === 'ERR_HTTP2_GOAWAY_SESSION')
    return { kind: 'notTaken', reason: 'the connection was closing' };
  if (id > lastTaken) return { kind: 'notTaken', reason: 'GOAWAY below it' };
  if (resetCode === constants.NGHTTP2_REFUSED_STREAM) return { kind: 'notTaken', reason: 'REFUSED_STREAM' };
  return { kind: 'unknown', reason: error === '' ? `reset code ${resetCode}` : error };
}

/** Follows a stream until its `close`: some cuts give that event alone, without `error` or `end`. */
export class Exchange {
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #body: Buffer[] = [];
  #bytes = 0;
  #error = '';

  constructor(
    private readonly stream: ClientHttp2Stream,
    /** Real milliseconds of Clock.elapsed(). */
    readonly since: number,
    { heard, readsAll }: { heard: () => void; readsAll: boolean },
  ) {
    stream.on('response', (headers) => {
      heard();
      this.#status = Number(headers[':status']);
      this.#headers = headers;
      if (this.#status === 200 && !readsAll) stream.resume();
      else stream.on('data', (part: Buffer) => this.#keep(part));
    });
    // Without a listener Node ends the process; what it says is judged when the stream has closed.
    stream.on('error', (error) => (this.#error = errorCode(error) || error.message));
  }

  /** Called once. */
  onClose(ended: () => void): void {
    this.stream.on('close', ended);
  }

  /** Gives it up: it is unknown, unless a status was there. */
  giveUp(): void {
    this.#error = 'no answer in time';
    this.stream.close(constants.NGHTTP2_CANCEL);
  }

  outcome(connection: number, lastTaken: number): RequestOutcome {
    const { id, rstCode } = this.stream;
    if (this.#status === undefined)
      return endWithoutStatus({ id, resetCode: rstCode, error: this.#error }, lastTaken);
    const body = this.#bytes === 0 ? '' : Buffer.concat(this.#body).toString('utf8');
    return { kind: 'answered', status: this.#status, headers: this.#headers, body, connection };
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= MOST_BODY_BYTES) this.#body.push(part);
  }
}
