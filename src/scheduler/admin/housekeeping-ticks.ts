// When housekeeping is done: at start, every minute by the machine's clock, for a sandbox's may run half a day in that, and
// as soon as the clock comes to another day, however it came there: what is born has to find its partition.
// Nothing is deleted by a machine whose clock is wrong: one that wakes a year ahead would take all that is kept.
// The loop gives it back-off and a place in the health; the ticks only wake it.
import { Cron, Interval } from '@nestjs/schedule';
import type { Clock } from '../../platform/clock.js';
import type { ClockCheck } from '../../platform/database/clock-check.js';
import type { Loops } from '../../platform/loops.js';
import type { Housekeeping } from './housekeeping.js';
import type { Retention } from './retention.js';

export class HousekeepingTicks {
  #day: number | undefined;

  constructor(
    private readonly loops: Loops,
    { housekeeping, retention }: { housekeeping: Housekeeping; retention: Retention },
    private readonly clock: Clock,
    clockCheck: ClockCheck,
  ) {
    const keepHouse = async (): Promise<number> => housekeeping.runOnce(await clockCheck.findsRight());
    const retire = async (): Promise<number> => ((await clockCheck.findsRight()) ? retention.runOnce() : 0);
    loops.add({ name: 'housekeeping', runOnce: keepHouse, idleMs: 86_400_000 });
    loops.add({ name: 'retention', runOnce: retire, idleMs: 86_400_000 });
  }

  @Cron('7 * * * * *', { name: 'housekeeping', timeZone: 'UTC' })
  tick(): void {
    this.loops.wake('housekeeping');
    this.loops.wake('retention');
  }

  @Interval('day', 1_000)
  watchDay(): void {
    const day = Math.floor(this.clock.now() / 86_400_000);
    if (day !== this.#day) this.loops.wake('housekeeping');
    this.#day = day;
  }
}
