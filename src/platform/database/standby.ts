// Checks whether a commit waits until a standby has it. Otherwise a failover loses the last commits (operations.md, "The
// standby").
import type { Finding } from '../http/health.js';
import { firstRow, type Sql } from './database.js';

export interface Standby {
  /** What to do where standbys are attached and no commit waits for one. */
  readonly fault: Finding;
  /** The consequence if no standby is attached. */
  readonly note: Finding;
  /** How commits wait. */
  readonly text: string;
}

/** Every role has the right to read this. */
export async function readStandby(sql: Sql): Promise<Standby> {
  const row = await firstRow<{ attached: number; names: string; level: string }>(
    sql,
    `select (select count(*)::int from pg_stat_replication) as attached,
            current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as level`,
  );
  const { attached = 0, names = '', level = '' } = row ?? {};
  const text = `commits wait for ${names} (synchronous_commit is ${level})`;
  const waits = names !== '' && !['off', 'local'].includes(level);
  if (waits) return { fault: undefined, note: undefined, text };
  if (attached === 0) {
    const alone =
      'no standby has a copy of the last commits: if this server is lost, the last events and sends are lost with it (docs/operate/operations.md)';
    return { fault: undefined, note: alone, text: alone };
  }
  const standbys = attached === 1 ? '1 standby is' : `${attached} standbys are`;
  const fault = `${standbys} attached, but no commit waits for ${attached === 1 ? 'it' : 'one'}: a failover may lose the last events and sends; set synchronous_standby_names, and synchronous_commit to on (docs/operate/operations.md)`;
  return { fault, note: undefined, text: fault };
}
