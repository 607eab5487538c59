// npm run bench:scale — one, two and four schedulers on one database, with a push service that answers at once: what they
// dispatch together, and whether they wait for each other's locks. By turns, in one run; ends with 1 when a bound is
// missed. `--sends=n` of each run, `--rounds=n`, `--replicas=1,2,4` (the first is what the others are held against).
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tools/postgres.js';
import { startProgram } from '../dispatch/program.js';
import { median, report, type Finding } from '../measure.js';
import { oneRun, type Scaled } from './one-run.js';

// Compiled, this file lies in dist/bench/scale.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: {
    sends: { type: 'string', default: '30000' },
    rounds: { type: 'string', default: '5' },
    replicas: { type: 'string', default: '1,2,4' },
  },
});
const [sends, rounds] = [Number(values.sends), Number(values.rounds)];
const settings = values.replicas.split(',').map(Number);
/** Seen waiting for each thousand sends, added to both sides: a ratio of a few to none says nothing. */
const FEW = 5;

function findingsOf(found: ReadonlyMap<number, readonly Scaled[]>): Finding[] {
  const [[least, alone] = [Number.NaN, []], ...more] = [...found];
  const words = (replicas: number): string => (replicas === 1 ? 'one replica' : `${replicas} replicas`);
  return more.flatMap(([replicas, together]): Finding[] => {
    const against = (pick: (one: Scaled) => number): number =>
      median(together.map((one, round) => pick(one) / pick(alone[round] ?? one)));
    const both = (of: (runs: readonly Scaled[]) => string): string =>
      `${words(replicas)} ${of(together)}; ${words(least)} ${of(alone)}`;
    return [
      {
        name: `sends dispatched a second by ${words(replicas)} on one database, against ${words(least)}`,
        value: against(({ perSecond }) => perSecond),
        unit: '×',
        // Who has no processor for another replica is not faster with it; it must not be slower.
        bound: { kind: 'at least', value: 0.9 },
        detail: `by round: ${both((runs) => runs.map(({ perSecond }) => Math.round(perSecond)).join(' '))}; of ${replicas} sent ${together.map(({ senders }) => senders).join(' ')}; ${cpus().length} cores for all`,
      },
      {
        name: `backends seen waiting for a lock a send, ${words(replicas)} on one database, against ${words(least)}`,
        value: against(({ waitsOfAll }) => waitsOfAll + FEW),
        unit: '×',
        bound: { kind: 'at most', value: 1.3 },
        detail: `for each thousand sends, both and ${FEW}, by round: ${both((runs) => runs.map(({ waitsOfAll }) => waitsOfAll.toFixed(1)).join(' '))}; most of the first round: ${both(([first]) => mostOf(first))}`,
      },
      {
        name: `sends that ${words(replicas)} on one database had taken at the first attempt`,
        value: Math.min(...together.map(({ atFirst }) => atFirst)),
        unit: 'of all',
        bound: { kind: 'at least', value: 1 },
        detail: `by round: ${both((runs) => runs.map(({ atFirst }) => atFirst).join(' '))}`,
      },
    ];
  });
}

function mostOf(run: Scaled | undefined): string {
  const most = Object.entries(run?.waits ?? {}).slice(0, 4);
  return `${most.map(([what, waits]) => `${what} ${waits.toFixed(1)}`).join(', ') || 'none'} in ${run?.looks ?? 0} looks`;
}

const load = (): string =>
  loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
const stateDir = mkdtempSync(join(tmpdir(), 'carillon-scale-'));
const postgres = await startPostgres({ stateDir });
const stub = startProgram(root, 'dist/bench/dispatch/stub.js');
try {
  const before = load();
  const pushUrl = await stub.line();
  const found = new Map(settings.map((replicas): [number, Scaled[]] => [replicas, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [replicas, runs] of found) {
      const name = `scale_${replicas}_${round}`;
      const run = await oneRun({ root, postgres, pushUrl, name, replicas, sends });
      runs.push(run);
      process.stderr.write(`round ${round + 1}: ${JSON.stringify(run)}\n`);
    }
  }
  const command = `npm run bench:scale${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`;
  const section = `## Replicas side by side\n\n\`${command}\`; fsync and synchronous_commit on; stub, database and all replicas on one machine; its load before and after: ${before}, ${load()}.`;
  if (!report(root, findingsOf(found), section)) process.exitCode = 1;
} finally {
  await stub.stop();
  await postgres.remove();
  rmSync(stateDir, { recursive: true, force: true });
}
