// npm run bench:loop-hold — a real scheduler process under the hostile corpus: how long its event loop stands at most, in
// processor time, while each plan and body is sent by every way of HTTP, beside an idle stretch. Ends with 1 when it is above the
// bound.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hostileBatch, hostileBodies, hostilePlans, largePlans } from '../../tools/hostile/corpus.js';
import { runCarillon } from '../../tools/house/command.js';
import { startPostgres } from '../../tools/postgres.js';
import { freePort } from '../../tools/process/free-port.js';
import { World } from '../dispatch/world.js';
import { report, type Finding } from '../measure.js';

// Compiled, this file lies in dist/bench/loop-hold.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const SERVICE = 'bench';
const IDLE_MS = 5_000;
/** After a request, for what is planned then. */
const AFTER_MS = 3_000;
const BOUND_MS = 100;

interface Held {
  readonly name: string;
  /** Processor time. */
  readonly ms: number;
  /** Time by the wall clock. */
  readonly wallMs: number;
}

const stateDir = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
const postgres = await startPostgres({ stateDir });
try {
  const world = await World.open(root, postgres, 'loop_hold');
  await world.project('http://127.0.0.1:9', 4, SERVICE);
  await world.sql.query('update project set lookup_max = 0');
  const held = await measure(world);
  const idle = held[0]?.ms ?? 0;
  const worst = held.slice(1).toSorted((a, b) => b.ms - a.ms);
  const finding: Finding = {
    name: 'the longest that the event loop stood under the hostile corpus, in processor time of its thread',
    value: worst[0]?.ms ?? 0,
    unit: 'ms of processor time',
    bound: { kind: 'at most', value: BOUND_MS },
    detail: `idle ${idle.toFixed(1)} ms (${held[0]?.wallMs.toFixed(0)} ms by the wall clock), ${((worst[0]?.ms ?? 0) / Math.max(1, idle)).toFixed(1)} × that; ${worst
      .slice(0, 5)
      .map(({ name, ms, wallMs }) => `${name} ${ms.toFixed(0)} (${wallMs.toFixed(0)})`)
      .join(', ')}`,
  };
  await world.sql.destroy();
  if (!report(root, [finding], '## Holds of the event loop\n\n`npm run bench:loop-hold`.'))
    process.exitCode = 1;
} finally {
  await postgres.remove();
  rmSync(stateDir, { recursive: true, force: true });
}

async function measure(world: World): Promise<Held[]> {
  const file = join(stateDir, 'holds');
  const port = await freePort();
  const sampler = pathToFileURL(join(root, 'dist', 'bench', 'loop-hold', 'sampler.js')).href;
  const program = await world.scheduler('api,plan', {
    SCHEDULER_PORT: String(port),
    BENCH_LOOP_FILE: file,
    NODE_OPTIONS: `--import ${sampler}`,
  });
  try {
    const env = { DATABASE_URL: world.url, CARILLON_MASTER_KEY: world.masterKey };
    const args = ['tokens', 'create', '--first', '--name', 'bench', '--role', 'publisher', '--service', '*'];
    const { token } = (await runCarillon({ args, env, root })) as { token: string };
    const send = async (path: string, type: string, body: string): Promise<void> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      await (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })).text();
    };
    // Code is compiled and threads start with the first ones.
    for (const { data } of hostilePlans(SERVICE))
      await send('/v1/plans', 'application/json', JSON.stringify(data));
    const held: Held[] = [];
    const stretch = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const from = Date.now();
      await work();
      // The last sample is written a tenth of a second later.
      await pause(200);
      const found = { name, ...longest(file, from, Date.now()) };
      held.push(found);
      process.stderr.write(
        `${name}: ${found.ms.toFixed(1)} ms, by the wall clock ${found.wallMs.toFixed(1)} ms\n`,
      );
    };
    await stretch('idle', () => pause(IDLE_MS));
    for (const [index, { name, data }] of [...hostilePlans(SERVICE), ...largePlans(SERVICE)].entries()) {
      const event = JSON.stringify(eventOf(`c-${index}`, data));
      await stretch(`plan: ${name}`, () => send('/v1/plans', 'application/json', JSON.stringify(data)));
      await stretch(`event: ${name}`, async () => {
        await send('/v1/events', 'application/cloudevents+json', event);
        await pause(AFTER_MS);
      });
    }
    for (const { name, body } of hostileBodies()) {
      await stretch(`body as plan: ${name}`, () => send('/v1/plans', 'application/json', body));
      await stretch(`body as event: ${name}`, () => send('/v1/events', 'application/cloudevents+json', body));
    }
    const batch = hostileBatch(10 * 1024 * 1024);
    await stretch('batch of 10 MiB', () => send('/v1/events', 'application/cloudevents-batch+json', batch));
    return held;
  } finally {
    await program.stop();
  }
}

function eventOf(campaignId: string, data: object): object {
  return {
    specversion: '1.0',
    id: campaignId,
    source: '/bench',
    type: 'carillon.campaign.scheduled.v1',
    subject: campaignId,
    time: new Date().toISOString(),
    data,
  };
}

function longest(file: string, from: number, to: number): Pick<Held, 'ms' | 'wallMs'> {
  const samples = readFileSync(file, 'utf8').trim().split('\n');
  const within = samples
    .map((line) => line.split(' ').map(Number))
    .filter(([at = 0]) => at >= from && at <= to);
  return {
    ms: Math.max(0, ...within.map(([, ms = 0]) => ms)),
    wallMs: Math.max(0, ...within.map(([, , ms = 0]) => ms)),
  };
}
