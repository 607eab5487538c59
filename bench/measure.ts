// What the benches share: a ratio with its floor, the median of rounds, and the line each run leaves in RESULTS.md.
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

export interface Finding {
  /** What was measured, in a sentence. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value must be at least, or at most, so much; without one it is shown, not judged. */
  readonly bound?: { readonly kind: 'at least' | 'at most'; readonly value: number };
  /** The figures behind it. */
  readonly detail: string;
}

export function holds({ value, bound }: Finding): boolean {
  if (bound === undefined) return true;
  return bound.kind === 'at least' ? value >= bound.value : value <= bound.value;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Milliseconds of processor time of this process: what a busy machine does not stretch. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const HEAD =
  '| when | commit | machine | measure | value | bound | held | figures |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n';

/**
 * Prints the findings, appends them to bench/RESULTS.md below `root` as a table under `section`, a heading with what is to be
 * said of the run, and says whether all hold.
 */
export function report(root: string, findings: readonly Finding[], section: string): boolean {
  const file = join(root, 'bench', 'RESULTS.md');
  appendFileSync(file, `\n${section}\n\n${HEAD}`);
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).stdout.trim();
  const machine = `${cpus().length} cores, Node ${process.versions.node}`;
  for (const finding of findings) {
    const { name, value, unit, bound, detail } = finding;
    const amount = (number: number): string => `${Number(number.toPrecision(3))} ${unit}`;
    const shown = amount(value);
    const limit = bound === undefined ? 'no bound' : `${bound.kind} ${amount(bound.value)}`;
    const held = holds(finding) ? (bound === undefined ? '' : 'yes') : 'NO';
    const when = new Date().toISOString().slice(0, 16);
    appendFileSync(file, `| ${[when, commit, machine, name, shown, limit, held, detail].join(' | ')} |\n`);
    process.stdout.write(`${holds(finding) ? 'ok' : 'NO'}  ${name}: ${shown} (${limit}); ${detail}\n`);
  }
  return findings.every(holds);
}
