// Judges claimed chunks, and then renders their messages. A chunk that breaks does not hold up the others of its claim. Its own
// claim then counts as lost, so that the chunk does not come again for ever.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { inHalves } from '../../platform/database/isolate-refused.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import { databaseFault } from '../gateway/database-fault.js';
import { keepVariants, requestsOfFirings, type FiringVariant } from './chunk.store.js';
import { isOver } from './deadlines.js';
import type { OpenChunk } from './open-chunk.js';
import type { Target } from './provider-port.js';
import { Rendering } from './rendering.js';

/** A chunk whose claims were lost this often fails as a whole. */
const MAX_LOST_CLAIMS = 5;

/** For how many firings the rendering is remembered from claim to claim. Each has two texts in some languages. */
const MAX_RENDERINGS = 64;

export class RenderChunks {
  readonly #renderings = new LRUCache<string, Rendering>({ max: MAX_RENDERINGS });

  constructor(private readonly context: { readonly sql: Sql; readonly clock: Clock }) {}

  /** Ends what needs no rendering: its end has passed, the message was cancelled, claims were lost, or consent was withdrawn. */
  judge(chunk: OpenChunk): void {
    const { clock } = this.context;
    const { isCanceled, suppressed } = chunk.chunk;
    const elapsed = clock.elapsed();
    const over = isOver(chunk.job, clock);
    if (isCanceled) chunk.failRest('CANCELED', elapsed);
    else if (over?.kind === 'failed') chunk.failRest(over.reason, elapsed);
    else if (chunk.lostClaims >= MAX_LOST_CLAIMS) chunk.failRest('PROVIDER_ERROR', elapsed);
    for (const [place, reason] of Object.entries(suppressed ?? {})) chunk.leaveOut(Number(place), reason);
  }

  /**
   * Returns the chunks to hand over, and adds to `bugs` what broke. While the database is away it returns none: all go back as
   * they are, and no claim is lost.
   */
  async run(
    deviceType: DeviceType,
    chunks: readonly OpenChunk[],
    bugs: unknown[],
  ): Promise<readonly OpenChunk[]> {
    try {
      await this.#renderAll(deviceType, chunks, bugs);
      return chunks.filter(({ isBroken, isDone }) => !isBroken && !isDone);
    } catch (error) {
      bugs.push(error);
      if (databaseFault(error) === undefined) for (const chunk of chunks) chunk.isBroken = true;
      return [];
    }
  }

  async #renderAll(deviceType: DeviceType, chunks: readonly OpenChunk[], bugs: unknown[]): Promise<void> {
    const fresh = new Map<string, FiringVariant[]>();
    const renderings = await this.#renderingsOf(chunks.map(({ chunk }) => chunk.firingId));
    for (const chunk of chunks) {
      const { firingId } = chunk.chunk;
      const made = fresh.get(firingId) ?? [];
      fresh.set(firingId, made);
      try {
        this.#render(chunk, deviceType, renderings.get(firingId), made);
      } catch (bug) {
        chunk.isBroken = true;
        bugs.push(bug);
      }
    }
    const refused = await this.#keep(fresh);
    for (const chunk of chunks) if (refused.has(chunk.chunk.firingId)) chunk.isBroken = true;
    bugs.push(...refused.values());
  }

  /** Renderings by firing; only for firings whose message still exists. */
  async #renderingsOf(firingIds: readonly string[]): Promise<ReadonlyMap<string, Rendering>> {
    const found = new Map<string, Rendering>();
    const missing = new Set<string>();
    for (const id of firingIds) {
      const known = this.#renderings.get(id);
      if (known === undefined) missing.add(id);
      else found.set(id, known);
    }
    if (missing.size === 0) return found;
    for (const { firingId, firedAt, request } of await requestsOfFirings(this.context.sql, [...missing])) {
      const rendering = new Rendering(request, firedAt.getTime());
      found.set(firingId, rendering);
      // A small firing of a run does not come again.
      if (missing.size === 1) this.#renderings.set(firingId, rendering);
    }
    return found;
  }

  /** Adds to `made` the variants that were rendered for the first time. */
  #render(
    chunk: OpenChunk,
    deviceType: DeviceType,
    rendering: Rendering | undefined,
    made: FiringVariant[],
  ): void {
    const { firingId, languages, deviceIds, tokens } = chunk.chunk;
    if (rendering === undefined) throw new Error(`the message of firing ${firingId} is gone`);
    const { all, byLanguage, tooLarge } = rendering.variants(
      deviceType,
      languages,
      (variant) => void made.push({ firingId, ...variant }),
    );
    const elapsed = this.context.clock.elapsed();
    const targets = deviceIds.map((deviceId, place): Target | undefined => {
      const token = tokens?.[place] ?? undefined;
      const variant = byLanguage.get(languages[place] ?? '');
      if (token === undefined || variant === undefined) {
        chunk.fail(place, 'DEVICE_GONE', elapsed);
        return undefined;
      }
      if (tooLarge.has(variant)) chunk.fail(place, 'PAYLOAD_TOO_LARGE', elapsed);
      return { place, deviceId: String(deviceId), token, variant };
    });
    chunk.makeReady(all, targets, rendering.trace);
  }

  /** Returns the firings whose variants the database refuses, each with the error. If they come again they are rendered again. */
  async #keep(fresh: ReadonlyMap<string, readonly FiringVariant[]>): Promise<ReadonlyMap<string, unknown>> {
    const refused = new Map<string, unknown>();
    try {
      await inHalves(
        [...fresh],
        (firings) =>
          keepVariants(
            this.context.sql,
            firings.flatMap(([, variants]) => variants),
          ),
        ([firingId], error) => {
          refused.set(firingId, error);
          this.#renderings.delete(firingId);
          return Promise.resolve();
        },
        (error): error is Error => databaseFault(error) === undefined,
      );
    } catch (error) {
      for (const firingId of fresh.keys()) this.#renderings.delete(firingId);
      throw error;
    }
    return refused;
  }
}
