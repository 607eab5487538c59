// The doctor's look at PostgreSQL: reachable, migrated, durable, on the same time.
import type { Clock } from '../platform/clock.js';
import {
  durabilityFinding,
  migrationFinding,
  missingMigrations,
} from '../platform/database/database-state.js';
import { versionFinding } from '../platform/database/database.js';
import type { PooledDatabase } from '../platform/database/pooled-database.js';
import { causeOf } from './cli-database.js';

/** One line of the doctor's answer. */
export interface Line {
  readonly name: string;
  readonly ok: boolean;
  /** Wrong, but no fault of this installation: the doctor's exit code stays 0. */
  readonly note?: true;
  /** What was seen, or what to do. */
  readonly text: string;
}

export const ok = (name: string, text: string): Line => ({ name, ok: true, text });
export const no = (name: string, text: string): Line => ({ name, ok: false, text });
export const note = (name: string, text: string): Line => ({ name, ok: false, note: true, text });

const CLOCK_TOLERANCE_MS = 5_000;

/** Connects; the caller closes. */
export async function examineDatabase(dataSource: PooledDatabase, clock: Clock): Promise<Line[]> {
  try {
    await dataSource.initialize();
  } catch (error) {
    return [
      no('database', `cannot be reached (${causeOf(error)}): check DATABASE_URL and that PostgreSQL runs`),
    ];
  }
  const [server] = await dataSource.query<{ version: string; fsync: string; nowMs: number }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"`,
  );
  const tooOld = await versionFinding(dataSource);
  const offMs = Math.round(clock.now() - (server?.nowMs ?? 0));
  const missing = migrationFinding(await missingMigrations(dataSource));
  const durability =
    (await durabilityFinding(dataSource)) ??
    (server?.fsync === 'on'
      ? undefined
      : 'fsync is off: a crash of the machine can destroy the database; set it on');
  return [
    tooOld === undefined
      ? ok('database', `PostgreSQL ${server?.version ?? ''}`)
      : no('database', `${tooOld}; DATABASE_URL names a newer one, or this one is upgraded`),
    missing === undefined ? ok('migrations', 'up to date') : no('migrations', missing),
    durability === undefined
      ? ok('durability', 'synchronous_commit and fsync are on')
      : no('durability', durability),
    Math.abs(offMs) <= CLOCK_TOLERANCE_MS
      ? ok('clock', `within ${CLOCK_TOLERANCE_MS / 1000} s of the database’s`)
      : no('clock', `${offMs} ms off the database’s: set both by NTP`),
  ];
}
