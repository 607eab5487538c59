// `npm test`: every check side by side, then every test, each named with its time. A failed step does not keep the others
// from running; it counts as one failure. The last line of stdout is the count and nothing else.
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

/** Each is one program, needing nothing but the packages; each takes one processor at most, but for lint. */
const checks = [
  { name: 'dependency rules', args: ['tools/check-dependencies.mjs'] },
  { name: 'lint', args: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'format', args: ['node_modules/prettier/bin/prettier.cjs', '--check', '.'] },
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'types of the dashboard', args: ['node_modules/typescript/bin/tsc', '-p', 'web/tsconfig.json'] },
  { name: 'build', args: ['tools/bootstrap.mjs', 'build'] },
];
const quick = process.env['CARILLON_CHECK'] === '1';
const chosen = quick ? ['src/', ...filters] : filters;
const tests = { name: 'tests', args: ['node_modules/vitest/vitest.mjs', 'run', ...chosen] };

/** With filters (`npm test -- some/file`) it is a part of the tests that is asked for, not the house check. */
const whole = filters.length === 0;
const running = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) child.kill(signal);
  });
}

/** @type {{ name: string, output: string }[]} */
const failedSteps = [];
const begun = checks.filter(({ name }) => (name === 'build' ? !quick : whole)).map(captured);
for (const { name, ended } of begun) {
  const { isWell, output } = await ended;
  process.stdout.write(output);
  if (!isWell) failedSteps.push({ name, output });
}
const testEnv = {
  CARILLON_TEST_COUNTS: countsFile,
  // Of thousands of tests only those that fail are worth a line.
  ...(whole ? { CARILLON_TEST_BRIEF: '1' } : {}),
  ...(whole && !quick ? { CARILLON_TEST_WHOLE: '1' } : {}),
};
const testsWell = !interrupted && (await ranWell({ ...tests, env: testEnv }));
const counts = readCounts();
// Vitest may fail with every test green: a file not run, or an error outside any test.
if (!testsWell && counts.failed === 0) counts.failed = 1;
if (whole && process.env['CARILLON_TEST_LONG'] === '1' && !interrupted) await runOnNode24();
counts.failed += failedSteps.length;
if (failedSteps.length > 0) {
  // Once more, where a reader looks first: much was written since.
  for (const { output } of failedSteps) process.stdout.write(`\n${output}`);
  process.stdout.write(`failed: ${failedSteps.map(({ name }) => name).join(', ')}\n`);
}
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
    if (!(await ranWell({ ...tests, name, program, env }))) failedSteps.push({ name, output: '' });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    failedSteps.push({ name, output: '' });
  }
}

/** @typedef {{ name: string, args: string[], program?: string, env?: Record<string, string> }} Step */

/** A step beside others, whose words are kept until it has ended. @param {Step} step */
function captured(step) {
  let output = `── ${step.name}\n`;
  const hear = (text) => (output += text);
  return { name: step.name, ended: run(step, hear).then((isWell) => ({ isWell, output })) };
}

/** A step alone, which says what it says at once. @param {Step} step @returns {Promise<boolean>} */
async function ranWell(step) {
  process.stdout.write(`── ${step.name}\n`);
  return run(step);
}

/** @param {Step} step @param {(text: string) => void} [hear] @returns {Promise<boolean>} */
async function run({ name, args, program = node, env = {} }, hear) {
  const began = performance.now();
  const end = await new Promise((resolve) => {
    const stdio = hear === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'];
    const child = spawn(program, args, { stdio, env: { ...process.env, ...env } });
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', hear);
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(signal ?? code);
    });
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const verdict = `── ${name}: ${end === 0 ? 'ok' : `failed (${end})`}, ${seconds} s\n`;
  if (hear === undefined) process.stdout.write(verdict);
  else hear(verdict);
  return end === 0;
}

/** @returns {import('../count-line.d.mts').Counts} */
function readCounts() {
  try {
    return JSON.parse(readFileSync(countsFile, 'utf8'));
  } catch {
    // Vitest ended before it had counted.
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
