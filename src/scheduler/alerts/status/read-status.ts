// Makes the status for a caller from the shared reading, the open alerts and the loops of this process.
import type { Sql } from '../../../platform/database/database.js';
import type { Loops } from '../../../platform/loops/loops.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import type { AlertLimits } from '../alert-settings.js';
import { openAlerts } from '../alert.store.js';
import { findCauses } from '../find-causes.js';
import type { Readings } from '../readings/readings.js';
import { statusOf, type Status } from './status.js';

export interface ReadStatusDeps {
  readonly sql: Sql;
  readonly readings: Pick<Readings, 'now'>;
  readonly limits: AlertLimits;
  readonly loops: Pick<Loops, 'status'>;
}

export class ReadStatus {
  constructor(private readonly deps: ReadStatusDeps) {}

  /** Rejects while the database is away. */
  async for({ holds, holdsEverything }: Pick<CallerIdentity, 'holds' | 'holdsEverything'>): Promise<Status> {
    const { sql, readings, limits } = this.deps;
    const reading = await readings.now();
    const alerts = await openAlerts(sql);
    const loops = this.deps.loops.status().map(({ name, lastError }) => ({
      name,
      ok: lastError === undefined,
      // An error may name something of any service.
      error: holdsEverything ? (lastError ?? null) : null,
    }));
    return statusOf({ reading, found: findCauses(reading, limits), alerts, loops }, holds);
  }
}
