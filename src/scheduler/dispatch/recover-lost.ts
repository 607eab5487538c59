// Finds sends whose process died or hangs: a claimed one goes back to planned, for nothing had left; one that was on
// the wire becomes uncertain, for nobody knows. Ends rests that are over. Never calls, never repeats.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { recoverLost } from '../store/claim.store.js';
import { endRests } from '../store/project-rest.store.js';

const BATCH = 1_000;

export class RecoverLost {
  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Returns how many sends it found. */
  async runOnce(): Promise<number> {
    await endRests(this.sql, this.clock.now());
    const found = await recoverLost(this.sql, this.clock.now(), 'dispatch-recover', BATCH);
    const uncertain = found.filter((send) => send.state === 'uncertain').length;
    if (found.length > 0) {
      this.log.warn(
        { planned: found.length - uncertain, uncertain },
        'sends of a process that is gone were found',
      );
    }
    return found.length;
  }
}
