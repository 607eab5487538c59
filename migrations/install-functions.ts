// Installs the functions and triggers of the database from their files: sql/<service>/functions/<name>.sql, and
// sql/shared/functions/ for those of both services. Above each function its file names the index and the locks. The files are
// read when the migration runs, from source and from dist/.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The folder with the functions of that service, or of both: beside the package.json above this file. */
export function functionsOf(service: 'scheduler' | 'push-service' | 'shared'): string {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return join(at, 'sql', service, 'functions');
    if (at === dirname(at)) throw new Error(`no package.json above ${import.meta.dirname}`);
  }
}

/** The names of all functions in the folder, in order. */
export function functionNames(folder: string): string[] {
  return readdirSync(folder)
    .map((file) => basename(file, '.sql'))
    .toSorted();
}

/**
 * Runs `<name>.sql` of the folder, in the order given. Install a function that a default or a check calls before the table, and
 * all others after the tables. A file says `create or replace`, so a later migration can install it anew. What is installed is
 * always the file as it is now.
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
