import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectRoot } from '../../tools/project.js';

interface Ended {
  code: number;
  lastLine: string;
  stdout: string;
  stderr: string;
}

let root: string;

/** A project with this one's way of testing, whose Vitest runs only the specs of test/. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon tests '));
  for (const name of ['run.mjs', 'count-line.mjs', 'summary-reporter.ts']) {
    cpSync(
      join(projectRoot, 'test', 'support', 'runner', name),
      join(root, 'test', 'support', 'runner', name),
    );
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  write('package.json', '{"type":"module"}');
  // The packages are behind a link here, where lint would not know them for what they are.
  write('.oxlintrc.json', '{"ignorePatterns":["node_modules"]}');
  write(
    'vitest.config.ts',
    `export default { test: { include: ['test/**/*.spec.ts'], reporters: ['./test/support/runner/summary-reporter.ts'] } };`,
  );
  write('src/one.ts', 'export const one = 1;\n');
  write('tools/two.ts', 'export const two = 2;\n');
  spec('test/good.spec.ts', "it('is so', () => expect(1).toBe(1));");
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function spec(file: string, text: string): void {
  write(file, `import { beforeAll, expect, it } from 'vitest';\n${text}\n`);
}

async function run(program: string[], env: Record<string, string> = {}): Promise<Ended> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|CARILLON|TEST$|NODE_ENV$)/.test(name),
  );
  return new Promise((resolve) => {
    const options = { cwd: root, env: { ...Object.fromEntries(own), ...env } };
    execFile(process.execPath, program, options, (error, stdout, stderr) => {
      const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
      resolve({ code: error === null ? 0 : Number(error.code), lastLine, stdout, stderr });
    });
  });
}

const vitest = async (): Promise<Ended> => run(['node_modules/vitest/vitest.mjs', 'run']);
const whole = async (...filters: string[]): Promise<Ended> =>
  run(['test/support/runner/run.mjs', ...filters]);

it('counts what passed, failed and was skipped', async () => {
  expect(await vitest()).toMatchObject({ code: 0, lastLine: '1 passed, 0 failed' });
  spec(
    'test/mixed.spec.ts',
    "it('fails', () => expect(1).toBe(2));\nit.runIf(false)('rests', () => undefined);",
  );
  expect(await vitest()).toMatchObject({ code: 1, lastLine: '1 passed, 1 failed, 1 skipped' });
});

it('counts a file as failed whose tests never ran', async () => {
  spec(
    'test/hook.spec.ts',
    "beforeAll(() => { throw new Error('no'); });\nit('never runs', () => undefined);",
  );
  spec('test/import.spec.ts', "import './nowhere.js';\nit('never runs either', () => undefined);");
  expect(await vitest()).toMatchObject({ code: 1, lastLine: '1 passed, 2 failed, 1 skipped' });
});

it('counts an error that no test made', async () => {
  spec('test/late.spec.ts', "it('is so', () => { void Promise.reject(new Error('nobody waits for me')); });");
  expect(await vitest()).toMatchObject({ code: 1, lastLine: '2 passed, 1 failed' });
});

it('fails the whole run for a spec file that was not run, and names it', async () => {
  const counts = join(root, 'counts.json');
  const env = { CARILLON_TEST_COUNTS: counts, CARILLON_TEST_WHOLE: '1' };
  expect(await run(['node_modules/vitest/vitest.mjs', 'run'], env)).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(counts, 'utf8'))).toEqual({ passed: 1, failed: 0, skipped: 0 });
  spec('src/forgotten.spec.ts', "it('is never run', () => expect(1).toBe(2));");
  const { code, stderr } = await run(['node_modules/vitest/vitest.mjs', 'run'], env);
  expect(code).toBe(1);
  expect(stderr).toContain('a spec file was not run: src/forgotten.spec.ts');
  expect(JSON.parse(readFileSync(counts, 'utf8'))).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

it('runs every step although one fails, and counts it', async () => {
  // This project has nothing to check or build: only the tests succeed.
  const { code, lastLine, stdout } = await whole();
  expect(code).toBe(1);
  const named = [...stdout.matchAll(/^── ([a-z ]+)$/gm)].map(([, name]) => name);
  expect(named.slice(0, 7)).toEqual([
    'dependency rules',
    'lint',
    'format',
    'types',
    'types of the dashboard',
    'build',
    'tests',
  ]);
  const failed = /^failed: (.*)$/m.exec(stdout)?.[1]?.split(', ') ?? [];
  expect(failed).toEqual(expect.arrayContaining(['dependency rules', 'types', 'build']));
  // What they wrote stands once more at the end.
  expect(named.slice(7)).toEqual(failed);
  expect(lastLine).toBe(`1 passed, ${failed.length} failed`);
}, 180_000);

it('checks without building, and runs the specs beside the code alone, when it is to be quick', async () => {
  write(
    'vitest.config.ts',
    `export default { test: { include: ['**/*.spec.ts'], exclude: ['node_modules/**'], reporters: ['./test/support/runner/summary-reporter.ts'] } };`,
  );
  spec(
    'src/beside.spec.ts',
    "it('is so', () => expect(1).toBe(1));\nit('is so too', () => expect(1).toBe(1));",
  );
  const { lastLine, stdout } = await run(['test/support/runner/run.mjs'], { CARILLON_CHECK: '1' });
  expect(stdout).not.toContain('── build');
  expect(stdout).toContain('── types');
  expect(lastLine).toMatch(/^2 passed, /);
}, 180_000);

it('runs the tests once more by Node 24 when it is to be long, and fails with them', async () => {
  const long = (program: string) =>
    run(['test/support/runner/run.mjs'], { CARILLON_TEST_LONG: '1', NODE_24: program });
  cpSync(
    join(projectRoot, 'test', 'support', 'runner', 'other-node.mjs'),
    join(root, 'test', 'support', 'runner', 'other-node.mjs'),
  );
  const step = (stdout: string): string | undefined => /^── tests on Node 24: (\w+)/m.exec(stdout)?.[1];
  const red = await long('/bin/false');
  expect([step(red.stdout), red.code]).toEqual(['failed', 1]);
  expect(/^failed: (.*)$/m.exec(red.stdout)?.[1]).toContain('tests on Node 24');
  const green = await long(process.execPath);
  expect(step(green.stdout)).toBe('ok');
  // This project's other steps fail, as above: one failure fewer is counted.
  expect(Number(/(\d+) failed/.exec(red.lastLine)?.[1])).toBe(
    Number(/(\d+) failed/.exec(green.lastLine)?.[1]) + 1,
  );
}, 180_000);

it('fails when it has run nothing', async () => {
  expect(await whole('no-such-file')).toMatchObject({
    code: 1,
    lastLine: expect.stringMatching(/^0 passed, [1-9]/) as string,
  });
});
