// What has been released (releases.json), and how the services of a release are had: from its own commit, built as its own
// README says. Changes nothing of this project.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import { projectRoot } from './project.js';

const Releases = z
  .array(
    z.strictObject({
      /** As in the package.json of the commit. */
      version: z.string().regex(/^\d+\.\d+\.\d+$/),
      /** An ancestor of the one that names it. */
      commit: z.string().regex(/^[0-9a-f]{40}$/),
    }),
  )
  .min(1);
export type Release = z.output<typeof Releases>[number];

/** The last of releases.json, which stand oldest first. */
export function lastRelease(): Release {
  const releases = Releases.parse(JSON.parse(readFileSync(join(projectRoot, 'releases.json'), 'utf8')));
  return releases.at(-1) as Release;
}

/** Not in a shallow clone, nor where there is no git at all. */
export function isInThisClone({ commit }: Release): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: projectRoot }).status === 0;
}

/** The files of one folder as they were released, by their names from the project's folder. */
export function releasedFiles({ commit }: Release, folder: string): Map<string, string> {
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: projectRoot, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const names = git('ls-tree', '-r', '--name-only', commit, `${folder}/`).trim().split('\n');
  return new Map(names.map((name) => [name, git('show', `${commit}:${name}`)]));
}

/** Lays the release's files into the empty `folder` and builds them there. */
export async function buildRelease({ commit }: Release, folder: string): Promise<void> {
  const archive = spawn('git', ['archive', '--format=tar', commit], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const unpack = spawn('tar', ['-x', '-C', folder], { stdio: ['pipe', 'inherit', 'inherit'] });
  await Promise.all([finished(archive.stdout.pipe(unpack.stdin)), endOf(archive), endOf(unpack)]);
  const args = [join(folder, 'tools', 'bootstrap.mjs'), 'build'];
  await endOf(spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] }));
}

function endOf(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)),
    );
  });
}
