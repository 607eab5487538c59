// What is dispatched and followed a second while somebody holds a snapshot for minutes (a report, a dump, a session that
// was forgotten), against as long without, in the same run: whatever ends meanwhile stays in the indexes.
import { Client } from 'pg';
import type { Finding } from '../measure.js';
import type { Bench } from './bench.js';
import { IN_FLIGHT } from './throughput.js';
import { World } from './world.js';

const BATCH = 10_000;
/** The rate is that of the last part of the time, when most has ended. */
const LAST_PART = 4;

interface Run {
  readonly perSecond: number;
  readonly sends: number;
}

export async function heldSnapshot(bench: Bench, minutes: number): Promise<Finding[]> {
  const without = await runFor(bench, 'snapshot_free', minutes, false);
  const held = await runFor(bench, 'snapshot_held', minutes, true);
  return [
    {
      name: `sends dispatched and followed a second with a snapshot held for ${minutes} min, in the last quarter, against without`,
      value: held.perSecond / without.perSecond,
      unit: '×',
      bound: { kind: 'at least', value: 0.9 },
      detail: `${Math.round(held.perSecond)} of ${held.sends} sends; without ${Math.round(without.perSecond)} of ${without.sends}`,
    },
  ];
}

/** Campaigns one after the other, each published when the one before is over. */
async function runFor(bench: Bench, name: string, minutes: number, isHeld: boolean): Promise<Run> {
  const world = await World.open(bench.root, bench.postgres, name);
  await world.project(bench.pushUrl, IN_FLIGHT.ours);
  const scheduler = await world.scheduler('dispatch,follow');
  const holder = new Client({ connectionString: await bench.postgres.ensureDatabase(name) });
  await holder.connect();
  try {
    await batch(world);
    if (isHeld) await holder.query('begin isolation level repeatable read; select count(*) from pg_class');
    const forMs = minutes * 60_000;
    const began = performance.now();
    let [sends, last, lastMs] = [0, 0, 0];
    for (let passed = 0; passed < forMs;) {
      const ms = await batch(world);
      sends += BATCH;
      if (passed >= forMs - forMs / LAST_PART) [last, lastMs] = [last + BATCH, lastMs + ms];
      passed = performance.now() - began;
    }
    const perSecond = (last / lastMs) * 1_000;
    bench.say(`${name}: ${sends} sends in ${minutes} min, in the last quarter ${Math.round(perSecond)}/s`);
    return { perSecond, sends };
  } finally {
    await holder.end();
    await scheduler.stop();
    await world.close();
  }
}

/** Milliseconds from their commit to the last result. */
async function batch(world: World): Promise<number> {
  const { campaigns, visibleAt } = await world.seed({
    count: BATCH,
    state: 'planned',
    dueAt: Date.now() - 1_000,
  });
  for (const campaign of campaigns) await world.none(campaign, ['planned', 'sending', 'accepted'], 50);
  return performance.now() - visibleAt;
}
