// One HTTP/2 connection: as many streams as the peer allows, a watchdog, and an end that is told apart for each stream.
// Opens nothing by itself; the pool decides when another follows.
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { errorCode } from '../error-code.js';
import { Exchange, type RequestOutcome } from './http2-exchange.js';
import type { Http2PoolOptions } from './http2-limits.js';

export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
  /** The body of a 200 is wanted too. */
  readonly readsAll?: true;
}

/** opening: until the peer's first SETTINGS. closing: no new streams, what is open may still be answered. */
export type ConnectionPhase = 'opening' | 'open' | 'closing' | 'gone';

export class Http2Connection {
  readonly #session: ClientHttp2Session;
  #socket: Socket | TLSSocket | undefined;
  readonly #open = new Set<Exchange>();
  readonly #ticker: NodeJS.Timeout;
  readonly #openedAt: number;
  #phase: ConnectionPhase = 'opening';
  #most = 0;
  #lastTaken = Infinity;
  /** The last sign of life, or the beginning of the wait for one. */
  #heardAt: number;
  #pingedAt: number | undefined;
  #answered = false;
  #graceful = false;
  #reason = 'the connection ended';

  constructor(
    readonly id: number,
    private readonly options: Http2PoolOptions,
    private readonly changed: () => void,
  ) {
    const { origin, tls, clock, limits } = options;
    this.#openedAt = this.#heardAt = clock.elapsed();
    this.#session = connect(origin, { ...tls, settings: { enablePush: false } });
    this.#listen();
    this.#ticker = setInterval(() => this.#tick(), limits.tickMs).unref();
  }

  get phase(): ConnectionPhase {
    return this.#phase;
  }

  get open(): number {
    return this.#open.size;
  }

  /** Streams that may be open at once; 0 before the peer said. */
  get most(): number {
    return this.#phase === 'open' && !this.#session.closed && !this.#session.destroyed ? this.#most : 0;
  }

  /**
   * Streams that may be opened now. Never more than the peer allows: what nghttp2 queues beyond that bears an id already,
   * and is not told from what was sent.
   */
  get room(): number {
    return Math.max(0, this.most - this.#open.size);
  }

  /** It ended, neither by a GOAWAY without error nor by us, before a single answer came. */
  get failed(): boolean {
    return !this.#answered && !this.#graceful;
  }

  get reason(): string {
    return this.#reason;
  }

  /** Only while there is room. */
  request({ headers, body, readsAll }: Http2Request): Promise<RequestOutcome> {
    const now = this.options.clock.elapsed();
    // The watchdog counts from the first request after a rest, for nothing is heard where nothing is asked.
    if (this.#open.size === 0) this.#heardAt = now;
    let stream;
    try {
      stream = this.#session.request(headers);
    } catch (error) {
      if (!CANNOT_OPEN.has(errorCode(error))) throw error;
      return Promise.resolve({ kind: 'notTaken', reason: errorCode(error) });
    }
    const exchange = new Exchange(stream, now, { heard: this.#heard, readsAll: readsAll === true });
    this.#open.add(exchange);
    stream.end(body);
    return new Promise((resolve) => {
      exchange.onClose(() => {
        this.#open.delete(exchange);
        const outcome = exchange.outcome(this.id, this.#lastTaken);
        if (outcome.kind === 'answered') {
          this.#answered = true;
          this.#heard();
        }
        resolve(outcome);
        this.changed();
      });
    });
  }

  /** No new streams; closes once those that are open have ended. */
  retire(): void {
    if (this.#phase === 'gone') return;
    this.#graceful = true;
    this.#phase = 'closing';
    this.#session.close();
    this.changed();
  }

  destroy(): void {
    this.#graceful = true;
    this.#session.destroy();
    this.#socket?.destroy();
  }

  readonly #heard = (): void => {
    this.#heardAt = this.options.clock.elapsed();
    this.#pingedAt = undefined;
  };

  #listen(): void {
    const session = this.#session;
    session.once('connect', (_session, socket) => (this.#socket = socket));
    session.on('remoteSettings', ({ maxConcurrentStreams }) => {
      this.#heard();
      this.#most = Math.min(maxConcurrentStreams ?? Infinity, this.options.limits.streams);
      if (this.#phase === 'opening') this.#phase = 'open';
      this.changed();
    });
    session.on('goaway', (code, lastTaken) => {
      this.#lastTaken = lastTaken;
      this.#reason = `GOAWAY ${code}`;
      // Its open streams up to lastTaken are still answered; Node itself ends the session at any other code.
      if (code === 0) this.#graceful = true;
      this.#phase = 'closing';
      this.changed();
    });
    // Without a listener Node ends the process.
    session.on('error', (error) => (this.#reason = errorCode(error) || error.message));
    session.on('close', () => {
      clearInterval(this.#ticker);
      this.#phase = 'gone';
      this.changed();
    });
  }

  /** Some cuts give no event at all: nothing ends a stream, and a PING is never answered. */
  #tick(): void {
    const { clock, limits } = this.options;
    const now = clock.elapsed();
    // Ended by both, it still waits for the peer to close the socket, and a peer may never.
    if (this.#session.destroyed) this.#socket?.destroy();
    if (this.#phase === 'opening') {
      if (now - this.#openedAt >= limits.connectMs) this.#session.destroy(new Error('no connection in time'));
      return;
    }
    for (const exchange of this.#open) {
      // In order of their beginning.
      if (now - exchange.since < limits.requestMs) break;
      exchange.giveUp();
    }
    const quietMs = now - this.#heardAt;
    if (this.#open.size === 0) {
      if (quietMs >= limits.idleMs) this.retire();
    } else if (this.#pingedAt !== undefined) {
      if (now - this.#pingedAt >= limits.pingMs) this.#session.destroy(new Error('no answer to a PING'));
    } else if (quietMs >= limits.quietMs) {
      this.#pingedAt = now;
      this.#session.ping((error) => error === null && this.#heard());
    }
  }
}

/** What request() throws of a connection that takes no new stream: nothing left. All else it throws is a bug of ours. */
const CANNOT_OPEN = new Set([
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_OUT_OF_STREAMS',
]);
