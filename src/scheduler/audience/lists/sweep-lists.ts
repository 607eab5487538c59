// Housekeeping of lists: what nobody needs any more goes, in bounded rounds.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { sweepLists } from './list-sweep.store.js';

export class SweepLists {
  constructor(
    private readonly database: Database,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Returns how many rows it deleted, so that the loop comes again while there are more. */
  runOnce(): Promise<number> {
    return sweepLists(this.database, this.clock.now());
  }
}
