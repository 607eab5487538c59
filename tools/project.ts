// Where the project lies, whether a file runs from its source or from dist/.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json. */
export const projectRoot = findRoot(import.meta.dirname);

/** The folder for what runs keep between two starts, and for what clients read while one is up. It is not in the repository. */
export const stateRoot = join(projectRoot, '.carillon');

function findRoot(from: string): string {
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (at === dirname(at)) throw new Error(`no package.json above ${from}`);
  }
}
