// What /health/ready checks. All checks but the first two are notes: they leave the process ready, because it still takes
// messages.
import { daysFinding, goingDays, goingFinding } from '../platform/database/day-partitions.js';
import type { Finding } from '../platform/http/health.js';
import { formerKeys } from '../platform/secrets/reseal.js';
import type { Core } from './core.js';
import { troubledInWords } from './credentials/credential-health.js';
import { stuckDays, stuckFinding } from './retention/retention.store.js';
import { SEALED } from './sealed-columns.js';

const MAKE_DAYS =
  'the loop days makes the partitions of the next days; the check of loops and the log say why it did not';

/** `olderThan`: days of outcomes that ended by then should be dropped. */
export function addHealthChecks(core: Core, olderThan: () => Date): void {
  const { health, database, clock, clockCheck, gate, loops, sealer, longWaits } = core;
  /** A note that cannot ask the database finds nothing: the check `database` shows that it is away. */
  const addNote = (name: string, find: () => Promise<Finding>): void =>
    health.addNote(name, async () => (await find().catch(() => undefined)) || undefined);

  health.add('database', () => gate.finding());
  health.add('days ahead', () => daysFinding(database, new Date(clock.now()), MAKE_DAYS));
  addNote('loops', async () => {
    const failing = loops.status().find(({ lastError }) => lastError !== undefined);
    return failing && `${failing.name}: ${failing.lastError ?? ''}`;
  });
  // Leases go by the database's clock. A wrong clock of the machine only stops what is deleted by age.
  addNote('clock', async () => clockCheck.finding());
  addNote('retention', async () => {
    const stuck = stuckFinding(await stuckDays(database, olderThan()));
    const going = goingFinding(await goingDays(database));
    return [stuck, going].filter((text) => text !== undefined).join('; ');
  });
  addNote('master key', async () => {
    const found = await formerKeys(database, sealer, SEALED);
    return found.map(({ text }) => text).join('; ');
  });
  addNote('providers', () => Promise.resolve(longWaits.inWords()));
  addNote('provider credentials', async () => (await troubledInWords(database, clock)).join(' '));
}
