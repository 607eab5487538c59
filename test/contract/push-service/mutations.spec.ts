// The conformance suite against itself: each deliberate fault of the service is made in a copy of the project, and the
// clause it breaks is seen to fail by name. In short runs a few of them, in long runs all.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MUTATIONS, type Mutation } from './support/mutations.js';
import { IS_OUTSIDE } from './support/target.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LONG = process.env['CARILLON_TEST_LONG'] === '1';

/** Short runs take these many; which ones is fixed, so that a red run can be repeated. */
const SHORT = 2;

let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'carillon-mutations-'));
  for (const part of [
    'src',
    'test',
    'migrations',
    'sql',
    'tools',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
  ]) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Run {
  readonly failed: readonly string[];
  readonly passed: number;
}

/** Runs the mutation's clause in the copy and returns the names of the tests that failed. */
async function runClause({ spec, clause }: Mutation): Promise<Run> {
  const report = join(copy, 'report.json');
  const pattern = clause.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const child = spawn(
    process.execPath,
    [
      join(copy, 'node_modules/vitest/vitest.mjs'),
      'run',
      `test/contract/push-service/${spec}.spec.ts`,
      '-t',
      pattern,
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    { cwd: copy, stdio: 'ignore' },
  );
  await new Promise((resolve) => child.once('exit', resolve));
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { assertionResults: { fullName: string; status: string }[] }[];
  };
  const tests = testResults.flatMap((file) => file.assertionResults);
  return {
    failed: tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    passed: tests.filter(({ status }) => status === 'passed').length,
  };
}

describe('each deliberate fault is one place of the source', () => {
  it.each(MUTATIONS)('$name', ({ file, from }) => {
    const source = readFileSync(join(ROOT, 'src', file), 'utf8');
    expect(source.includes(from)).toBe(true);
  });

  it('there are at least twenty', () => {
    expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20);
  });
});

// The faults are made in a copy of ours: a service outside knows nothing of them.
describe.skipIf(IS_OUTSIDE)('the clause fails, by its name', () => {
  it.each(MUTATIONS.slice(0, LONG ? MUTATIONS.length : SHORT))('$spec: $name', async (mutation) => {
    const file = join(copy, 'src', mutation.file);
    const source = readFileSync(file, 'utf8');
    writeFileSync(file, source.replaceAll(mutation.from, mutation.to));
    try {
      const { failed } = await runClause(mutation);
      expect(failed.some((name) => name.includes(mutation.clause))).toBe(true);
    } finally {
      writeFileSync(file, source);
    }
  });
});
