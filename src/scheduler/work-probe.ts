// Asks once for all loops of a process whether anything is due, and wakes those that rest though they have something to
// do: what time brings about, and what a lost notification did not tell. Does no work of theirs.
import type { Clock } from '../platform/clock.js';
import type { Sql } from '../platform/database/database.js';
import type { Loops } from '../platform/loops.js';
import { workDue } from './store/send/work-due.store.js';
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

export class WorkProbe {
  constructor(private readonly parts: WorkProbeParts) {}

  /** Always 0: what it found is done by others. */
  async runOnce(): Promise<number> {
    const { sql, clock, loops, aheadMs, everyMs = 0, days = () => Promise.resolve(EVERY_DAY) } = this.parts;
    const now = clock.now();
    const question = { now: now + everyMs, upTo: now + aheadMs, loops: loops.names, days: await days() };
    for (const name of await workDue(sql, question)) loops.nudge(name);
    return 0;
  }
}
