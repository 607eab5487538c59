// npm run bench:life — a send's whole life, from the event to the last outcome, over Kafka, against a loop without a
// database in the same run; ends with 1 when a bound is missed. `-- --long` lies beside 100 partitions and ten million
// ended rows; `--sends=n`, `--rounds=n`, `--shapes=one,hundred,four`, `--best-only`, `--in-flight=n` cut or change it.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findKafka } from '../../tools/kafka/find.js';
import { startKafka } from '../../tools/kafka.js';
import { startPostgres } from '../../tools/postgres.js';
import { startProgram } from '../dispatch/program.js';
import type { ContestantSettings } from '../dispatch/settings.js';
import { report, type Finding } from '../measure.js';
import { findingsOf, type Loop, type Round } from './findings.js';
import { oneRun, type House, type Setting } from './one-run.js';
import { SHAPES } from './shapes.js';

// Compiled, this file lies in dist/bench/life.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: {
    sends: { type: 'string', default: '60000' },
    rounds: { type: 'string', default: '5' },
    shapes: { type: 'string', default: 'one,hundred,four' },
    /** Without the settings that are shown beside: two replicas, the default of 64 in flight. */
    'best-only': { type: 'boolean', default: false },
    'in-flight': { type: 'string', default: '1024' },
    long: { type: 'boolean', default: false },
    partitions: { type: 'string' },
    ended: { type: 'string' },
  },
});
const LOOP = { warmUp: 2_000, count: 10_000, inFlight: 256 };
const DEFAULT_IN_FLIGHT = 64;

/** Those that bounds hold for, and those shown beside. */
function settings(): { setting: Setting; isJudged: boolean }[] {
  const names = new Set(values.shapes.split(','));
  const shapes = SHAPES.filter(({ name }) => names.has(name));
  const best: Omit<Setting, 'shape'> = {
    sends: Number(values.sends),
    replicas: 1,
    inFlight: Number(values['in-flight']),
    pastDays: Number(values.partitions ?? (values.long ? 100 : 0)),
    ended: Number(values.ended ?? (values.long ? 10_000_000 : 0)),
  };
  const judged = shapes.map((shape) => ({ setting: { ...best, shape }, isJudged: true }));
  const [shape] = shapes;
  if (values['best-only'] || shape === undefined) return judged;
  const beside = [
    { ...best, shape, inFlight: DEFAULT_IN_FLIGHT },
    { ...best, shape, replicas: 2 },
    { ...best, shape, replicas: 2, inFlight: DEFAULT_IN_FLIGHT },
  ];
  return [...judged, ...beside.map((setting) => ({ setting, isJudged: false }))];
}

/** Pairs of a POST and a GET: how many a second, and what each costs its process. */
async function bareLoop(pushUrl: string): Promise<Loop> {
  const given: ContestantSettings = { pushUrl, databaseUrl: '', kind: 'life', records: false, ...LOOP };
  const program = startProgram(root, 'dist/bench/dispatch/bare-loop.js', { args: [JSON.stringify(given)] });
  const text = await program.line((line) => line.startsWith('{"ms"'));
  const { ms, processorMs } = JSON.parse(text) as { ms: number; processorMs: number };
  await program.stop();
  return { perSecond: (LOOP.count / ms) * 1_000, processorMs: processorMs / LOOP.count };
}

async function findings(house: House): Promise<Finding[]> {
  const all = settings();
  const rounds = all.map((): Round[] => []);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const loop = await bareLoop(house.pushUrl);
    for (const [index, { setting }] of all.entries()) {
      const life = await oneRun(house, `life_${round}_${index}`, setting);
      rounds[index]?.push({ life, loop });
      process.stderr.write(
        `round ${round + 1}, ${setting.shape.name}, ${setting.replicas} × ${setting.inFlight}: ${JSON.stringify({ ...life, loop })}\n`,
      );
    }
  }
  return all.flatMap(({ setting, isJudged }, index) => findingsOf(setting, rounds[index] ?? [], isJudged));
}

const load = (): string =>
  loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
const found = await findKafka({ env: { ...process.env, KAFKA_BROKERS: '' } });
if (found.kind === 'none' || found.kind === 'given') throw new Error('a Kafka of the bench’s own is needed');
const stateDir = mkdtempSync(join(tmpdir(), 'carillon-life-'));
const postgres = await startPostgres({ stateDir });
const kafka = await startKafka({ stateDir: join(stateDir, 'kafka'), found });
const stub = startProgram(root, 'dist/bench/life/stub.js');
try {
  const before = load();
  const house = { root, postgres, kafka, stub, pushUrl: await stub.line() };
  const rows = await findings(house);
  const command = `npm run bench:life${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`;
  const section = `## The whole life of a send\n\n\`${command}\`; fsync and synchronous_commit on; processor time and bytes a send; load of the machine before and after: ${before}, ${load()}.`;
  if (!report(root, rows, section)) process.exitCode = 1;
} finally {
  await stub.stop();
  await kafka.remove();
  await postgres.remove();
  rmSync(stateDir, { recursive: true, force: true });
}
