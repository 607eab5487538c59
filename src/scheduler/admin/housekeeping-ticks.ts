// When housekeeping is done: at start, and every hour by the wall clock. The loop gives it back-off and a place in the
// health; the tick only wakes it.
import { Cron } from '@nestjs/schedule';
import type { Loops } from '../../platform/loops.js';
import type { Housekeeping } from './housekeeping.js';

export class HousekeepingTicks {
  constructor(
    private readonly loops: Loops,
    housekeeping: Housekeeping,
  ) {
    loops.add({ name: 'housekeeping', runOnce: () => housekeeping.runOnce(), idleMs: 86_400_000 });
  }

  @Cron('0 7 * * * *', { name: 'housekeeping', timeZone: 'UTC' })
  tick(): void {
    this.loops.wake('housekeeping');
  }
}
