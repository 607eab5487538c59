// The loop `alerts`: judges every cause and writes what began, goes on and ended. One process judges at a time; the others ask again.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import type { AlertLimits } from './alert-settings.js';
import { beginRound, keepRound } from '../store/alert-round.store.js';
import { keepAlerts, type AlertRow, type Judged } from './alert.store.js';
import { causeOf } from './cause.js';
import { findCauses } from './find-causes.js';
import { noteChanges } from './webhooks/webhook-message.store.js';
import type { Readings } from './readings/readings.js';

/** Real milliseconds between two rounds of all processes together. */
export const JUDGE_EVERY_MS = 5_000;
/** A process comes a little early, or it would miss every other round. */
const EARLY_MS = 500;

export interface JudgeDeps {
  readonly database: Database;
  readonly readings: Pick<Readings, 'fresh'>;
  readonly limits: AlertLimits;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

export class JudgeAlerts {
  constructor(private readonly deps: JudgeDeps) {}

  /** Returns 0: there is never more to do at once. */
  async runOnce(): Promise<number> {
    const { begun, ended } = await this.#judge();
    for (const alert of begun) this.#log(alert, 'an alert began');
    for (const alert of ended) this.#log(alert, 'an alert ended');
    return 0;
  }

  async #judge(): Promise<Judged> {
    const { database, readings, limits, clock } = this.deps;
    const nothing: Judged = { begun: [], ended: [] };
    // The mark is committed first: nothing is held while the reading is made.
    const mark = await beginRound(database, 'judge', JUDGE_EVERY_MS - EARLY_MS);
    if (mark === undefined) return nothing;
    const found = findCauses(await readings.fresh(), limits);
    return database.transaction(async (sql) => {
      if (!(await keepRound(sql, 'judge', mark, {}))) return nothing;
      const judged = await keepAlerts(sql, found, { now: clock.now(), quietMs: limits.quietMs });
      await noteChanges(sql, judged);
      return judged;
    });
  }

  #log({ cause, serviceId, figure, detail, endedAt }: AlertRow, text: string): void {
    const { log } = this.deps;
    const facts = { cause, ...(serviceId !== null && { serviceId }), figure, detail };
    if (endedAt === null && causeOf(cause).severity !== 'note') log.warn(facts, text);
    else log.info(facts, text);
  }
}
