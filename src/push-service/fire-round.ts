// A round of the loop `fire`: what is due becomes firings, schedules and reservations by turns. Never sends.
import { fireDue } from './reservations/reservation.store.js';
import { fireDueSchedule, FIRINGS, type FiringDeps } from './schedules/fire-schedules.js';
import { finishEnded } from './schedules/schedule.store.js';

/**
 * Schedules of one round, 1 to 2 ms each for a few messages, or fewer once they made FIRINGS, 0.2 s: reservations of the same
 * minute wait for no more.
 */
const SCHEDULES = 50;

/** Messages of one round. */
const FIRE_BATCH = 500;

/**
 * Returns how much it did; 0: nothing is due. What breaks in one step holds up no other; it is thrown at the end. `fired` is
 * called before that, if anything was done.
 */
export async function fireRound(
  deps: FiringDeps,
  timeoutMs: number,
  fired: () => void = () => undefined,
): Promise<number> {
  const { database, clock } = deps;
  let done = 0;
  const steps = [
    async () => {
      for (let count = 0, made = 0; count < SCHEDULES && made < FIRINGS; count += 1) {
        const one = await fireDueSchedule(deps, timeoutMs);
        if (one === undefined) break;
        made += one.firings;
        done += 1;
      }
    },
    async () => {
      // Read after the schedules: were the clock set back meanwhile, what was just reserved would end STALE.
      const now = clock.now();
      done += await fireDue(database, new Date(now), new Date(now - timeoutMs), FIRE_BATCH);
    },
    async () => void (done += await finishEnded(database, new Date(clock.now()))),
  ];
  const broken: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => void broken.push(error));
  if (done > 0) fired();
  if (broken.length > 0) throw broken[0];
  return done;
}
