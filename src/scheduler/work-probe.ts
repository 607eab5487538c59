// Asks once for all loops of a process whether anything is due, and wakes those that rest though they have something to
// do: what time brings about, and what a lost notification did not tell. Does no work of theirs.
//
// What a question walks over that nobody needs is bounded in time (docs/decisions/0034): all projects are asked about, and
// all that is due from the start, each for at most a share of it; between, those of which something is near, and only
// about what came due lately. With some hundred projects, and without a held snapshot, every question is about everything.
import type { Clock } from '../platform/clock.js';
import type { Sql } from '../platform/database/database.js';
import { FullReads } from '../platform/full-reads.js';
import type { Loops } from '../platform/loops.js';
import { workDue, type WorkQuestion } from './store/send/work-due.store.js';
import { EVERY_DAY, type Days } from './store/send/work-days.store.js';

export interface WorkProbeParts {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly loops: Loops;
  /** The dispatcher's look-ahead. */
  readonly aheadMs: number;
  /** It is asked again so much later: what comes due before counts as due, so that its loop learns the instant. */
  readonly everyMs?: number;
  /** Those that may hold work; default all. */
  readonly days?: () => Promise<Days>;
}

/** Each kind of the larger questions takes no more than this part of the time. */
const ONE_IN = 300;
/** One from the start that takes longer says nothing of how long one about all projects takes, real milliseconds. */
const SLOW_MS = 100;
/** What came due so long ago, and was not told since, is found by a question from the start. */
const LATELY_MS = 5_000;
/** Of a project that is near something comes due within this; the larger questions come oftener, or it is longer. */
const NEAR_MS = 60_000;

export class WorkProbe {
  readonly #fromStart: FullReads;
  readonly #ofAll: FullReads;
  #near: { readonly services: readonly string[]; readonly from: number; readonly until: number } | undefined;

  constructor(private readonly parts: WorkProbeParts) {
    this.#fromStart = new FullReads(parts.clock, { everyMs: 0, oneIn: ONE_IN });
    this.#ofAll = new FullReads(parts.clock, { everyMs: 0, oneIn: ONE_IN });
  }

  /** Always 0: what it found is done by others. */
  async runOnce(): Promise<number> {
    const { clock, loops, aheadMs, everyMs = 0, days = () => Promise.resolve(EVERY_DAY) } = this.parts;
    const now = clock.now();
    const question = { now: now + everyMs, upTo: now + aheadMs, loops: loops.names, days: await days() };
    for (const name of await this.#ask(question)) loops.nudge(name);
    return 0;
  }

  async #ask(question: WorkQuestion): Promise<readonly string[]> {
    if (this.#fromStart.isTime) {
      const ask = (): Promise<readonly string[]> => this.#fromStart.read(() => this.#askAll(question));
      return this.#fromStart.tookMs > SLOW_MS ? ask() : this.#ofAll.read(ask);
    }
    const since = question.now - LATELY_MS;
    const near = this.#near;
    const isKnown = near !== undefined && question.now >= near.from && question.upTo < near.until;
    if (this.#ofAll.isTime || !isKnown)
      return this.#ofAll.read(() => this.#askAll({ ...question, only: { since } }));
    const only = { since, services: near.services };
    return (await workDue(this.parts.sql, { ...question, only })).loops;
  }

  async #askAll(question: WorkQuestion): Promise<readonly string[]> {
    const aheadMs = Math.max(NEAR_MS, 2 * ONE_IN * this.#ofAll.tookMs);
    const until = question.upTo + aheadMs;
    const { loops, near } = await workDue(this.parts.sql, { ...question, nearUntil: until });
    this.#near = { services: near, from: question.now, until };
    return loops;
  }
}
