// Asks back what the push service holds of projects that were stopped with a recall: it marks their campaigns, and the loop `acts`
// moves their sends. A call that was in flight at the stop may be answered with a reservation later: a round finds it, long before
// the reservation is due.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { markRecalled } from '../../store/send/recall.store.js';

/** Campaigns of one round. */
const PAGE = 500;

export class RecallStopped {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly page = PAGE,
  ) {}

  /** Returns how many campaigns it marked. */
  async runOnce(): Promise<number> {
    return this.database.transaction((sql) => markRecalled(sql, new Date(this.clock.now()), this.page));
  }
}
