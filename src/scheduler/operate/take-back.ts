// Takes back the sends of cancelled campaigns, page by page. Whether a send leaves does not depend on it: `fire` reads the cancel's mark.
// Each page is a transaction; the page of a process that dies is left to the next process.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { putCancelLast, takeBackPage } from '../store/send/cancel.store.js';

/** Sends of one page, whose rows are locked together. A thousand took more than a second on a busy machine. */
const PAGE = 500;

export class TakeBack {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly page = PAGE,
  ) {}

  /** One page of the cancel that has waited longest; if it fails, the others go first. Returns how many pages it did. */
  async runOnce(): Promise<number> {
    try {
      const did = await this.database.transaction((sql) => takeBackPage(sql, this.clock.now(), this.page));
      return did ? 1 : 0;
    } catch (error) {
      await putCancelLast(this.database).catch(() => undefined);
      throw error;
    }
  }
}
