// Makes the status for a caller from the shared reading, the open alerts and the loops of this process.
import type { Sql } from '../../../platform/database/database.js';
import { instantText } from '../../../platform/instant.js';
import type { Loops } from '../../../platform/loops/loops.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import type { AlertLimits } from '../alert-settings.js';
import { openAlerts } from '../alert.store.js';
import { findCauses } from '../find-causes.js';
import type { Readings } from '../readings/readings.js';
import { failingWebhooks } from '../webhooks/webhook.store.js';
import { statusOf, type Status } from './status.js';

/** A webhook that fails for as long is named. */
const FAILING_HOURS = 24;

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
    const failing = holdsEverything ? await failingWebhooks(sql, FAILING_HOURS) : [];
    const webhooksFailing = failing.flatMap(({ id, failingSince: since }) =>
      since === null ? [] : [{ id, since: instantText(since.getTime()) }],
    );
    const found = findCauses(reading, limits);
    return statusOf({ reading, found, alerts, loops, webhooksFailing }, holds);
  }
}
