// The loop `fire`: due reservations and schedules become firings. An immediate message is fired when it is taken.
import type { Stage } from '../platform/stage.js';
import type { Core } from './core.js';
import { fireRound } from './fire-round.js';
import { LOOPS } from './loop-names.js';
import { byOneTime } from './management/sandbox-clock.js';
import { nextDue } from './reservations/reservation.store.js';

/** Real milliseconds between two rounds that found something: so a few statements take what comes due meanwhile. */
const GAP_MS = 20;
/** A timer is set only for what is due within this time, milliseconds; the loop looks again before anything later is due. */
const HORIZON_MS = 24 * 3_600_000;

/** `wakeNext`: there are firings to expand. */
export function fireStage(core: Core, wakeNext: () => void): Stage {
  const { config, delivery: database, clock, rules, log, loops, firingTimeoutMs: timeoutMs } = core;
  const round = () => fireRound({ database, clock, rules, log }, timeoutMs, wakeNext);
  let disarm = (): void => {};
  const runOnce = async (): Promise<number> => {
    const done = await byOneTime(core, round);
    if (done === 0) {
      // A timer of the wall clock fires exactly at the minute, and not up to one rest later. What is due now was passed over
      // because another process holds it: the loop looks for it after a gap, because without the gap it would run all the time.
      disarm();
      const due = (await nextDue(database))?.getTime();
      const now = clock.now();
      if (due !== undefined && due - now < HORIZON_MS)
        disarm = clock.at(due > now ? due : now + GAP_MS, () => loops.wake(LOOPS.fire));
    }
    return done;
  };
  return { loops: [{ name: LOOPS.fire, idleMs: config.PUSH_IDLE_MS, gapMs: GAP_MS, runOnce }] };
}
