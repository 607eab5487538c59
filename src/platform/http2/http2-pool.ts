// HTTP/2 connections to one host under one credential, opened when they are needed. For each request it reports: answered,
// certainly not taken, or unknown. It uses node:http2 directly, because a library that repeats requests or hides stream ids
// cannot report that.
import { Http2Connection, type Http2Request } from './http2-connection.js';
import type { RequestOutcome } from './http2-exchange.js';
import type { Http2PoolOptions } from './http2-limits.js';

interface Waiting {
  readonly request: Http2Request;
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: RequestOutcome | Promise<RequestOutcome>) => void;
}

export class Http2Pool {
  #connections: Http2Connection[] = [];
  readonly #waiting = new Set<Waiting>();
  #connected = 0;
  #failures = 0;
  /** Clock.elapsed() before which no connection is opened. */
  #connectAt = -Infinity;
  #connecting: NodeJS.Timeout | undefined;
  #draining = false;
  #drained = (): void => undefined;

  constructor(private readonly options: Http2PoolOptions) {}

  /**
   * The most streams of all connections together. A connection whose peer has not said it yet counts like the others, or by the
   * limit.
   */
  get most(): number {
    const { connections, limits } = this.options;
    let unsaid = connections;
    let sum = 0;
    let first: number | undefined;
    // This runs for each answer, so it allocates no list.
    for (const { phase, most } of this.#connections) {
      if (phase !== 'open') continue;
      unsaid -= 1;
      sum += most;
      first ??= most;
    }
    return sum + unsaid * (first ?? limits.streams);
  }

  get connections(): number {
    return this.#connections.length;
  }

  /** Real milliseconds until the pool may connect again; 0 unless the last connection failed and none is left. */
  get restMs(): number {
    if (this.#failures === 0 || this.#connections.some(({ phase }) => phase !== 'closing')) return 0;
    return Math.max(0, this.#connectAt - this.options.clock.elapsed());
  }

  /**
   * Waits for a stream where all are in use; does not wait for a host that cannot be reached. A request that is aborted before it
   * has a stream is not taken. Once it has a stream, an abort changes nothing. `isWanted` is called when it gets its stream,
   * because it may be too late by then.
   */
  request(
    request: Http2Request,
    signal?: AbortSignal,
    isWanted: () => boolean = ALWAYS,
  ): Promise<RequestOutcome> {
    if (this.#draining || signal?.aborted === true) return Promise.resolve(NOT_BEGUN);
    const connection = this.#withRoom();
    if (connection !== undefined && this.#waiting.size === 0)
      return isWanted() ? connection.request(request) : Promise.resolve(NOT_WANTED);
    if (this.restMs > 0) return Promise.resolve({ kind: 'notTaken', reason: this.#unreachable });
    return new Promise((resolve) => {
      const waiting = {
        request,
        isWanted,
        resolve: (outcome: RequestOutcome | Promise<RequestOutcome>) => {
          signal?.removeEventListener('abort', giveUp);
          this.#waiting.delete(waiting);
          resolve(outcome);
        },
      };
      const giveUp = (): void => waiting.resolve(NOT_BEGUN);
      signal?.addEventListener('abort', giveUp);
      this.#waiting.add(waiting);
      this.#pump();
    });
  }

  /** Retires a connection whose peer asks for another one. The peer may still answer its open streams. */
  retire(connection: number): void {
    this.#connections.find(({ id }) => id === connection)?.retire();
  }

  /**
   * Begins no more requests. Resolves when all open streams have ended, or after `ms`: the outcomes of the rest are then unknown.
   */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    clearTimeout(this.#connecting);
    const drained = new Promise<void>((resolve) => (this.#drained = resolve));
    for (const waiting of this.#waiting) waiting.resolve(NOT_BEGUN);
    for (const connection of this.#connections) {
      if (connection.phase === 'opening') connection.destroy();
      else connection.retire();
    }
    const cut = setTimeout(() => this.#connections.forEach((connection) => connection.destroy()), ms);
    if (this.#connections.length > 0) await drained;
    clearTimeout(cut);
  }

  #unreachable = 'no connection';

  #withRoom(): Http2Connection | undefined {
    let best: Http2Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.room > 0 && (best === undefined || connection.open < best.open)) best = connection;
    }
    return best;
  }

  /** Call it whenever streams, settings or connections have changed. */
  #pump(): void {
    for (const { request, isWanted, resolve } of this.#waiting) {
      const connection = this.#withRoom();
      if (connection === undefined) break;
      // What request() throws, for example for a header that Node refuses, goes to the caller. Here it would end the process.
      resolve(new Promise((begun) => begun(isWanted() ? connection.request(request) : NOT_WANTED)));
    }
    const successorWanted = this.#connections.some(({ phase, open }) => phase === 'closing' && open > 0);
    if (this.#waiting.size > 0 || successorWanted) this.#connect();
  }

  /** Opens at most one connection at a time, at most one a second (gapMs), and more slowly after each failure. */
  #connect(): void {
    const { clock, connections, limits } = this.options;
    const live = this.#connections.filter(({ phase }) => phase !== 'closing');
    if (this.#draining || this.#connecting !== undefined) return;
    if (live.length >= connections || live.some(({ phase }) => phase === 'opening')) return;
    const now = clock.elapsed();
    if (now < this.#connectAt) {
      this.#connecting = setTimeout(() => {
        this.#connecting = undefined;
        this.#pump();
      }, this.#connectAt - now);
      return;
    }
    this.#connectAt = now + limits.gapMs;
    const connection: Http2Connection = new Http2Connection((this.#connected += 1), this.options, () =>
      this.#changed(connection),
    );
    this.#connections.push(connection);
  }

  #changed(connection: Http2Connection): void {
    if (connection.phase === 'gone') this.#lost(connection);
    else if (!connection.failed) this.#failures = 0;
    this.#pump();
  }

  #lost(connection: Http2Connection): void {
    if (!this.#connections.includes(connection)) return;
    this.#connections = this.#connections.filter((one) => one !== connection);
    if (connection.failed) {
      const { clock, limits } = this.options;
      const restMs = Math.min(limits.backOffMs * 2 ** this.#failures, limits.backOffCapMs);
      this.#failures += 1;
      this.#connectAt = Math.max(this.#connectAt, clock.elapsed() + restMs);
      this.#unreachable = connection.reason;
    }
    if (this.restMs > 0)
      for (const waiting of this.#waiting) waiting.resolve({ kind: 'notTaken', reason: this.#unreachable });
    if (this.#connections.length === 0) this.#drained();
  }
}

const ALWAYS = (): boolean => true;
const NOT_WANTED: RequestOutcome = { kind: 'notTaken', reason: 'it came too late' };
const NOT_BEGUN: RequestOutcome = { kind: 'notTaken', reason: 'the process is ending' };
