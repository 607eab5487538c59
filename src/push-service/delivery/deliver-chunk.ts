// One chunk of targets to the provider: claim, render, hand over, record. Memory is bounded by the chunk; nothing here
// opens a transaction of its own over a provider's answer.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import type { Message } from '../messages/message-request.js';
import {
  claimChunk,
  keepVariant,
  recordChunk,
  renewLease,
  requestOfFiring,
  type ChunkOutcome,
  type ClaimedChunk,
  type ClaimOrder,
} from './chunk.store.js';
import type { Handover, Provider, ProviderOutcome } from './provider.js';
import { handoverOf, renderVariant, type Variant } from './render.js';

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

/** Messages whose rendering is remembered; each is some languages times two texts. */
const MAX_RENDERINGS = 64;

interface Rendering {
  readonly message: Message;
  readonly variants: Map<string, Variant>;
}

export class ChunkDelivery {
  /** Names this process in its claims. */
  readonly #worker: string;
  readonly #renderings = new Map<string, Rendering>();

  constructor(private readonly context: DeliverContext) {
    this.#worker = v7({ msecs: context.clock.now() });
  }

  /** Delivers one chunk, found in the first of the orders that has one. Returns false when none has. */
  async deliverNext(orders: readonly ClaimOrder[], signal: AbortSignal): Promise<boolean> {
    const { sql, leaseMs } = this.context;
    for (const order of orders) {
      const chunk = await claimChunk(sql, order, this.#worker, leaseMs);
      if (chunk !== undefined) {
        await this.#deliver(chunk, signal);
        return true;
      }
    }
    return false;
  }

  async #deliver(chunk: ClaimedChunk, signal: AbortSignal): Promise<void> {
    const { sql, clock, log, provider } = this.context;
    const { places, batch } = await this.#render(chunk);
    const outcomes =
      chunk.claims > MAX_CLAIMS
        ? batch.map((): ProviderOutcome => ({ kind: 'failed', reason: 'PROVIDER_ERROR' }))
        : await this.#handOver(chunk, batch, signal);
    const repeated = provider.answersCanBeLost && chunk.claims > 1 ? batch.length : 0;
    const outcome = outcomeOf(chunk, places, outcomes, repeated);
    const recorded = await recordChunk(sql, chunk, this.#worker, outcome, new Date(clock.now()));
    if (!recorded)
      log.warn({ firing: chunk.firingId, chunk: chunk.chunkNo }, 'a chunk was taken over by another');
  }

  /** Each device's own payload; devices that are gone by now have none. */
  async #render(chunk: ClaimedChunk): Promise<{ places: number[]; batch: Handover[] }> {
    const rendering = await this.#renderingOf(chunk.firingId);
    const places: number[] = [];
    const batch: Handover[] = [];
    for (const [index, token] of chunk.tokens.entries()) {
      const deviceType = chunk.deviceTypes[index];
      const language = chunk.languages[index];
      if (token === null || deviceType === undefined || language === undefined) continue;
      places.push(index + 1);
      const variant =
        rendering.variants.get(`${deviceType} ${language}`) ??
        (await this.#newVariant(chunk.firingId, rendering, deviceType, language));
      batch.push(handoverOf(variant, token));
    }
    return { places, batch };
  }

  async #renderingOf(firingId: string): Promise<Rendering> {
    const known = this.#renderings.get(firingId);
    if (known !== undefined) return known;
    const request = await requestOfFiring(this.context.sql, firingId);
    if (request === undefined) throw new Error(`the message of firing ${firingId} is gone`);
    const { message } = JSON.parse(request) as { message: Message };
    const rendering: Rendering = { message, variants: new Map() };
    this.#renderings.set(firingId, rendering);
    const oldest = this.#renderings.keys().next();
    if (this.#renderings.size > MAX_RENDERINGS && oldest.value !== undefined)
      this.#renderings.delete(oldest.value);
    return rendering;
  }

  async #newVariant(
    firingId: string,
    rendering: Rendering,
    deviceType: DeviceType,
    language: string,
  ): Promise<Variant> {
    const variant = renderVariant(rendering.message, deviceType, language);
    await keepVariant(this.context.sql, firingId, variant);
    rendering.variants.set(`${deviceType} ${language}`, variant);
    return variant;
  }

  /** Holds the lease for as long as the provider takes. */
  async #handOver(
    chunk: ClaimedChunk,
    batch: readonly Handover[],
    signal: AbortSignal,
  ): Promise<readonly ProviderOutcome[]> {
    const { sql, log, provider, leaseMs } = this.context;
    const renewal = setInterval(() => {
      renewLease(sql, chunk, this.#worker, leaseMs).catch((error: unknown) =>
        log.warn({ err: error, firing: chunk.firingId }, 'a lease could not be renewed'),
      );
    }, leaseMs / 3);
    try {
      return await provider.send(batch, signal);
    } finally {
      clearInterval(renewal);
    }
  }
}

function outcomeOf(
  chunk: ClaimedChunk,
  places: readonly number[],
  outcomes: readonly ProviderOutcome[],
  repeated: number,
): ChunkOutcome {
  const failed = new Map<number, string>();
  const gonePlaces: number[] = [];
  if (places.length < chunk.tokens.length) {
    chunk.tokens.forEach((token, index) => token === null && failed.set(index + 1, 'DEVICE_GONE'));
  }
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'sent') continue;
    const place = places[index] ?? 0;
    failed.set(place, outcome.reason);
    if (outcome.kind === 'gone') gonePlaces.push(place);
  }
  return {
    failedPlaces: [...failed.keys()],
    failedReasons: [...failed.values()],
    gonePlaces,
    sent: chunk.tokens.length - failed.size,
    repeated,
  };
}
