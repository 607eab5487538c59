// When housekeeping is done: at start, and every minute by the machine's clock, for a sandbox's may run half a day in that.
// The loop gives it back-off and a place in the health; the tick only wakes it.
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

  @Cron('7 * * * * *', { name: 'housekeeping', timeZone: 'UTC' })
  tick(): void {
    this.loops.wake('housekeeping');
  }
}
