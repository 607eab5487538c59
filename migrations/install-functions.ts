// Functions and triggers of the database stand in files of their own, sql/<service>/functions/<name>.sql, and
// sql/shared/functions/ where both services have them, each with its index and its locks above it, and are installed from there. Read when the migration runs, from source and from dist/.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Where the functions of that service, or of both, lie: beside the package.json above this file. */
export function functionsOf(service: 'scheduler' | 'push-service' | 'shared'): string {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return join(at, 'sql', service, 'functions');
    if (at === dirname(at)) throw new Error(`no package.json above ${import.meta.dirname}`);
  }
}

/** All of them, in order of name. */
export function functionNames(folder: string): string[] {
  return readdirSync(folder)
    .map((file) => basename(file, '.sql'))
    .toSorted();
}

/**
 * Runs `<name>.sql` of the folder, in the order given: one that is called in a default or a check before the tables that
 * call it, all others after the tables. A file says `create or replace`, so that a later migration installs it anew; what
 * is installed is always the file as it is now.
 */
export async function installFunctions(
  runner: { query(statements: string): Promise<unknown> },
  folder: string,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const file = join(folder, `${name}.sql`);
    const statements = readFileSync(file, 'utf8');
    try {
      await runner.query(statements);
    } catch (cause) {
      throw new Error(`${file} cannot be installed: ${String(cause)}`, { cause });
    }
  }
}
