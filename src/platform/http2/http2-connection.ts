// One HTTP/2 connection: as many streams as the peer allows, a watchdog, and for each stream how it ended. It opens no other
// connection; the pool decides when another follows.
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { errorCode } from '../logging/error-code.js';
import { Exchange, type RequestOutcome } from './http2-exchange.js';
import type { Http2PoolOptions } from './http2-limits.js';

/**
 * Node counts an empty DATA frame as invalid, although RFC 9113 §6.1 allows it. By default it ends a session after 1 000 of them,
 * with everything that is open on it. This is the highest number that Node takes, because a good connection lasts for days.
 */
const MOST_INVALID_FRAMES = 2 ** 32 - 1;

/** It is spread into the options, because Node's types name maxSessionInvalidFrames only for servers. */
const SESSION = { settings: { enablePush: false }, maxSessionInvalidFrames: MOST_INVALID_FRAMES };

export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
  /** Reads the body for status 200 too. */
  readonly readsAll?: true;
}

/** opening: until the peer's first SETTINGS. closing: no new streams, but those that are open may still be answered. */
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
  /** Clock.elapsed() when something was received last, or when the wait for it began. */
  #receivedAt: number;
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
    this.#openedAt = this.#receivedAt = clock.elapsed();
    this.#session = connect(origin, { ...tls, ...SESSION });
    this.#listen();
    this.#ticker = setInterval(() => this.#tick(), limits.tickMs).unref();
  }

  get phase(): ConnectionPhase {
    return this.#phase;
  }

  get open(): number {
    return this.#open.size;
  }

  /** How many streams may be open at once; 0 until the peer has said it. */
  get most(): number {
    return this.#phase === 'open' && !this.#session.closed && !this.#session.destroyed ? this.#most : 0;
  }

  /**
   * How many streams may be opened now. Never more than the peer allows: beyond that, nghttp2 queues streams that already have an
   * id, and then we could not distinguish them from streams that were sent.
   */
  get room(): number {
    return Math.max(0, this.most - this.#open.size);
  }

  /** Whether it ended before any answer came, unless a GOAWAY without error or this process ended it. */
  get failed(): boolean {
    return !this.#answered && !this.#graceful;
  }

  get reason(): string {
    return this.#reason;
  }

  /** Call it only while there is room. */
  request({ headers, body, readsAll }: Http2Request): Promise<RequestOutcome> {
    const now = this.options.clock.elapsed();
    // After a rest, the watchdog counts from the first request: an idle connection is silent.
    if (this.#open.size === 0) this.#receivedAt = now;
    let stream;
    try {
      stream = this.#session.request(headers);
    } catch (error) {
      if (!CANNOT_OPEN.has(errorCode(error))) throw error;
      return Promise.resolve({ kind: 'notTaken', reason: errorCode(error) });
    }
    const exchange = new Exchange(stream, now, { received: this.#received, readsAll: readsAll === true });
    this.#open.add(exchange);
    stream.end(body);
    return new Promise((resolve) => {
      stream.on('close', () => {
        this.#open.delete(exchange);
        const outcome = exchange.outcome(this.id, this.#lastTaken);
        if (outcome.kind === 'answered') {
          this.#answered = true;
          this.#received();
        }
        resolve(outcome);
        this.changed();
      });
    });
  }

  /** Takes no new streams, and closes once the open streams have ended. */
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

  readonly #received = (): void => {
    this.#receivedAt = this.options.clock.elapsed();
    this.#pingedAt = undefined;
  };

  #listen(): void {
    const session = this.#session;
    session.once('connect', (_session, socket) => (this.#socket = socket));
    session.on('remoteSettings', ({ maxConcurrentStreams }) => {
      this.#received();
      this.#most = Math.min(maxConcurrentStreams ?? Infinity, this.options.limits.streams);
      if (this.#phase === 'opening') this.#phase = 'open';
      this.changed();
    });
    session.on('goaway', (code, lastTaken) => {
      this.#lastTaken = lastTaken;
      this.#reason = `GOAWAY ${code}`;
      // The peer still answers open streams up to lastTaken. For any other code, Node itself ends the session.
      if (code === 0) this.#graceful = true;
      this.#phase = 'closing';
      this.changed();
    });
    // Without a listener Node would end the process.
    session.on('error', (error) => (this.#reason = errorCode(error) || error.message));
    session.on('close', () => {
      clearInterval(this.#ticker);
      this.#phase = 'gone';
      this.changed();
    });
  }

  /** Some cuts give no event at all: no stream ends, and a PING is never answered. */
  #tick(): void {
    const { clock, limits } = this.options;
    const now = clock.elapsed();
    // A session that both sides have ended still waits until the peer closes the socket. That may never happen.
    if (this.#session.destroyed) this.#socket?.destroy();
    if (this.#phase === 'opening') {
      if (now - this.#openedAt >= limits.connectMs) this.#session.destroy(new Error('no connection in time'));
      return;
    }
    for (const exchange of this.#open) {
      // Exchanges are in the order in which they began.
      if (now - exchange.since < limits.requestMs) break;
      exchange.giveUp();
    }
    const quietMs = now - this.#receivedAt;
    if (this.#open.size === 0) {
      if (quietMs >= limits.idleMs) this.retire();
    } else if (this.#pingedAt !== undefined) {
      if (now - this.#pingedAt >= limits.pingMs) this.#session.destroy(new Error('no answer to a PING'));
    } else if (quietMs >= limits.quietMs) {
      this.#pingedAt = now;
      this.#session.ping((error) => error === null && this.#received());
    }
  }
}

/** request() of Node throws these where a connection takes no new stream: nothing was sent. Any other error is our bug. */
const CANNOT_OPEN = new Set([
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_OUT_OF_STREAMS',
]);
