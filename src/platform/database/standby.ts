// Whether a standby has every commit before it is answered: otherwise a failover loses the last ones (operations.md, "The standby").
import type { Finding } from '../http/health.js';
import { firstRow, type Sql } from './database.js';

export interface Standby {
  /** Standbys are attached, and no commit waits for one: what to do. */
  readonly fault: Finding;
  /** None is attached: what that means. */
  readonly note: Finding;
  /** How commits wait. */
  readonly text: string;
}

/** Every role may read what it reads. */
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
      'no standby is attached that commits wait for: where this server is lost, so is what it was told last (docs/operations.md)';
    return { fault: undefined, note: alone, text: alone };
  }
  const fault = `${attached} standbys are attached, and no commit waits for one: a failover may lose what was sent and taken; set synchronous_standby_names, and synchronous_commit to on (docs/operations.md)`;
  return { fault, note: undefined, text: fault };
}
