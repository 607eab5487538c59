// The publisher package as it is installed: one bundle in which the intake's own parse code is, so that there is no
// dependency and no second place for a rule, its types, and the licences of what the bundle holds.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { projectRoot } from '../project.js';

const run = promisify(execFile);
const source = join(projectRoot, 'packages', 'publisher');
export const publisherFolder = join(projectRoot, 'dist', 'publisher');

/** Writes the package into `folder`, whatever was there before. */
export async function buildPublisher(folder = publisherFolder): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const [packages] = await Promise.all([bundle(folder), declare(folder)]);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`);
  await writeFile(join(folder, 'THIRD-PARTY.md'), await licences(packages));
  for (const file of ['README.md', 'LICENSE'])
    await cp(join(file === 'LICENSE' ? projectRoot : source, file), join(folder, file));
}

/** `npm pack`: the tarball's path, in `folder`. */
export async function packPublisher(folder: string, built = publisherFolder): Promise<string> {
  await mkdir(folder, { recursive: true });
  const args = ['pack', built, '--pack-destination', folder, '--json', '--silent'];
  const { stdout } = await run('npm', args, { cwd: folder });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (packed === undefined) throw new Error('npm pack made nothing');
  return join(folder, packed.filename);
}

/** The names of the packages in it. */
async function bundle(folder: string): Promise<string[]> {
  const input = join(source, 'src', 'index.ts');
  const build = await rolldown({ input, platform: 'node', cwd: projectRoot });
  const { output } = await build.write({ file: join(folder, 'index.js'), format: 'esm' });
  await build.close();
  const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  const packages = modules.flatMap((id) => packageOf(id) ?? []);
  return [...new Set(packages)].toSorted();
}

function packageOf(module: string): string | undefined {
  const [, inPackage] = relative(projectRoot, module).split(`node_modules${sep}`);
  const [first = '', second = ''] = inPackage?.split(sep) ?? [];
  if (first === '') return undefined;
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** The types of the package's own files; they name nothing that is elsewhere. */
async function declare(folder: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'carillon-publisher-'));
  try {
    const tsc = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    await run(process.execPath, [tsc, '-p', source, '--outDir', scratch]);
    const made = join(scratch, 'packages', 'publisher', 'src');
    for (const name of await readdir(made)) await cp(join(made, name), join(folder, name));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Version, licence and Node.js are the project's own. */
async function manifest(): Promise<object> {
  const read = async (folder: string) =>
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { private: _, name, ...own } = await read(source);
  const { version, license, engines } = await read(projectRoot);
  return { name, version, license, engines, ...own };
}

async function licences(packages: readonly string[]): Promise<string> {
  const texts = packages.map(async (name) => {
    const folder = join(projectRoot, 'node_modules', name);
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name}, which is bundled, has no licence in its folder`);
    return `## ${name}\n\n${await readFile(join(folder, file), 'utf8')}`;
  });
  return `# What is bundled in index.js\n\n${(await Promise.all(texts)).join('\n\n')}`;
}
