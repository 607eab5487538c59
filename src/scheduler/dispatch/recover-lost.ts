// Makes uncertain what was on the wire of replicas that are gone: nobody knows what became of it. Ends blocks that are over.
// Never calls, never repeats.
import { inHalves } from '../../platform/database/isolate-refused.js';
import { FullReads } from '../../platform/loops/full-reads.js';
import { faultFields } from '../../platform/logging/log.js';
import { endBlocks } from '../push-client/blocks/project-block.store.js';
import { lostSends, recoverSends, type LostSend, type WorkPlace } from '../store/send/recover.store.js';
import { traceOfSend } from '../store/trace.store.js';
import type { DispatchParts } from './dispatch-parts.js';
import { forgetReplicas } from './replica.store.js';
import type { Replicas } from './replicas.js';

/** `aheadMs`: no send is fired longer before its instant. */
export interface RecoverParts extends Pick<DispatchParts, 'sql' | 'clock' | 'log' | 'aheadMs'> {
  readonly replicas: Pick<Replicas, 'id' | 'dead' | 'goneCount' | 'slice'>;
  /** Called with how many sends it made uncertain, for the metrics. */
  readonly recovered?: (sends: number) => void;
}

const BY = 'dispatch-recover';
/** Rows of an index that one statement looks through. */
const PAGE = 20_000;
/** Sends that one statement makes uncertain. */
const BATCH = 500;
/** How often the first replica searches although none is newly gone: a statement for each project, so less often with many. */
const EVERY = { everyMs: 60_000, oneIn: 500, mostWaitMs: 600_000 };
/** How far the clock of a gone replica, by which it fired, may have been ahead of this one. */
const CLOCKS_APART_MS = 3_600_000;

export class RecoverLost {
  /** The Replicas.goneCount for which everything was looked through. */
  #goneSeen = 0;
  /** The last search made sends uncertain, and there may be more. */
  #again = false;
  readonly #searches: FullReads;

  constructor(private readonly parts: RecoverParts) {
    this.#searches = new FullReads(parts.clock, EVERY);
  }

  /** Returns how many sends it made uncertain. */
  async runOnce(): Promise<number> {
    const { sql, clock, log, replicas, recovered } = this.parts;
    await endBlocks(sql, clock.now());
    const { goneCount } = replicas;
    const isNews = goneCount !== this.#goneSeen;
    if (!isNews && !this.#isTime()) return 0;
    const dead = replicas.dead();
    const furtherMs = isNews ? CLOCKS_APART_MS : 0;
    const { found, moved } = await this.#searches.read(() => this.#recover(furtherMs));
    if (moved > 0) {
      recovered?.(moved);
      log.warn(
        { uncertain: moved },
        'sends of a replica that is gone were found: nobody knows what became of them',
      );
    }
    // Otherwise it searches once more: the row of a dead replica stays as long as a send names it.
    if (found === 0) await forgetReplicas(sql, dead);
    this.#again = found > 0 && moved > 0;
    if (!this.#again) this.#goneSeen = goneCount;
    return moved;
  }

  /** Only the first of several replicas searches again; each of them searched when a replica was newly gone. */
  #isTime(): boolean {
    const { replicas } = this.parts;
    return replicas.goneCount > 0 && replicas.slice().index === 0 && (this.#again || this.#searches.isTime);
  }

  async #recover(furtherMs: number): Promise<{ found: number; moved: number }> {
    const { sql, clock, replicas, aheadMs } = this.parts;
    const projects = await sql.query<{ service_id: string }>('select service_id from project order by 1');
    const upTo = clock.now() + aheadMs + furtherMs;
    let found = 0;
    let moved = 0;
    for (const { service_id: serviceId } of projects) {
      let after: WorkPlace | undefined;
      do {
        const ask = { serviceId, upTo, replica: replicas.id, dead: replicas.dead(), most: PAGE };
        const page = await lostSends(sql, after === undefined ? ask : { ...ask, after });
        found += page.lost.length;
        for (let from = 0; from < page.lost.length; from += BATCH)
          moved += await this.#move(page.lost.slice(from, from + BATCH));
        after = page.last;
      } while (after !== undefined);
    }
    return { found, moved };
  }

  async #move(lost: readonly LostSend[]): Promise<number> {
    const { sql, clock, log } = this.parts;
    const moved = await inHalves(
      lost,
      (sends) => recoverSends(sql, sends, clock.now(), BY),
      async ({ id }, error) => {
        const trace = await traceOfSend(sql, id);
        const fault = { fault: faultFields(error), send: id, trace };
        log.error(fault, 'the database refuses to make a send uncertain');
        return 0;
      },
    );
    return moved.reduce((sum, count) => sum + count, 0);
  }
}
