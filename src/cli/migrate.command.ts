// carillon migrate: creates or updates the scheduler's schema. Any number may run it at once; one does the work.
import { Command } from 'commander';
import { print, tell, withJson, type JsonOption } from './output.js';

export function migrateCommand(): Command {
  const command = new Command('migrate').description(
    'create or update the schema in the database of DATABASE_URL',
  );
  return withJson(command).action(async (options: JsonOption) => {
    const { withDatabase } = await import('./cli-database.js');
    const { migrate } = await import('../platform/database/migrate-database.js');
    const ran = await withDatabase((dataSource) => migrate(dataSource, { waiting: tell }));
    const human =
      ran.length === 0 ? 'The schema is up to date.' : `Ran ${ran.length} migrations:\n  ${ran.join('\n  ')}`;
    print(options, { ran }, human);
  });
}
