// The tests of every part: specs beside the code and under test/, each file in a process of its own, but for those that
// change nothing that another sees.
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import LongestFirst from './test/support/runner/longest-first.js';

const ALL = [
  'src/**/*.spec.ts',
  'tools/**/*.spec.ts',
  'packages/**/*.spec.ts',
  'web/**/*.spec.ts',
  'test/**/*.spec.ts',
];

/**
 * Whatever works out when something is due: its answers are the same in any month and wherever the machine stands, so
 * these are run at two times, half a year and five, and 25 hours of zones apart, and never at the time it is. Of decide/
 * without one that is long and asks for nothing but what it is given. Everything else is run once, as it is.
 */
const PLANNING = [
  'src/scheduler/decide/**/!(chunk-recipients).spec.ts',
  'test/golden/vectors.spec.ts',
  'test/integration/plan/preview.spec.ts',
];

/**
 * These share processes, one file after the other: what a service imports is two thousand files, and reading them took more
 * processor time than most of these specs themselves. Without those that measure the memory of their process, two that go
 * on for long, and one of kafkajs as it is, for services teach it to read records their way.
 */
const SHARED = [
  'src/{cli,push-contract,push-service,scheduler,zone-rules}/**/!(chunk-recipients|conformance).spec.ts',
  'packages/**/*.spec.ts',
  'web/**/*.spec.ts',
  'test/contract/push-service/*.spec.ts',
  'test/integration/**/!(publish-outbox|publish-outcomes|test-kafka).spec.ts',
];

/**
 * docs/understand/conformance.md: the specs set its clock, each to its own time, so two files at once would fail one another. Both
 * settings say so (test/contract/outside-service-one-file-at-a-time.spec.ts), for either alone can be overruled: by a later Vitest, by a flag.
 */
const SERVICE_OUTSIDE = process.env['CONFORMANCE_URL'] !== undefined;

const COMMON = {
  setupFiles: ['reflect-metadata', 'test/support/runner/real-timers.ts'],
  pool: 'forks',
  // One fewer than cores by default, which on two cores is one; many files wait more than they work.
  maxWorkers: SERVICE_OUTSIDE ? 1 : 3,
  fileParallelism: !SERVICE_OUTSIDE,
  // To find what hangs, and nothing else: a busy machine takes ten times as long.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  // A test that was left focused would silently pass over all others.
  allowOnly: false,
} satisfies TestProjectInlineConfiguration['test'];

function at(name: string, instant: string, zone: string): TestProjectInlineConfiguration {
  const setupFiles = [...COMMON.setupFiles, 'test/support/runner/another-now.ts'];
  const env = { SPEC_RUNS_AT: instant, TZ: zone };
  return { test: { ...COMMON, name, include: PLANNING, isolate: false, setupFiles, env } };
}

const without = (...specs: string[]): string[] => [...configDefaults.exclude, ...specs];

export default defineConfig({
  test: {
    globalSetup: ['test/support/runner/global-setup.ts'],
    reporters: [
      process.env['CARILLON_TEST_BRIEF'] === '1' ? 'dot' : 'default',
      './test/support/runner/summary-reporter.ts',
    ],
    sequence: { sequencer: LongestFirst },
    // The run's PostgreSQL and Kafka end in good order: cut short, what they wrote stays in memory until the next run.
    teardownTimeout: 120_000,
    projects: [
      { test: { ...COMMON, name: 'now', include: ALL, exclude: without(...PLANNING, ...SHARED) } },
      { test: { ...COMMON, name: 'shared', include: SHARED, exclude: without(...PLANNING), isolate: false } },
      at('winter', '2026-01-15T09:30:00Z', 'Pacific/Kiritimati'),
      at('summer', '2031-07-20T20:15:00Z', 'Pacific/Pago_Pago'),
    ],
  },
});
