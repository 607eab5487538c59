// Due sends dispatched a second, from the claim to the recorded outcome, and looks followed up a second, each against
// the same signed loop without a database; and what others do with the same call. By turns, in one run.
import { median, type Finding } from '../measure.js';
import { startProgram } from './program.js';
import type { ContestantSettings } from './settings.js';
import type { Bench } from './bench.js';
import { World } from './world.js';

const IN_FLIGHT = 256;
const FOLLOWED_PROJECTS = 8;
const COUNTS = { bare: 20_000, ours: 10_000, cron: 1_000, graphile: 5_000, boss: 5_000 };
const WARM_UP = { bare: 3_000, ours: 3_000, cron: 200, graphile: 2_000, boss: 2_000 };

const bareFile = 'dist/bench/dispatch/bare-loop.js';
const rivals = {
  cron: 'bench/dispatch/rivals/cron-handler.mjs',
  graphile: 'bench/dispatch/rivals/graphile-worker.mjs',
  boss: 'bench/dispatch/rivals/pg-boss.mjs',
} as const;

/** Without `all`, only how much it dispatches a second. */
export async function dispatchThroughput(
  bench: Bench,
  all: boolean,
): Promise<{ findings: Finding[]; oursPerSecond: number }> {
  const rates = { bare: [], ours: [], cron: [], graphile: [], boss: [] } as Record<
    keyof typeof COUNTS,
    number[]
  >;
  for (let round = 0; round < bench.rounds; round += 1) {
    if (all) rates.bare.push(await contestant(bench, 'bare', bareFile, '', 'send'));
    rates.ours.push(await ours(bench, `send_${round}`, 'planned'));
    for (const name of all ? (['cron', 'graphile', 'boss'] as const) : []) {
      const url = await bench.postgres.ensureDatabase(`${name}_${round}`);
      rates[name].push(await contestant(bench, name, rivals[name], url, 'send'));
    }
    bench.say(
      `round ${round + 1}, calls/s: ${Object.entries(rates)
        .map(([name, of]) => `${name} ${shown(of.slice(-1))}`)
        .join(', ')}`,
    );
  }
  const against = (name: 'bare' | 'cron' | 'graphile' | 'boss', words: string, least: number): Finding => ({
    name: `due sends dispatched, claim to recorded outcome, against ${words}`,
    value: median(rates.ours.map((rate, round) => rate / (rates[name][round] ?? Number.NaN))),
    unit: '×',
    bound: { kind: 'at least', value: least },
    detail: `sends/s by round: ours ${shown(rates.ours)}; it ${shown(rates[name])}`,
  });
  const oursPerSecond = median(rates.ours);
  if (!all) return { findings: [], oursPerSecond };
  const findings = [
    against('bare', 'the same signed loop without a database', 0.35),
    against('cron', 'a @Cron handler with one await and one update per send', 8),
    against('graphile', 'graphile-worker 0.17.3, local queue and batched completion', 3),
    against('boss', 'pg-boss 10.3.2, fetched and completed in batches', 1),
  ];
  return { findings, oursPerSecond };
}

export async function followThroughput(bench: Bench): Promise<Finding> {
  const bare: number[] = [];
  const followed: number[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    bare.push(await contestant(bench, 'bare', bareFile, '', 'result'));
    followed.push(await ours(bench, `follow_${round}`, 'accepted'));
  }
  return {
    name: 'looks followed up, claim to recorded result, against the same signed loop of GETs without a database',
    value: median(followed.map((rate, round) => rate / (bare[round] ?? Number.NaN))),
    unit: '×',
    bound: { kind: 'at least', value: 0.4 },
    detail: `polls/s by round: ours ${shown(followed)}; it ${shown(bare)}`,
  };
}

/** Calls a second of a program that measures itself. */
async function contestant(
  { root, pushUrl }: Bench,
  name: keyof typeof COUNTS,
  file: string,
  databaseUrl: string,
  kind: ContestantSettings['kind'],
): Promise<number> {
  const count = COUNTS[name];
  const settings: ContestantSettings = {
    pushUrl,
    databaseUrl,
    warmUp: WARM_UP[name],
    count,
    inFlight: IN_FLIGHT,
    kind,
  };
  const program = startProgram(root, file, { args: [JSON.stringify(settings)] });
  const { ms } = JSON.parse(await program.line((text) => text.startsWith('{"ms"'))) as { ms: number };
  await program.stop();
  return (count / ms) * 1_000;
}

/** Sends (or looks) a second of a scheduler in production's shape, from being told of them to the last one written down. */
async function ours(bench: Bench, name: string, state: 'planned' | 'accepted'): Promise<number> {
  const world = await World.open(bench.root, bench.postgres, name);
  const services =
    state === 'planned' ? ['bench'] : Array.from({ length: FOLLOWED_PROJECTS }, (_, n) => `bench-${n}`);
  for (const service of services) await world.project(bench.pushUrl, IN_FLIGHT, service);
  const scheduler = await world.scheduler(state === 'planned' ? 'dispatch' : 'follow', { LOG_LEVEL: 'info' });
  try {
    await run(world, services, state, WARM_UP.ours);
    const ms = await run(world, services, state, COUNTS.ours);
    if (state === 'planned') await checkRows(world, WARM_UP.ours + COUNTS.ours);
    return (COUNTS.ours / ms) * 1_000;
  } finally {
    await scheduler.stop();
    await world.close();
  }
}

/** Milliseconds from the commit that put them down until all of them are written down as handled. */
async function run(
  world: World,
  serviceIds: readonly string[],
  state: 'planned' | 'accepted',
  total: number,
): Promise<number> {
  await world.sql.query('checkpoint');
  // Results that are an hour old are asked for at once.
  const dueAt = state === 'planned' ? Date.now() - 1_000 : Date.now() - 3_600_000;
  const { campaigns, visibleAt } = await world.seed({
    count: total / serviceIds.length,
    state,
    dueAt,
    serviceIds,
  });
  const open = state === 'planned' ? ['planned', 'claimed', 'sending'] : ['accepted'];
  for (const campaign of campaigns) await world.none(campaign, open, 50);
  return performance.now() - visibleAt;
}

/** Nothing that the measure names was left out. */
async function checkRows(world: World, sends: number): Promise<void> {
  const found = await world.one<Record<string, number>>(
    `select (select count(*) from send where state = 'accepted')::int as accepted,
            (select count(*) from attempt where outcome = 'taken')::int as attempts,
            (select count(*) from outbox)::int as outbox,
            (select count(*) >= $1::int from send_history)::int as history`,
    // Claimed, sending, accepted; one that is given back has more.
    [3 * sends],
  );
  const expected = { accepted: sends, attempts: sends, outbox: sends, history: 1 };
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

function shown(rates: readonly number[]): string {
  return rates.map((rate) => Math.round(rate)).join(' ');
}
