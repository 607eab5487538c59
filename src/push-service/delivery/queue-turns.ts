// Decides from which queue a worker claims next. Queues whose credential may have another claim come in turn. A claim for an
// outside provider goes on without its worker while requests are open, so this file bounds claims for each credential and each
// provider.
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
import type { CredentialRef, Provider, Readiness } from './provider-port.js';
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
  /** Undefined: no provider is set up for the queue's devices. */
  readonly route: (queue: Queue) => Promise<Route | undefined>;
}

export interface Claim {
  readonly queue: Queue;
  /** `failing`: all devices fail with this reason and are not sent to. */
  readonly route: Route | { readonly failing: string };
  readonly chunks: readonly ClaimedChunk[];
  /** Frees the place of the claim. */
  readonly release: () => void;
}

/** The most claims of a credential in a process: one is handed over while the answers to the other come. */
const MOST_OF_CREDENTIAL = 2;
/**
 * The most claims of a credential whose provider has not answered yet, does not answer, or refuses it. Its request window is one
 * request.
 */
const MOST_OF_UNSURE = 1;

/**
 * The most claims of one provider, FCM or APNs, in a process: a provider that stalls takes no place of the other. A chunk with 1
 * 000 tokens takes some 0.4 MB, a run of small ones at most 1.6 MB. At most MOST_UNSURE claims are for credentials whose provider
 * does not answer or has not been tried, and at most MOST_SILENT of those are for providers that do not answer.
 */
const MOST_CLAIMS = 64;
const MOST_UNSURE = 48;
const MOST_SILENT = 16;

/** For how many queues the next order is remembered. */
const QUEUES = 10_000;

export class QueueTurns {
  #last: Queue | undefined;
  /** The routes of the open claims. */
  readonly #open = new Set<Route>();
  /** The queues whose next claim is in the order `oldest`. */
  readonly #oldestNext = new LRUCache<string, true>({ max: QUEUES });

  constructor(private readonly options: QueueTurnsOptions) {}

  /**
   * Claims from the next queue that has a turn; undefined when no queue has one. `by-turns` alternates the two orders within each
   * queue. So small messages do not overtake a big one for ever, and they never wait for its end.
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

  /** Alternates for each queue on its own. With one order for all, two queues in turn would each get one order only. */
  #nextOrder({ serviceId, deviceType }: Queue): ClaimOrder {
    const key = `${serviceId}/${deviceType}`;
    if (this.#oldestNext.delete(key)) return 'oldest';
    this.#oldestNext.set(key, true);
    return 'spread';
  }

  /** Begins with the queue after the one that had the last turn. */
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
    const readiness = provider.readiness(credential);
    // A full request window is no pause: the claim waits in the credential's queue.
    if (readiness === 'paused' || !this.#hasPlace(route, readiness)) return undefined;
    if (readiness !== 'refused') return route;
    const isPatient =
      faultSince === undefined || this.options.clock.now() - faultSince < CREDENTIAL_PATIENCE_MS;
    return isPatient ? undefined : { failing: 'PROVIDER_CREDENTIAL' };
  }

  /** Asks for the readiness of each open claim's credential now, because it changes while the claim is open. */
  #hasPlace({ credential, faultSince }: Route, readiness: Readiness): boolean {
    const open = [...this.#open].filter((route) => route.credential.kind === credential.kind);
    // Claims of a version that was replaced do not count: the new version does not wait for their requests.
    const own = open.filter(
      ({ credential: { id, version } }) => id === credential.id && version === credential.version,
    );
    const others = open.map((route) => route.provider.readiness(route.credential));
    const unsure = others.filter((other) => other !== 'answering');
    const silent = others.filter((other) => other === 'silent');
    const isSure = readiness === 'answering' && faultSince === undefined;
    return (
      own.length < (isSure ? MOST_OF_CREDENTIAL : MOST_OF_UNSURE) &&
      open.length < MOST_CLAIMS &&
      (readiness === 'answering' || unsure.length < MOST_UNSURE) &&
      (readiness !== 'silent' || silent.length < MOST_SILENT)
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
