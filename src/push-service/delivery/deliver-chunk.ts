// Chunks of targets to the provider: claim, render, hand over, record. Memory is bounded by what is claimed at once;
// nothing here opens a transaction of its own over a provider's answer.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';
import { retryingDeadlocks } from '../gateway/retry-deadlocks.js';
import {
  claimChunks,
  keepVariants,
  renewLeases,
  type ClaimedChunk,
  type ClaimOrder,
  type FiringVariant,
} from './chunk.store.js';
import { recordChunks, type ChunkOutcome } from './outcome.store.js';
import type { Handover, Provider, ProviderOutcome } from './provider.js';
import { Renderings, type Rendering } from './renderings.js';
import { handoverOf } from './render.js';

export interface DeliverContext {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly provider: Provider;
  /** Real milliseconds; renewed at a third of it. */
  readonly leaseMs: number;
}

/** A chunk whose claims were lost as often fails as a whole: it must not go round for ever. */
const MAX_CLAIMS = 5;

/** A chunk, and what its devices are handed. */
interface Batch {
  readonly chunk: ClaimedChunk;
  /** Index in the chunk of each hand-over; devices that are gone by now have none. */
  readonly places: readonly number[];
  readonly handovers: readonly Handover[];
}

export class ChunkDelivery {
  /** Names this process in its claims. */
  readonly #worker: string;
  readonly #renderings: Renderings;

  constructor(private readonly context: DeliverContext) {
    this.#worker = v7({ msecs: context.clock.now() });
    this.#renderings = new Renderings(context.sql);
  }

  /** Delivers what the first of the orders that has something gives: a chunk, or a run of small ones. Returns how many. */
  async deliverNext(orders: readonly ClaimOrder[], signal: AbortSignal): Promise<number> {
    const { sql, clock, leaseMs } = this.context;
    for (const order of orders) {
      const claimedAt = new Date(clock.now());
      const chunks = await claimChunks(sql, order, this.#worker, leaseMs);
      if (chunks.length === 0) continue;
      await this.#deliver(chunks, claimedAt, signal);
      return chunks.length;
    }
    return 0;
  }

  /** What a provider says nothing about is thrown once the rest is recorded; its chunk is claimed again. */
  async #deliver(chunks: readonly ClaimedChunk[], claimedAt: Date, signal: AbortSignal): Promise<void> {
    const { sql, clock, log } = this.context;
    const batches = await this.#render(chunks);
    const answers = await this.#handOver(batches, signal);
    const outcomes = batches.flatMap((batch, index) => {
      const answer = answers[index];
      return answer?.status === 'fulfilled' ? [this.#outcomeOf(batch, answer.value)] : [];
    });
    if (outcomes.length > 0) {
      const recorded = await retryingDeadlocks(() =>
        recordChunks(sql, outcomes, this.#worker, { claimedAt, now: new Date(clock.now()) }),
      );
      if (recorded < outcomes.length)
        log.warn({ claimed: outcomes.length, recorded }, 'chunks were taken over by another');
    }
    const unknown = answers.find((answer) => answer.status === 'rejected');
    if (unknown !== undefined) throw unknown.reason;
  }

  /** Each device's own payload. */
  async #render(chunks: readonly ClaimedChunk[]): Promise<Batch[]> {
    const renderings = await this.#renderings.of(chunks.map(({ firingId }) => firingId));
    const fresh: FiringVariant[] = [];
    const batches = chunks.map((chunk) => batchOf(chunk, renderings.get(chunk.firingId), fresh));
    try {
      if (fresh.length > 0) await keepVariants(this.context.sql, fresh);
    } catch (error) {
      for (const { firingId } of fresh) this.#renderings.forget(firingId);
      throw error;
    }
    return batches;
  }

  /** Chunk by chunk and all at once; holds their leases for as long as the provider takes. */
  async #handOver(
    batches: readonly Batch[],
    signal: AbortSignal,
  ): Promise<readonly PromiseSettledResult<readonly ProviderOutcome[]>[]> {
    const { sql, log, provider, leaseMs } = this.context;
    const chunks = batches.map(({ chunk }) => chunk);
    const renewal = setInterval(() => {
      renewLeases(sql, chunks, this.#worker, leaseMs).catch((error: unknown) =>
        log.warn({ err: error, chunks: chunks.length }, 'leases could not be renewed'),
      );
    }, leaseMs / 3);
    try {
      return await Promise.allSettled(
        batches.map(async ({ chunk, handovers }) =>
          chunk.claims > MAX_CLAIMS ? handovers.map(() => BROKEN) : provider.send(handovers, signal),
        ),
      );
    } finally {
      clearInterval(renewal);
    }
  }

  #outcomeOf({ chunk, places, handovers }: Batch, outcomes: readonly ProviderOutcome[]): ChunkOutcome {
    const { firingId, chunkNo, tokens } = chunk;
    const isRepeated = this.context.provider.answersCanBeLost && chunk.claims > 1;
    const repeated = isRepeated ? handovers.length : 0;
    if (places.length === tokens.length && outcomes.every(({ kind }) => kind === 'sent'))
      return { firingId, chunkNo, reasons: [], gonePlaces: [], repeated };
    const reasons: (string | null)[] = tokens.map(() => 'DEVICE_GONE');
    const gonePlaces: number[] = [];
    for (const [index, place] of places.entries()) {
      const outcome = outcomes[index] ?? BROKEN;
      reasons[place] = outcome.kind === 'sent' ? null : outcome.reason;
      if (outcome.kind === 'gone') gonePlaces.push(place + 1);
    }
    return { firingId, chunkNo, reasons, gonePlaces, repeated };
  }
}

const BROKEN: ProviderOutcome = { kind: 'failed', reason: 'PROVIDER_ERROR' };

function batchOf(chunk: ClaimedChunk, rendering: Rendering | undefined, fresh: FiringVariant[]): Batch {
  const { firingId } = chunk;
  if (rendering === undefined) throw new Error(`the message of firing ${firingId} is gone`);
  const places: number[] = [];
  const handovers: Handover[] = [];
  for (const [place, token] of chunk.tokens.entries()) {
    const deviceType = chunk.deviceTypes[place];
    const language = chunk.languages[place];
    if (token === null || deviceType === undefined || language === undefined) continue;
    places.push(place);
    const variant = rendering.variant(deviceType, language, (made) => fresh.push({ firingId, ...made }));
    handovers.push(handoverOf(variant, token));
  }
  return { chunk, places, handovers };
}
