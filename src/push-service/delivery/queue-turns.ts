// Which queue a worker claims from next: in turn, those whose credential may have a claim. A claim of an outside provider goes on
// without its worker while its requests are open, so claims are bounded here: for each credential, and for each provider.
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
import type { CredentialRef, Provider, Standing } from './provider-port.js';
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
  /** Undefined: there is no provider for the queue's devices. */
  readonly route: (queue: Queue) => Promise<Route | undefined>;
}

export interface Claim {
  readonly queue: Queue;
  /** `failing`: the reason that all devices fail with, unsent. */
  readonly route: Route | { readonly failing: string };
  readonly chunks: readonly ClaimedChunk[];
  /** Frees its place. */
  readonly release: () => void;
}

/** Claims of a credential in a process: one is handed over while the answers to the other come. */
const MOST_OF_CREDENTIAL = 2;
/** Claims of a credential whose provider has not answered yet, does not answer, or refuses it: its window is one request. */
const MOST_OF_UNSURE = 1;

/**
 * Claims of one provider, FCM or APNs, in a process: one that stalls takes no place of the other's. A chunk with 1 000 tokens takes
 * some 0.4 MB, a run of small ones at most 1.6 MB. The rest of MOST_CLAIMS is for credentials whose provider answers; the rest of
 * MOST_UNSURE for those that nobody has tried yet.
 */
const MOST_CLAIMS = 64;
const MOST_UNSURE = 48;
const MOST_SILENT = 16;

/** Queues for which the next order is remembered. */
const QUEUES = 10_000;

export class QueueTurns {
  #last: Queue | undefined;
  /** The routes of the open claims. */
  readonly #open = new Set<Route>();
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
    const standing = provider.standing(credential);
    // A full window is no pause: the claim waits in the credential's queue.
    if (standing === 'paused' || !this.#hasPlace(route, standing)) return undefined;
    if (standing !== 'refused') return route;
    const isPatient =
      faultSince === undefined || this.options.clock.now() - faultSince < CREDENTIAL_PATIENCE_MS;
    return isPatient ? undefined : { failing: 'PROVIDER_CREDENTIAL' };
  }

  /** How each open claim's credential stands is asked now: it changes while the claim is open. */
  #hasPlace({ credential, faultSince }: Route, standing: Standing): boolean {
    const open = [...this.#open].filter((route) => route.credential.kind === credential.kind);
    // Not those of a version that was replaced: the new one does not wait for their requests.
    const own = open.filter(
      ({ credential: { id, version } }) => id === credential.id && version === credential.version,
    );
    const others = open.map((route) => route.provider.standing(route.credential));
    const unsure = others.filter((other) => other !== 'answering');
    const silent = others.filter((other) => other === 'silent');
    const isSure = standing === 'answering' && faultSince === undefined;
    return (
      own.length < (isSure ? MOST_OF_CREDENTIAL : MOST_OF_UNSURE) &&
      open.length < MOST_CLAIMS &&
      (standing === 'answering' || unsure.length < MOST_UNSURE) &&
      (standing !== 'silent' || silent.length < MOST_SILENT)
    );
  }

  #hold(route: Route | undefined): () => void {
    if (route?.provider.lostAnswerIs !== 'unknown') return () => undefined;
    const open = { ...route };
    this.#open.add(open);
    return () => this.#open.delete(open);
  }
}

function isAfter(a: Queue, b: Queue): boolean {
  return a.serviceId === b.serviceId ? a.deviceType > b.deviceType : a.serviceId > b.serviceId;
}
