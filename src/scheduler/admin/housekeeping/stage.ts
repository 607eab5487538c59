// The loop `housekeeping`, in every process, and the ticks that wake it and `retention`.
import { noteByDatabase } from '../../../platform/http/health.js';
import type { Stage } from '../../../platform/stage.js';
import type { Core } from '../../core.js';
import { HousekeepingTicks } from './housekeeping-ticks.js';
import { Housekeeping } from './housekeeping.js';
import { isUnwatched } from './report-watch.store.js';

/** Real milliseconds; the ticks wake it each minute. */
const IDLE_MS = 86_400_000;

const UNWATCHED =
  'nobody ends the queries of carillon_report that take too long: run deploy/sql/report-role.sql again';

interface Kept {
  /** Ends the commands that have waited long enough for their campaign. */
  readonly parked: { runOnce(): Promise<number> };
  /** Removes lists past their time, and what uploads and plannings left of them. */
  readonly lists: { runOnce(): Promise<number> };
}

export function housekeepingStage(core: Core, { parked, lists }: Kept): Stage {
  const { planning, sealer, clock, clockCheck, loops, config, database } = core;
  const housekeeping = new Housekeeping(planning, sealer, clock, config.offsetCacheMs);
  const runOnce = async (): Promise<number> => {
    // A process whose clock is wrong deletes nothing: if it were a year ahead, it would delete all rows.
    const isRight = await clockCheck.findsRight();
    const ended = isRight ? (await parked.runOnce()) + (await lists.runOnce()) : 0;
    return ended + (await housekeeping.runOnce(isRight));
  };
  return {
    providers: [{ provide: HousekeepingTicks, useValue: new HousekeepingTicks(loops, clock) }],
    loops: [{ name: 'housekeeping', runOnce, idleMs: IDLE_MS }],
    checks: [
      noteByDatabase('report role', async () => ((await isUnwatched(database)) ? UNWATCHED : undefined)),
    ],
  };
}
