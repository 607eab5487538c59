import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { projectRoot } from '../../tools/project.js';

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

let root: string;

/** A project of one source file, with this one's bootstrap and packages. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon bootstrap '));
  for (const file of [
    'tools/bootstrap.mjs',
    'tools/bootstrap',
    'tsconfig.json',
    'tsconfig.build.json',
    'package.json',
  ]) {
    cpSync(join(projectRoot, file), join(root, file), { recursive: true });
  }
  cpSync(join(projectRoot, 'package-lock.json'), join(root, 'package-lock.json'));
  symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  // Reading Node's types takes most of a compilation this small.
  write(
    'tsconfig.json',
    readFileSync(join(root, 'tsconfig.json'), 'utf8').replace('"types": ["node"]', '"types": []'),
  );
  write('src/one.ts', 'export const one: number = 1;\n');
  write('migrations/none.ts', 'export {};\n');
  write(
    'tools/demo/main.ts',
    'declare const process: any;\nprocess.stdout.write(JSON.stringify(process.argv.slice(2)));\nprocess.exitCode = 7;\n',
  );
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function start(...args: string[]): {
  child: ReturnType<typeof spawn>;
  ended: Promise<Ended>;
  stdout: () => string;
} {
  const child = spawn(process.execPath, [join(root, 'tools', 'bootstrap.mjs'), ...args], { cwd: '/' });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return { child, ended, stdout: () => stdout };
}

const run = async (...args: string[]): Promise<Ended> => start(...args).ended;

describe('the way in from a fresh clone', () => {
  it('compiles what has changed, and nothing when nothing has', async () => {
    expect(await run('build')).toMatchObject({ code: 0, stderr: 'carillon: compiling …\n' });
    expect(existsSync(join(root, 'dist', 'src', 'one.js'))).toBe(true);
    expect(await run('build')).toMatchObject({ code: 0, stderr: '' });

    write('src/one.ts', 'export const one: number = 2;\n');
    write('src/two.ts', 'export const two: number = 2;\n');
    expect(await run('build')).toMatchObject({ code: 0, stderr: 'carillon: compiling …\n' });
    expect(readFileSync(join(root, 'dist', 'src', 'one.js'), 'utf8')).toContain('one = 2');

    rmSync(join(root, 'src', 'two.ts'));
    await run('build');
    expect(existsSync(join(root, 'dist', 'src', 'two.js'))).toBe(false);

    rmSync(join(root, 'dist', 'src'), { recursive: true });
    rmSync(join(root, 'dist', '.carillon-build'));
    await run('build');
    expect(existsSync(join(root, 'dist', 'src', 'one.js'))).toBe(true);
  });

  it('fails with what the compiler says, again and again until it is mended', async () => {
    write('src/one.ts', "export const one: number = 'one';\n");
    for (const _time of [1, 2]) {
      const { code, stderr } = await run('build');
      expect(code).toBe(1);
      expect(stderr).toContain(
        "src/one.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'",
      );
    }
  });

  it("hands arguments to the target and the target's exit code back", async () => {
    expect(await run('demo', '--once', 'a b')).toMatchObject({ code: 7, stdout: '["--once","a b"]' });
  });

  it('lets a signal reach the target itself', async () => {
    write(
      'tools/demo/main.ts',
      `declare const process: any;
process.once('SIGTERM', () => { process.stdout.write('drained'); process.stdin.pause(); });
process.stdin.resume();
process.stdout.write('up ');
`,
    );
    const { child, ended, stdout } = start('demo');
    await eventually(() => expect(stdout()).toBe('up '));
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stdout: 'up drained' });
  });

  it('lets two at once wait for one another', async () => {
    const both = await Promise.all([run('build'), run('build')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(
      both
        .map(({ stderr }) => stderr)
        .join('')
        .match(/compiling …/g),
    ).toHaveLength(1);
    expect(existsSync(join(root, '.carillon', 'bootstrap.lock'))).toBe(false);
  });

  it('is not kept waiting by one that was killed', async () => {
    const killed = start('build');
    killed.child.kill('SIGKILL');
    await killed.ended;
    write('.carillon/bootstrap.lock', String(killed.child.pid));
    expect(await run('build')).toMatchObject({ code: 0, stderr: 'carillon: compiling …\n' });
  });

  it('is not kept waiting by an earlier one that had its own number, as where each container counts anew', async () => {
    const lock = join(root, '.carillon', 'bootstrap.lock');
    mkdirSync(dirname(lock));
    const program = `import { writeFileSync } from 'node:fs';
import { withLock } from ${JSON.stringify(pathToFileURL(join(root, 'tools', 'bootstrap', 'lock.mjs')).href)};
const lock = ${JSON.stringify(lock)};
writeFileSync(lock, String(process.pid));
await withLock(lock, (sentence) => { throw new Error(sentence); }, async () => process.stdout.write('worked'));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('worked');
    expect(existsSync(lock)).toBe(false);
  });

  it('changes nothing before a production start, and says what is missing', async () => {
    const ready = async () => {
      const { code, stderr } = await run('ready');
      return [code, stderr];
    };
    expect(await ready()).toEqual([1, 'carillon: nothing is compiled: run "npm run build"\n']);
    await run('build');
    expect(await ready()).toEqual([0, '']);
    write('src/one.ts', 'export const one: number = 3;\n');
    expect(await ready()).toEqual([1, 'carillon: dist/ is older than the sources: run "npm run build"\n']);
    // As it is copied to where it runs.
    for (const sources of ['src', 'migrations', 'tools/demo'])
      rmSync(join(root, sources), { recursive: true });
    expect(await ready()).toEqual([0, '']);
    rmSync(join(root, 'node_modules'));
    expect(await ready()).toEqual([1, expect.stringContaining('are not installed: run "npm ci"')]);
    expect(existsSync(join(root, 'node_modules'))).toBe(false);
    const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const name of ['start', 'push-service', 'carillon', 'carillon-push'])
      expect([name, scripts[`pre${name}`]]).toEqual([name, 'node tools/bootstrap.mjs ready']);
  });

  it('says which Node.js it needs', async () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
    write('package.json', JSON.stringify({ ...manifest, engines: { node: '>=99.3' } }));
    const { code, stderr } = await run('build');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `carillon: Carillon needs Node.js 99.3 or newer, and this is ${process.versions.node}; install a newer one\n`,
    );
  });

  it('installs when npm has not installed what the lock names', async () => {
    rmSync(join(root, 'node_modules'));
    // One package from the disk, so that npm needs no network: the compiler, without its development dependencies.
    const compiler = { name: 'typescript', version: '1.0.0' };
    write('ts/package.json', JSON.stringify(compiler));
    for (const part of ['bin', 'lib'])
      symlinkSync(join(projectRoot, 'node_modules', 'typescript', part), join(root, 'ts', part));
    const project = { name: 'x', version: '1.0.0', dependencies: { typescript: 'file:ts' } };
    write('package.json', JSON.stringify({ ...project, type: 'module', engines: { node: '>=20' } }));
    const packages = { '': project, 'node_modules/typescript': { resolved: 'ts', link: true }, ts: compiler };
    write(
      'package-lock.json',
      JSON.stringify({ name: 'x', version: '1.0.0', lockfileVersion: 3, requires: true, packages }),
    );
    write('tsconfig.build.json', '{"compilerOptions":{"outDir":"dist","rootDir":"."},"include":["src"]}');
    const first = await run('build');
    expect(first.stderr).toContain('carillon: installing the packages of package-lock.json (npm ci) …');
    expect(first).toMatchObject({ code: 0 });
    expect((await run('build')).stderr).toBe('');
  });
});
