// Asks once for all loops of a process whether work is due, and wakes loops that rest although they have something to do: work that came
// due with time, or whose notification was lost. Does none of their work.
//
// There are two larger questions: about all projects, and about all work from the start. Each takes at most a share of the time, because
// it may read many rows that nobody needs (docs/decisions/0034). Between them it asks only about projects that are near, and only about
// work that came due lately. With some hundred projects, and no held snapshot, every question is about everything.
import type { Clock } from '../platform/clock.js';
import type { Sql } from '../platform/database/database.js';
import { FullReads } from '../platform/loops/full-reads.js';
import type { Loops } from '../platform/loops/loops.js';
import { workDue, type WorkQuestion } from './work-due.store.js';

interface WorkProbeDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly loops: Loops;
  /** The dispatcher's look-ahead. */
  readonly aheadMs: number;
  /** The time to the next question, milliseconds. Work that comes due before that counts as due: its loop then waits for the instant. */
  readonly everyMs?: number;
}

/** Each kind of larger question takes at most this fraction of the time: 1/300. */
const ONE_IN = 300;
/** If a question from the start takes longer, its time does not count as that of one about all projects, real milliseconds. */
const SLOW_MS = 100;
/** Work that came due longer ago, milliseconds, is found only by a question from the start. */
const LATELY_MS = 5_000;
/** A project is near if some of its work comes due within this, milliseconds; longer where the larger questions are rarer. */
const NEAR_MS = 60_000;

export class WorkProbe {
  readonly #fromStart: FullReads;
  readonly #ofAll: FullReads;
  #near: { readonly services: readonly string[]; readonly from: number; readonly until: number } | undefined;

  constructor(private readonly deps: WorkProbeDeps) {
    this.#fromStart = new FullReads(deps.clock, { everyMs: 0, oneIn: ONE_IN });
    this.#ofAll = new FullReads(deps.clock, { everyMs: 0, oneIn: ONE_IN });
  }

  /** Returns 0: the loops that it wakes do the work. */
  async runOnce(): Promise<number> {
    const { clock, loops, aheadMs, everyMs = 0 } = this.deps;
    const now = clock.now();
    const question = { now: now + everyMs, upTo: now + aheadMs, loops: loops.names };
    for (const name of await this.#ask(question)) loops.wakeResting(name);
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
    return (await workDue(this.deps.sql, { ...question, only })).loops;
  }

  async #askAll(question: WorkQuestion): Promise<readonly string[]> {
    const aheadMs = Math.max(NEAR_MS, 2 * ONE_IN * this.#ofAll.tookMs);
    const until = question.upTo + aheadMs;
    const { loops, near } = await workDue(this.deps.sql, { ...question, nearUntil: until });
    this.#near = { services: near, from: question.now, until };
    return loops;
  }
}
