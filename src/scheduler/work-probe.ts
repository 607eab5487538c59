// Asks once for all loops of a process whether anything is due, and wakes those that rest although they have something to do:
// work that came due with time, or whose notification was lost. Does none of their work.
//
// The time that questions spend on rows that nobody needs is bounded (docs/decisions/0034): questions about all projects, and
// those about everything due from the start, each take at most a share of the time. Between them it asks only about projects of
// which something is near, and only about what came due lately. With some hundred projects, and no held snapshot, every
// question is about everything.
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
  /** The time to the next question: what comes due before that counts as due, so that its loop learns the instant. */
  readonly everyMs?: number;
}

/** Each kind of larger question takes at most one part in so many of the time. */
const ONE_IN = 300;
/** A question from the start that takes longer does not show how long one about all projects takes, real milliseconds. */
const SLOW_MS = 100;
/** What came due longer ago and was not noticed is found by a question from the start. */
const LATELY_MS = 5_000;
/** A project is near if something of it comes due within this, or longer where the larger questions come less often. */
const NEAR_MS = 60_000;

export class WorkProbe {
  readonly #fromStart: FullReads;
  readonly #ofAll: FullReads;
  #near: { readonly services: readonly string[]; readonly from: number; readonly until: number } | undefined;

  constructor(private readonly deps: WorkProbeDeps) {
    this.#fromStart = new FullReads(deps.clock, { everyMs: 0, oneIn: ONE_IN });
    this.#ofAll = new FullReads(deps.clock, { everyMs: 0, oneIn: ONE_IN });
  }

  /** Always 0: others do what it found. */
  async runOnce(): Promise<number> {
    const { clock, loops, aheadMs, everyMs = 0 } = this.deps;
    const now = clock.now();
    const question = { now: now + everyMs, upTo: now + aheadMs, loops: loops.names };
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
