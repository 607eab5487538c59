// Wakes housekeeping: at start, every minute of real time (in which a sandbox's clock may run half a day), and as soon as the clock
// shows another day, for whatever reason, because new rows need the partition of that day. The ticks only wake the loops, which have
// back-off and a check in health.
import { Cron, Interval } from '@nestjs/schedule';
import type { Clock } from '../../../platform/clock.js';
import type { Loops } from '../../../platform/loops/loops.js';

export class HousekeepingTicks {
  #day: number | undefined;

  constructor(
    private readonly loops: Pick<Loops, 'wake'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

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
