// One request on one HTTP/2 stream, and how it ended. A caller that must not repeat blindly needs to know whether the peer may
// have taken it. Never repeats by itself.
import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { errorCode } from '../logging/error-code.js';

export type RequestOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** Empty for status 200, unless readsAll was set. May be cut short. */
      readonly body: string;
      /** Names the connection, for Http2Pool.retire. */
      readonly connection: number;
    }
  /** The peer has not processed it and never will (RFC 9113 §8.7), so it may go again. */
  | { readonly kind: 'notTaken'; readonly reason: string }
  /** The peer may have processed it. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** The most bytes of a body that are kept. No answer of a provider is longer. */
const MOST_BODY_BYTES = 64 * 1_024;

const notTaken = (reason: string): RequestOutcome => ({ kind: 'notTaken', reason });

/** Follows a stream until its `close`: a cut connection may give only that event, without `error` or `end`. */
export class Exchange {
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #body: Buffer[] = [];
  #bytes = 0;
  /** The code of the error that ended the stream, or its message; empty without one. */
  #error = '';

  constructor(
    private readonly stream: ClientHttp2Stream,
    /** Clock.elapsed() when it began. */
    readonly since: number,
    { received, readsAll }: { received: () => void; readsAll: boolean },
  ) {
    stream.on('response', (headers) => {
      received();
      this.#status = Number(headers[':status']);
      this.#headers = headers;
      if (this.#status === 200 && !readsAll) stream.resume();
      else stream.on('data', (bytes: Buffer) => this.#keep(bytes));
    });
    // Without a listener Node would end the process. The error is judged when the stream has closed.
    stream.on('error', (error) => (this.#error = errorCode(error) || error.message));
  }

  /** Gives it up. The outcome is unknown, unless a status has come. */
  giveUp(): void {
    this.#error = 'no answer in time';
    this.stream.close(constants.NGHTTP2_CANCEL);
  }

  /**
   * A status is an answer, whatever follows it. `lastTaken` is the last stream id in the connection's GOAWAY; Infinity without a
   * GOAWAY.
   */
  outcome(connection: number, lastTaken: number): RequestOutcome {
    if (this.#status === undefined) return this.#withoutStatus(lastTaken);
    const body = this.#bytes === 0 ? '' : Buffer.concat(this.#body).toString('utf8');
    return { kind: 'answered', status: this.#status, headers: this.#headers, body, connection };
  }

  #withoutStatus(lastTaken: number): RequestOutcome {
    const { id, rstCode } = this.stream;
    // A stream without an id was never opened.
    if (id === undefined || this.#error === 'ERR_HTTP2_GOAWAY_SESSION')
      return notTaken('the connection was closing');
    if (id > lastTaken) return notTaken('GOAWAY below it');
    if (rstCode === constants.NGHTTP2_REFUSED_STREAM) return notTaken('REFUSED_STREAM');
    return { kind: 'unknown', reason: this.#error === '' ? `reset code ${rstCode}` : this.#error };
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= MOST_BODY_BYTES) this.#body.push(bytes);
  }
}
