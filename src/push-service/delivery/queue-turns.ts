// Which queue a worker serves next: in turn over those whose credential is not paused. A credential has a bounded share of the
// process, and so has a provider, so that one that is stuck never holds all workers.
import { LRUCache } from 'lru-cache';
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { claimChunks, listQueues, type ClaimedChunk, type ClaimOrder, type Queue } from './chunk.store.js';
import type { CredentialRef, Provider } from './provider-port.js';
import { CREDENTIAL_PATIENCE_MS } from './settle-outcome.js';

/** How a queue's devices are reached. */
export interface Route {
  readonly provider: Provider;
  readonly credential: CredentialRef;
  /** Since when the provider refuses the credential; undefined while it does not. */
  readonly faultSince: EpochMs | undefined;
}

export interface QueueTurnsOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly worker: string;
  readonly leaseMs: number;
  /** That claim at once: one of several is left to other providers than one that may be stuck under many credentials. */
  readonly workers: number;
  /** Undefined: nothing is set up to reach them by. */
  readonly route: (queue: Queue) => Promise<Route | undefined>;
}

export interface Claim {
  readonly queue: Queue;
  /** Or what all of it fails with, unsent. */
  readonly route: Route | { readonly failing: string };
  readonly chunks: readonly ClaimedChunk[];
  /** Its share is free again. */
  readonly release: () => void;
}

/** Chunks, or runs of small ones, of a credential in a process. */
const MOST_OF_CREDENTIAL = 2;

/** Of which it is remembered whose turn it is. */
const QUEUES = 10_000;

export class QueueTurns {
  #last: Queue | undefined;
  /** Claims, by credential and by kind. */
  readonly #held = new Map<string, number>();
  /** Queues whose next chunk is that of the oldest message. */
  readonly #oldestNext = new LRUCache<string, true>({ max: QUEUES });

  constructor(private readonly options: QueueTurnsOptions) {}

  /**
   * What the next queue gives that has a turn; undefined when none does. `by-turns`: of each queue, so that a big message is not
   * passed for ever, and small ones never wait for its end.
   */
  async claim(given: ClaimOrder | 'by-turns'): Promise<Claim | undefined> {
    const { sql, clock, worker, leaseMs, route: routeOf } = this.options;
    for (const queue of this.#inTurn(await listQueues(sql))) {
      const route = await routeOf(queue);
      const going = this.#going(route);
      if (going === undefined) continue;
      this.#last = queue;
      const release = this.#hold(route);
      try {
        const order = given === 'by-turns' ? this.#nextOrder(queue) : given;
        const chunks = await claimChunks(sql, queue, order, { worker, leaseMs, now: new Date(clock.now()) });
        if (chunks.length > 0) return { queue, route: going, chunks, release };
      } catch (error) {
        release();
        throw error;
      }
      release();
    }
    return undefined;
  }

  /** Of the queue itself: two queues in turn would each be asked in one order alone. */
  #nextOrder({ serviceId, deviceType }: Queue): ClaimOrder {
    const key = `${serviceId}/${deviceType}`;
    if (this.#oldestNext.delete(key)) return 'oldest';
    this.#oldestNext.set(key, true);
    return 'spread';
  }

  /** From the one after the last that had a turn. */
  #inTurn(queues: readonly Queue[]): readonly Queue[] {
    const last = this.#last;
    if (last === undefined) return queues;
    const first = queues.findIndex((queue) => isAfter(queue, last));
    return first <= 0 ? queues : [...queues.slice(first), ...queues.slice(0, first)];
  }

  /** Undefined: not now. */
  #going(route: Route | undefined): Claim['route'] | undefined {
    if (route === undefined) return { failing: 'PROVIDER_NOT_CONFIGURED' };
    const { provider, credential, faultSince } = route;
    if (provider.lostAnswerIs === 'again') return route;
    // One chunk is enough for a probe.
    const most = faultSince === undefined ? MOST_OF_CREDENTIAL : 1;
    if ((this.#held.get(credential.id) ?? 0) >= most) return undefined;
    if ((this.#held.get(credential.kind) ?? 0) >= Math.max(1, this.options.workers - 1)) return undefined;
    // A window that is full for now is waited for by whoever claims.
    if (!provider.isPaused(credential)) return route;
    // A pause for another reason says nothing of the credential, which may have been set right since.
    const isPatient =
      faultSince === undefined ||
      !provider.refuses(credential) ||
      this.options.clock.now() - faultSince < CREDENTIAL_PATIENCE_MS;
    return isPatient ? undefined : { failing: 'PROVIDER_CREDENTIAL' };
  }

  #hold(route: Route | undefined): () => void {
    if (route === undefined) return () => undefined;
    const { id, kind } = route.credential;
    const count = (key: string, more: number): void => {
      const now = (this.#held.get(key) ?? 0) + more;
      if (now > 0) this.#held.set(key, now);
      else this.#held.delete(key);
    };
    for (const key of [id, kind]) count(key, 1);
    return () => {
      for (const key of [id, kind]) count(key, -1);
    };
  }
}

function isAfter(a: Queue, b: Queue): boolean {
  return a.serviceId === b.serviceId ? a.deviceType > b.deviceType : a.serviceId > b.serviceId;
}
