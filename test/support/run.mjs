// `npm test`: every check and every test, one after the other, each named with its time. A failed step does not keep
// the others from running; it counts as one failure. The last line of stdout is the count and nothing else.
// `npm run test:long`: the tests once more by Node 24, if another runs them.
// `npm run check`: the same without what needs a process of its own: no build, and the specs beside the code alone.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { countLine } from './count-line.mjs';

const node = process.execPath;
const filters = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'carillon-counts-'));
const countsFile = join(scratch, 'counts.json');

/** Each is one program, needing nothing but the packages; the cheapest come first. */
const checks = [
  { name: 'dependency rules', args: ['tools/check-dependencies.mjs'] },
  { name: 'lint', args: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'format', args: ['node_modules/prettier/bin/prettier.cjs', '--check', '.'] },
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'build', args: ['tools/bootstrap.mjs', 'build'] },
];
const quick = process.env['CARILLON_CHECK'] === '1';
const chosen = quick ? ['src/', ...filters] : filters;
const tests = { name: 'tests', args: ['node_modules/vitest/vitest.mjs', 'run', ...chosen] };

/** With filters (`npm test -- some/file`) it is a part of the tests that is asked for, not the house check. */
const whole = filters.length === 0;
let running;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    running?.kill(signal);
  });
}

const failedSteps = [];
for (const step of checks.filter(({ name }) => (name === 'build' ? !quick : whole))) {
  if (!interrupted && !(await ranWell(step))) failedSteps.push(step.name);
}
const testEnv = {
  CARILLON_TEST_COUNTS: countsFile,
  ...(whole && !quick ? { CARILLON_TEST_WHOLE: '1' } : {}),
};
const testsWell = !interrupted && (await ranWell({ ...tests, env: testEnv }));
const counts = readCounts();
// Vitest may fail with every test green: a file not run, or an error outside any test.
if (!testsWell && counts.failed === 0) counts.failed = 1;
if (whole && process.env['CARILLON_TEST_LONG'] === '1' && !interrupted) await runOnNode24();
counts.failed += failedSteps.length;
if (failedSteps.length > 0) process.stdout.write(`failed: ${failedSteps.join(', ')}\n`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
process.stdout.write(`${countLine(counts)}\n`);
rmSync(scratch, { recursive: true, force: true });

/** The same tests at their usual length by the Node.js of the image; what they start, they start by it as well. */
async function runOnNode24() {
  const name = 'tests on Node 24';
  try {
    const { node24 } = await import('./other-node.mjs');
    const program = node24();
    const env = {
      CARILLON_TEST_LONG: '',
      CARILLON_TEST_WHOLE: '1',
      CARILLON_TEST_COUNTS: join(scratch, 'counts-24.json'),
      PATH: `${dirname(program)}${delimiter}${process.env['PATH'] ?? ''}`,
    };
    if (!(await ranWell({ ...tests, name, program, env }))) failedSteps.push(name);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    failedSteps.push(name);
  }
}

/** @param {{ name: string, args: string[], program?: string, env?: Record<string, string> }} step @returns {Promise<boolean>} */
async function ranWell({ name, args, program = node, env = {} }) {
  process.stdout.write(`── ${name}\n`);
  const began = performance.now();
  const end = await new Promise((resolve) => {
    running = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    running.once('error', (error) => resolve(error.message));
    running.once('exit', (code, signal) => resolve(signal ?? code));
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(`── ${name}: ${end === 0 ? 'ok' : `failed (${end})`}, ${seconds} s\n`);
  return end === 0;
}

/** @returns {import('./count-line.d.mts').Counts} */
function readCounts() {
  try {
    return JSON.parse(readFileSync(countsFile, 'utf8'));
  } catch {
    // Vitest ended before it had counted.
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
