// Takes the sends of cancelled campaigns back, page by page. Whether anything leaves does not depend on it: `fire` looks
// at the mark. A page is a transaction of its own; a process that dies under one leaves it to the next.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { putCancelLast, takeBackPage } from '../store/send/cancel.store.js';

/** Sends of one page: their rows are locked together. A thousand took over a second on a busy machine. */
const PAGE = 500;

export class TakeBack {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly page = PAGE,
  ) {}

  /** One page of the cancel that has waited longest; where it fails, the others go first. Returns how many pages it did. */
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
