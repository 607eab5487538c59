// Which extensions of the push service a project of a spec uses. A project would use all that the service offers, from its first answer
// on; a spec names those that it is about.
import type { Sql } from '../../../src/platform/database/database.js';
import { EXTENSIONS } from '../../../src/push-contract/headers.js';
import { CHANNELS } from '../../../src/scheduler/store/channels.js';

/** The setting `extensionsOff` with which these are used and no others. */
export function offBut(used: readonly string[] = []): readonly string[] {
  return EXTENSIONS.filter((name) => !used.includes(name));
}

/** Writes what the project's first signed answer would. */
export async function foundExtensions(sql: Sql, serviceId: string, used: readonly string[]): Promise<void> {
  await sql.query('update project set extensions = $2 where service_id = $1', [serviceId, used]);
  await sql.query(`select pg_notify('${CHANNELS.access}', '')`);
}
