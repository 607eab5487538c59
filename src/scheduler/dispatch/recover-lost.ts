// Makes the sends uncertain that dead replicas had in flight: nobody knows what became of them. Ends blocks whose time is over.
// Never calls, never repeats.
import { inHalves } from '../../platform/database/isolate-refused.js';
import { FullReads } from '../../platform/loops/full-reads.js';
import { faultFields } from '../../platform/logging/log.js';
import { endBlocks } from '../push-client/blocks/project-block.store.js';
import {
  dueFrom,
  lostSends,
  recoverSends,
  type LostSend,
  type WorkPlace,
} from '../store/send/recover.store.js';
import { traceOfSend } from '../store/trace.store.js';
import type { DispatchDeps } from './dispatch-deps.js';
import { deleteReplicas } from './replica.store.js';
import type { Replicas } from './replicas.js';

/** `aheadMs`: no send is fired earlier than this before its instant. */
export interface RecoverDeps extends Pick<DispatchDeps, 'sql' | 'clock' | 'log' | 'aheadMs'> {
  readonly replicas: Pick<Replicas, 'id' | 'dead' | 'goneCount' | 'slice'>;
  /** Called with how many sends it made uncertain, for the metrics. */
  readonly recovered?: (sends: number) => void;
}

const BY = 'dispatch-recover';
/** The most rows of an index that one statement reads. */
const PAGE = 20_000;
/** The most sends that one statement makes uncertain. */
const BATCH = 500;
/** How often everything is searched although no replica died since: a statement for each project, so less often with many. */
const EVERY = { everyMs: 60_000, oneIn: 500, mostWaitMs: 600_000 };
/** How soon everything is searched again after a replica died: what failed or found some is repeated, 20 × its time later. */
const OWED = { everyMs: 0, oneIn: 20, mostWaitMs: 60_000 };
/** The clock by which a dead replica fired may have been ahead of this process's by this much. */
const CLOCKS_APART_MS = 3_600_000;
/** Almost all sends that a replica had in flight when it was found dead had become due within this time. */
const LATELY_MS = 600_000;

export class RecoverLost {
  /** The Replicas.goneCount at the last search of what was due lately. */
  #goneSeen = 0;
  /** A replica died, and since then no search of everything has found all of its sends ended. */
  #isOwed = false;
  readonly #searches: FullReads;
  readonly #owedSearches: FullReads;

  constructor(private readonly deps: RecoverDeps) {
    this.#searches = new FullReads(deps.clock, EVERY);
    this.#owedSearches = new FullReads(deps.clock, OWED);
  }

  /** The first of the living replicas searches for all of them. Returns how many sends it made uncertain. */
  async runOnce(): Promise<number> {
    const { sql, clock, replicas } = this.deps;
    await endBlocks(sql, clock.now());
    if (replicas.goneCount === 0 || replicas.slice().index !== 0) return 0;
    const lately = await this.#searchLately();
    return lately + (await this.#searchAll());
  }

  /**
   * Searches what was due lately when a replica was found dead. A search from the start may be slow or fail at its time limit: while
   * somebody holds a snapshot, it reads every send that has ended since (1.5 µs each).
   */
  async #searchLately(): Promise<number> {
    const { clock, replicas } = this.deps;
    const { goneCount } = replicas;
    if (goneCount === this.#goneSeen) return 0;
    const { moved } = await this.#search(CLOCKS_APART_MS, dueFrom(clock.now() - LATELY_MS));
    this.#goneSeen = goneCount;
    this.#isOwed = true;
    return moved;
  }

  async #searchAll(): Promise<number> {
    const { sql, replicas } = this.deps;
    const isOwed = this.#isOwed && this.#owedSearches.isTime;
    if (!isOwed && !this.#searches.isTime) return 0;
    const dead = replicas.dead();
    const search = () => this.#searches.read(() => this.#search(this.#isOwed ? CLOCKS_APART_MS : 0));
    const { found, moved } = await (isOwed ? this.#owedSearches.read(search) : search());
    // Otherwise it searches once more: the row of a dead replica is kept as long as a send names it.
    if (found === 0) await deleteReplicas(sql, dead);
    this.#isOwed = moved > 0;
    return moved;
  }

  /** Searches all projects from `from` [the start] to `furtherMs` after the last instant that may have been fired by now. */
  async #search(furtherMs: number, from?: WorkPlace): Promise<{ found: number; moved: number }> {
    const { sql, clock, log, replicas, aheadMs, recovered } = this.deps;
    const projects = await sql.query<{ service_id: string }>('select service_id from project order by 1');
    const upTo = clock.now() + aheadMs + furtherMs;
    let found = 0;
    let moved = 0;
    for (const { service_id: serviceId } of projects) {
      let after = from;
      do {
        const ask = { serviceId, upTo, replica: replicas.id, dead: replicas.dead(), most: PAGE };
        const page = await lostSends(sql, after === undefined ? ask : { ...ask, after });
        found += page.lost.length;
        for (let start = 0; start < page.lost.length; start += BATCH)
          moved += await this.#move(page.lost.slice(start, start + BATCH));
        after = page.last;
      } while (after !== undefined);
    }
    if (moved > 0) {
      recovered?.(moved);
      log.warn(
        { uncertain: moved },
        'sends that a dead replica had in flight are uncertain now: nobody knows what became of them',
      );
    }
    return { found, moved };
  }

  async #move(lost: readonly LostSend[]): Promise<number> {
    const { sql, clock, log } = this.deps;
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
