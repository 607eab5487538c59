// Wakes housekeeping: at start, every minute of real time (in which a sandbox's clock may run half a day), and as soon as the clock
// shows another day, for whatever reason, because new rows need the partition of that day. The ticks only wake the loops, which have
// back-off and a check in health. A process whose clock is wrong deletes nothing: if it were a year ahead, it would delete all rows.
import { Cron, Interval } from '@nestjs/schedule';
import type { Clock } from '../../../platform/clock.js';
import type { ClockCheck } from '../../../platform/database/clock-check.js';
import type { Loops } from '../../../platform/loops/loops.js';
import type { Housekeeping } from './housekeeping.js';

interface Kept {
  readonly housekeeping: Housekeeping;
  /** Removes days that are past their time (outcomes/retention/retention.ts). */
  readonly retention: { runOnce(): Promise<number> };
  /** Ends the commands that have waited long enough for their campaign (accept/end-parked.ts). */
  readonly parked: { runOnce(): Promise<number> };
}

export class HousekeepingTicks {
  #day: number | undefined;

  constructor(
    private readonly loops: Loops,
    { housekeeping, retention, parked }: Kept,
    private readonly clock: Clock,
    clockCheck: ClockCheck,
  ) {
    const keepHouse = async (): Promise<number> => {
      const isRight = await clockCheck.findsRight();
      const ended = isRight ? await parked.runOnce() : 0;
      return ended + (await housekeeping.runOnce(isRight));
    };
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
