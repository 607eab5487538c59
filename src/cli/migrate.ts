// carillon migrate: brings the database's schema up to date.
import { migrate as migrateDatabase } from '../platform/database/migrate-database.js';
import { ensurePartitions } from '../platform/database/day-partitions.js';
import { commandClock } from './shell/command-clock.js';
import { withDatabase } from './shell/cli-database.js';
import { print, type JsonOption } from './shell/output.js';

export async function migrate(options: JsonOption): Promise<void> {
  // Progress goes to standard error, so that the answer stays clean.
  const waiting = (words: string): boolean => process.stderr.write(`${words}\n`);
  const ran = await withDatabase(async (dataSource) => {
    const names = await migrateDatabase(dataSource, { waiting });
    await ensurePartitions(dataSource, new Date(commandClock().now()));
    return names;
  });
  const human =
    ran.length === 0 ? 'The schema is up to date.' : `Ran ${ran.length} migrations:\n  ${ran.join('\n  ')}`;
  print(options, { ran }, human);
}
