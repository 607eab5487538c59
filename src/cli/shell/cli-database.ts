// The scheduler's database for one command: opened, used, closed. Its settings come from the environment alone.
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { createDataSource } from '../../platform/database/database.js';
import { errorCode, messageOf } from '../../platform/logging/error-code.js';
import { databasePlace, processEnvironment, readConfig, type Secret } from '../../platform/env.js';
import type { PooledDatabase } from '../../platform/database/pooled-database.js';
import { schedulerEnvironment } from '../../scheduler/scheduler.config.js';

export function cliDataSource(url: Secret): PooledDatabase {
  return createDataSource({
    url: url.reveal(),
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: 2,
    applicationName: 'carillon command',
  });
}

/** Throws ConfigError without DATABASE_URL, and an Error with a sentence for the user when the database does not answer. */
export async function withDatabase<Result>(
  work: (dataSource: PooledDatabase) => Promise<Result>,
): Promise<Result> {
  const only = schedulerEnvironment.pick({ DATABASE_URL: true });
  const { DATABASE_URL } = readConfig(only, processEnvironment());
  const dataSource = cliDataSource(DATABASE_URL);
  try {
    await dataSource.initialize();
  } catch (error) {
    const place = databasePlace(DATABASE_URL.reveal());
    throw new Error(`the database of DATABASE_URL (${place}) cannot be reached: ${causeOf(error)}`, {
      cause: error,
    });
  }
  try {
    return await work(dataSource);
  } catch (error) {
    if (!isSchemaMissing(error)) throw error;
    throw new Error('the schema is missing or old: run "carillon migrate"', { cause: error });
  } finally {
    await dataSource.destroy();
  }
}

/** 42P01 undefined table, 3F000 undefined schema. */
function isSchemaMissing(error: unknown): boolean {
  return ['42P01', '3F000'].includes(errorCode(error));
}

/** A refused connection is an AggregateError without a message of its own. */
export function causeOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((each) => causeOf(each)).join('; ');
  return messageOf(error);
}
