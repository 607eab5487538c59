// One HTTP/2 connection: as many streams as the peer allows, a watchdog, and for each stream the way it ended. Opens no other
// connection; the pool decides when another follows.
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { errorCode } from '../logging/error-code.js';
import { Exchange, type RequestOutcome } from './http2-exchange.js';
import type { Http2PoolOptions } from './http2-limits.js';

/**
 * Node counts an empty DATA frame as invalid, though RFC 9113 §6.1 allows it, and ends a session at 1 000 of them by default,
 * with everything open on it. The highest number it takes, since a good connection lasts for days.
 */
const MOST_INVALID_FRAMES = 2 ** 32 - 1;

/** Spread, since the types of Node name maxSessionInvalidFrames only for servers. */
const SESSION = { settings: { enablePush: false }, maxSessionInvalidFrames: MOST_INVALID_FRAMES };

export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
  /** The body is wanted for status 200, too. */
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
  /** When the last sign of life came, or when the wait for one began. */
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

  /** Streams that may be open at once; 0 until the peer has said how many. */
  get most(): number {
    return this.#phase === 'open' && !this.#session.closed && !this.#session.destroyed ? this.#most : 0;
  }

  /**
   * Streams that may be opened now. Never more than the peer allows: beyond that, nghttp2 queues streams that already have an
   * id, and they could not be told apart from streams that were sent.
   */
  get room(): number {
    return Math.max(0, this.most - this.#open.size);
  }

  /** Whether it ended before a single answer came, and neither by a GOAWAY without error nor by us. */
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
      stream.on('close', () => {
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

  /** Takes no new streams; closes once those that are open have ended. */
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
      // Open streams up to lastTaken are still answered. At any other code, Node itself ends the session.
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

  /** Some cuts give no event at all: no stream ends, and a PING is never answered. */
  #tick(): void {
    const { clock, limits } = this.options;
    const now = clock.elapsed();
    // A session that both sides have ended still waits for the peer to close the socket, which may never happen.
    if (this.#session.destroyed) this.#socket?.destroy();
    if (this.#phase === 'opening') {
      if (now - this.#openedAt >= limits.connectMs) this.#session.destroy(new Error('no connection in time'));
      return;
    }
    for (const exchange of this.#open) {
      // They are in the order in which they began.
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

/** Thrown by request() where a connection takes no new stream: nothing was sent. Anything else it throws is a bug of ours. */
const CANNOT_OPEN = new Set([
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_OUT_OF_STREAMS',
]);
