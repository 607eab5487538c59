// What has been released (releases.json), and how the services of a release are had: from its own commit, built as its own
// README says. Changes nothing of this project.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectRoot } from './project.js';

const Releases = z.array(
  z.strictObject({
    /** As in the package.json of the commit. */
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    /** An ancestor of the one that names it. */
    commit: z.string().regex(/^[0-9a-f]{40}$/),
  }),
);
export type Release = z.output<typeof Releases>[number];

/** The last of releases.json, which stand oldest first. */
export function lastRelease(): Release | undefined {
  return Releases.parse(JSON.parse(readFileSync(join(projectRoot, 'releases.json'), 'utf8'))).at(-1);
}

/** Not in a shallow clone, nor where there is no git at all. */
export function isInThisClone({ commit }: Release): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: projectRoot }).status === 0;
}

/** Lays the release's files into the empty `folder` and builds them there. */
export async function buildRelease({ commit }: Release, folder: string): Promise<void> {
  // By a file: tar may leave before it has read what git pads the end with.
  const archive = join(folder, 'release.tar');
  await ran('git', ['archive', `--output=${archive}`, commit], projectRoot);
  await ran('tar', ['-x', '-f', archive], folder);
  rmSync(archive);
  await ran(process.execPath, [join('tools', 'bootstrap.mjs'), 'build'], folder);
}

function ran(program: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)),
    );
  });
}
