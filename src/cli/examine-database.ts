// Examines PostgreSQL for carillon doctor: reachable, migrated, durable, with the same time.
import { ClockCheck } from '../platform/database/clock-check.js';
import { durabilityFinding, migrationFinding, poolerFinding } from '../platform/database/database-state.js';
import { readStandby } from '../platform/database/standby.js';
import { serverFinding } from '../platform/database/database.js';
import type { PooledDatabase } from '../platform/database/pooled-database.js';
import type { Finding } from '../platform/http/health.js';
import { createLog } from '../platform/logging/log.js';
import { causeOf } from './shell/cli-database.js';

/** One line of the doctor's answer. */
export interface Line {
  readonly name: string;
  readonly ok: boolean;
  /** Wrong, but not this installation's fault: the doctor's exit code stays 0. */
  readonly note?: true;
  /** What was seen, or what to do. */
  readonly text: string;
}

export const ok = (name: string, text: string): Line => ({ name, ok: true, text });
export const no = (name: string, text: string): Line => ({ name, ok: false, text });
export const note = (name: string, text: string): Line => ({ name, ok: false, note: true, text });
export const judged = (name: string, found: Finding, good: string): Line =>
  found === undefined ? ok(name, good) : no(name, found);

/** Connects; the caller closes. */
export async function examineDatabase(dataSource: PooledDatabase): Promise<Line[]> {
  try {
    await dataSource.initialize();
  } catch (error) {
    return [
      no('database', `cannot be reached (${causeOf(error)}): check DATABASE_URL and that PostgreSQL runs`),
    ];
  }
  const [server] = await dataSource.query<{ version: string; fsync: string }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync`,
  );
  const unfit = await serverFinding(dataSource);
  const clock = new ClockCheck({ sql: dataSource, log: createLog('doctor', 'silent') });
  await clock.runOnce();
  const durability =
    (await durabilityFinding(dataSource)) ??
    (server?.fsync === 'on'
      ? undefined
      : 'fsync is off: a crash of the machine can destroy the database; set it on');
  return [
    judged(
      'database',
      unfit && `${unfit}; give DATABASE_URL one that is fit`,
      `PostgreSQL ${server?.version ?? ''}`,
    ),
    judged('migrations', await migrationFinding(dataSource), 'up to date'),
    judged('durability', durability, 'synchronous_commit and fsync are on'),
    await examineStandby(dataSource),
    judged('clock', clock.finding(), 'within 1 s of the database’s'),
    judged('connections', await poolerFinding(dataSource), 'each one is the database’s own'),
  ];
}

async function examineStandby(sql: PooledDatabase): Promise<Line> {
  const { fault, note: alone, text } = await readStandby(sql);
  return alone === undefined ? judged('standby', fault, text) : note('standby', alone);
}
