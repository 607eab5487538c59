// Which queue a worker serves next: in turn, those whose credential is not paused. A credential has a bounded share of the
// process's workers, and so has a provider, so that one that is stuck never holds all of them.
import { LRUCache } from 'lru-cache';
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import {
  claimChunks,
  listQueues,
  type ClaimedChunk,
  type Claimer,
  type ClaimOrder,
  type Queue,
} from './chunk.store.js';
import type { CredentialRef, Provider } from './provider-port.js';
import { CREDENTIAL_PATIENCE_MS } from './outcome-code.js';

/** How a queue's devices are reached. */
export interface Route {
  readonly provider: Provider;
  readonly credential: CredentialRef;
  /** When the provider began to refuse the credential; undefined while it does not. */
  readonly faultSince: EpochMs | undefined;
}

export interface QueueTurnsOptions extends Omit<Claimer, 'now'> {
  readonly sql: Sql;
  readonly clock: Clock;
  /** How many claim at once. One of several is kept free of a provider, which may be stuck under many credentials. */
  readonly workers: number;
  /** Undefined: there is no provider for the queue's devices. */
  readonly route: (queue: Queue) => Promise<Route | undefined>;
}

export interface Claim {
  readonly queue: Queue;
  /** `failing`: the reason that all devices fail with, unsent. */
  readonly route: Route | { readonly failing: string };
  readonly chunks: readonly ClaimedChunk[];
  /** Frees its share of the workers. */
  readonly release: () => void;
}

/** Claims of a credential in a process: chunks, or runs of small ones. */
const MOST_OF_CREDENTIAL = 2;

/** Queues for which the next order is remembered. */
const QUEUES = 10_000;

export class QueueTurns {
  #last: Queue | undefined;
  /** Claims that are held, by credential id and by kind. */
  readonly #held = new Map<string, number>();
  /** Queues whose next claim is in the order `oldest`. */
  readonly #oldestNext = new LRUCache<string, true>({ max: QUEUES });

  constructor(private readonly options: QueueTurnsOptions) {}

  /**
   * Claims from the next queue that has a turn; undefined when none has. `by-turns` alternates the two orders within each
   * queue, so that a big message is not passed for ever, and small ones never wait for its end.
   */
  async claim(given: ClaimOrder | 'by-turns'): Promise<Claim | undefined> {
    const { sql, clock, worker, leaseMs, route: routeOf } = this.options;
    for (const queue of this.#inTurn(await listQueues(sql))) {
      const route = await routeOf(queue);
      const going = this.#going(route);
      if (going === undefined) continue;
      this.#last = queue;
      const release = this.#hold(route);
      let chunks: readonly ClaimedChunk[] = [];
      try {
        const order = given === 'by-turns' ? this.#nextOrder(queue) : given;
        chunks = await claimChunks(sql, queue, order, { worker, leaseMs, now: new Date(clock.now()) });
      } finally {
        if (chunks.length === 0) release();
      }
      if (chunks.length > 0) return { queue, route: going, chunks, release };
    }
    return undefined;
  }

  /** Alternates for each queue on its own: in common, two queues in turn would each get one order only. */
  #nextOrder({ serviceId, deviceType }: Queue): ClaimOrder {
    const key = `${serviceId}/${deviceType}`;
    if (this.#oldestNext.delete(key)) return 'oldest';
    this.#oldestNext.set(key, true);
    return 'spread';
  }

  /** Begins with the queue after the last that had a turn. */
  #inTurn(queues: readonly Queue[]): readonly Queue[] {
    const last = this.#last;
    if (last === undefined) return queues;
    const first = queues.findIndex((queue) => isAfter(queue, last));
    return first <= 0 ? queues : [...queues.slice(first), ...queues.slice(0, first)];
  }

  /** Undefined: the queue has no turn now. */
  #going(route: Route | undefined): Claim['route'] | undefined {
    if (route === undefined) return { failing: 'PROVIDER_NOT_CONFIGURED' };
    const { provider, credential, faultSince } = route;
    if (provider.lostAnswerIs === 'again') return route;
    // One chunk is enough for a probe.
    const most = faultSince === undefined ? MOST_OF_CREDENTIAL : 1;
    if (this.#heldBy(credential.id) >= most) return undefined;
    if (this.#heldBy(credential.kind) >= Math.max(1, this.options.workers - 1)) return undefined;
    // A full window is no pause: the claiming worker waits for room.
    if (!provider.isPaused(credential)) return route;
    // A pause for another reason says nothing about the credential, which may have been set right since.
    const isPatient =
      faultSince === undefined ||
      !provider.refuses(credential) ||
      this.options.clock.now() - faultSince < CREDENTIAL_PATIENCE_MS;
    return isPatient ? undefined : { failing: 'PROVIDER_CREDENTIAL' };
  }

  #hold(route: Route | undefined): () => void {
    const keys = route === undefined ? [] : [route.credential.id, route.credential.kind];
    for (const key of keys) this.#held.set(key, this.#heldBy(key) + 1);
    return () => {
      for (const key of keys) {
        const left = this.#heldBy(key) - 1;
        if (left > 0) this.#held.set(key, left);
        else this.#held.delete(key);
      }
    };
  }

  #heldBy(key: string): number {
    return this.#held.get(key) ?? 0;
  }
}

function isAfter(a: Queue, b: Queue): boolean {
  return a.serviceId === b.serviceId ? a.deviceType > b.deviceType : a.serviceId > b.serviceId;
}
