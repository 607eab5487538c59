// Counts a run's tests and says them as its last line: `N passed, N failed[, N skipped]`. On a whole run it also
// counts every spec file on disk that was not run as failed, and names the slowest files. Shows no single test: Vitest's own reporter does.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { countLine, type Counts } from './count-line.mjs';

/** Where spec files may lie; test/ without support/ holds nothing else. */
const SPEC_ROOTS = ['src', 'tools', 'packages', 'test'];

export default class SummaryReporter implements Reporter {
  #root = process.cwd();

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts: Counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) addModule(counts, module);
    if (process.env['CARILLON_TEST_WHOLE'] === '1') {
      const ran = new Set(modules.map((module) => relative(this.#root, module.moduleId)));
      for (const file of specFiles(this.#root).filter((spec) => !ran.has(spec))) {
        process.stderr.write(`a spec file was not run: ${file}\n`);
        counts.failed += 1;
      }
    }
    if (process.env['CARILLON_TEST_BRIEF'] === '1') process.stdout.write(slowest(modules, this.#root));
    // The runner of the whole suite says the line itself, after its last step.
    const countsFile = process.env['CARILLON_TEST_COUNTS'];
    if (countsFile === undefined) process.on('exit', () => process.stdout.write(`${countLine(counts)}\n`));
    else writeFileSync(countsFile, JSON.stringify(counts));
    if (counts.failed > 0) process.exitCode = 1;
  }
}

/** Files. */
const MOST_SLOW = 12;

/** A line for each of the slowest files: its time, in which others ran beside it. */
function slowest(modules: readonly TestModule[], root: string): string {
  const timed = modules.map((module) => ({
    file: relative(root, module.moduleId),
    seconds: module.diagnostic().duration / 1_000,
  }));
  const lines = timed
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, MOST_SLOW)
    .map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}\n`);
  return `\nthe slowest spec files\n${lines.join('')}`;
}

function addModule(counts: Counts, module: TestModule): void {
  let failed = 0;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') counts.passed += 1;
    else if (state === 'failed') failed += 1;
    else counts.skipped += 1;
  }
  // A hook or an import that throws leaves the tests skipped, and the module alone says that it failed.
  counts.failed += failed === 0 && module.state() === 'failed' ? 1 : failed;
}

/** Every spec file on disk, relative to the root. */
export function specFiles(root: string): string[] {
  return SPEC_ROOTS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(spec|test)\.[cm]?[jt]sx?$/.test(name))
      .map((name) => join(folder, name)),
  );
}
