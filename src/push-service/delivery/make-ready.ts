// Claimed chunks are judged before anything is made of them, and then rendered. What breaks in one holds up no other of its
// claim, and ends that claim alone: as lost, so that it does not go round for ever.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import { databaseFault } from '../gateway/database-fault.js';
import { keepVariants, type FiringVariant } from './chunk.store.js';
import { isOver } from './deadlines.js';
import type { OpenChunk } from './open-chunk.js';
import type { Target } from './provider-port.js';
import type { Variant } from '../../push-contract/payload/render.js';
import { Renderings, type Rendering } from './renderings.js';

/** A chunk whose claims were lost as often fails as a whole: it must not go round for ever. */
const MAX_LOST_CLAIMS = 5;

export class MakeReady {
  readonly #renderings: Renderings;

  constructor(private readonly context: { readonly sql: Sql; readonly clock: Clock }) {
    this.#renderings = new Renderings(context.sql);
  }

  /** What is known without a rendering: its end, a cancellation, claims lost, consent withdrawn. */
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

  /** Returns what broke. Throws while the database is away: nothing of them has left then. */
  async run(deviceType: DeviceType, chunks: readonly OpenChunk[]): Promise<unknown[]> {
    const bugs: unknown[] = [];
    const fresh = new Map<string, FiringVariant[]>();
    const renderings = await this.#renderings.of(chunks.map(({ chunk }) => chunk.firingId));
    for (const chunk of chunks) {
      const { firingId } = chunk.chunk;
      const made = fresh.get(firingId) ?? [];
      fresh.set(firingId, made);
      try {
        this.#render(chunk, deviceType, {
          rendering: renderings.get(firingId),
          onMade: (variant) => void made.push({ firingId, ...variant }),
        });
      } catch (bug) {
        chunk.isBroken = true;
        bugs.push(bug);
      }
    }
    const unkept = await this.#keep(fresh);
    for (const chunk of chunks) if (unkept.has(chunk.chunk.firingId)) chunk.isBroken = true;
    return [...bugs, ...unkept.values()];
  }

  #render(
    chunk: OpenChunk,
    deviceType: DeviceType,
    { rendering, onMade }: { rendering: Rendering | undefined; onMade: (made: Variant) => void },
  ): void {
    const { firingId, languages, deviceIds, tokens } = chunk.chunk;
    if (rendering === undefined) throw new Error(`the message of firing ${firingId} is gone`);
    const { all, byLanguage, tooLarge } = rendering.variants(deviceType, languages, onMade);
    const elapsed = this.context.clock.elapsed();
    const targets = deviceIds.map((deviceId, place): Target | undefined => {
      const token = tokens?.[place] ?? undefined;
      const variant = byLanguage.get(languages[place] ?? '');
      if (token === undefined || variant === undefined) return undefined;
      return { place, deviceId: String(deviceId), token, variant };
    });
    chunk.makeReady(all, targets, rendering.trace);
    targets.forEach((target, place) => {
      if (target === undefined) chunk.fail(place, 'DEVICE_GONE', elapsed);
      else if (tooLarge.has(target.variant)) chunk.fail(place, 'PAYLOAD_TOO_LARGE', elapsed);
    });
  }

  /** Returns the firings whose variants the database refuses, and why. */
  async #keep(fresh: ReadonlyMap<string, readonly FiringVariant[]>): Promise<ReadonlyMap<string, unknown>> {
    const refused = new Map<string, unknown>();
    const all = [...fresh.values()].flat();
    try {
      if (all.length > 0) await keepVariants(this.context.sql, all);
    } catch (error) {
      for (const firingId of fresh.keys()) this.#renderings.forget(firingId);
      if (databaseFault(error) !== undefined) throw error;
      if (fresh.size === 1) for (const firingId of fresh.keys()) refused.set(firingId, error);
      else
        for (const [firingId, variants] of fresh)
          for (const [id, why] of await this.#keep(new Map([[firingId, variants]]))) refused.set(id, why);
    }
    return refused;
  }
}
