// The tests of every part: specs beside the code and under test/, each file in a process of its own.
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.js';

export default defineConfig({
  test: {
    include: ['src/**/*.spec.ts', 'tools/**/*.spec.ts', 'test/**/*.spec.ts'],
    setupFiles: ['reflect-metadata'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    // One fewer than cores by default, which on two cores is one; many files wait more than they work.
    // One alone for a service outside (README, "Conformance"): the specs set its clock, each to its own time.
    maxWorkers: process.env['CONFORMANCE_URL'] === undefined ? 2 : 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A test that was left focused would silently pass over all others.
    allowOnly: false,
  },
});
