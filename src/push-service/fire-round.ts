// A round of the loop `fire`. It makes firings of what is due, first of schedules, then of reservations. Never sends.
import { fireDue } from './reservations/reservation.store.js';
import { fireDueSchedule, FIRINGS, type FiringDeps } from './schedules/fire-schedules.js';
import { finishEnded } from './schedules/schedule.store.js';

/**
 * The most schedules of one round; each takes 1 to 2 ms for a few messages. A round also stops at FIRINGS firings, after some 0.2
 * s. So reservations of the same minute do not wait longer.
 */
const SCHEDULES = 50;

/** The most messages of one round. */
const FIRE_BATCH = 500;

/**
 * Returns how much it did; 0: nothing is due. A step that breaks holds up no other step; its error is thrown at the end. Calls
 * `fired` before that, if it did anything.
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
      // Read after the schedules: if the clock was set back meanwhile, what was just reserved would end STALE.
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
