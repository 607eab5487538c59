// Lets what is held past its time end, page by page. Each page is a transaction of its own; a page of a process that dies is left
// to the next process.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { expireHeld } from '../../store/send/expire-held.store.js';

/** Sends of one page, as of an act. */
const PAGE = 500;

export class ExpireHeld {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly page = PAGE,
  ) {}

  /** Returns how many sends ended. */
  runOnce(): Promise<number> {
    return this.database.transaction((sql) => expireHeld(sql, this.clock.now(), this.page));
  }
}
