// Due sends dispatched a second, from the look ahead to the recorded outcome, and looks followed up a second, each against
// the same signed loop without a database; and what others do with the same call. By turns, in one run.
import { median, type Finding } from '../measure.js';
import { startProgram } from './program.js';
import type { ContestantSettings } from './settings.js';
import type { Bench } from './bench.js';
import { World } from './world.js';

/**
 * Calls in flight at once, of each contestant as many as serve it best: what ours writes in a statement grows with
 * them, and from 256 to 1024 it dispatches a third more; the loop without a database and graphile-worker are as fast with
 * either, pg-boss is fastest with batches of 512.
 */
export const IN_FLIGHT = { bare: 256, ours: 1_024, cron: 1, graphile: 256, boss: 512 };
const FOLLOWED_PROJECTS = [1, 8] as const;
/** Over so many milliseconds the timed results come due: faster than the follower asks for them. */
const RESULTS_OVER_MS = 1_500;
/** Calls that are timed, and before them those that are not. */
const COUNTS = { bare: 20_000, ours: 20_000, cron: 1_000, graphile: 10_000, boss: 10_000 };
const WARM_UP = { bare: 10_000, ours: 10_000, cron: 200, graphile: 5_000, boss: 5_000 };

const bareFile = 'dist/bench/dispatch/bare-loop.js';

interface Rival {
  readonly name: string;
  readonly words: string;
  readonly file: string;
  readonly size: 'cron' | 'graphile' | 'boss';
  /** docs/decisions/0009: like is measured with like; what writes nothing down is shown beside it. */
  readonly records: boolean;
  readonly least?: number;
}

const GRAPHILE = { file: 'bench/dispatch/rivals/graphile-worker.mjs', size: 'graphile' } as const;
const BOSS = { file: 'bench/dispatch/rivals/pg-boss.mjs', size: 'boss' } as const;
const rivals: readonly Rival[] = [
  {
    name: 'cron',
    words: 'a @Cron handler with one await and one update per send',
    file: 'bench/dispatch/rivals/cron-handler.mjs',
    size: 'cron',
    records: false,
    least: 8,
  },
  {
    ...GRAPHILE,
    name: 'graphile',
    words:
      'graphile-worker 0.17.3, local queue and batched completion, its jobs recording state, attempt, history and outbox',
    records: true,
    least: 2.5,
  },
  {
    ...GRAPHILE,
    name: 'graphile_bare',
    words: 'graphile-worker 0.17.3, local queue and batched completion, its jobs recording nothing',
    records: false,
  },
  {
    ...BOSS,
    name: 'boss',
    words: 'pg-boss 10.3.2, fetched, recorded (state, attempt, history and outbox) and completed in batches',
    records: true,
    least: 1.4,
  },
  {
    ...BOSS,
    name: 'boss_bare',
    words: 'pg-boss 10.3.2, fetched and completed in batches, recording nothing',
    records: false,
  },
];

/** Without `all`, only how much it dispatches a second. */
export async function dispatchThroughput(
  bench: Bench,
  all: boolean,
): Promise<{ findings: Finding[]; oursPerSecond: number }> {
  const rates = new Map<string, number[]>(
    ['bare', 'ours', ...rivals.map(({ name }) => name)].map((name) => [name, []]),
  );
  const of = (name: string): number[] => rates.get(name) ?? [];
  for (let round = 0; round < bench.rounds; round += 1) {
    if (all) of('bare').push(await contestant(bench, 'bare', bareFile, { kind: 'send' }));
    of('ours').push(await ours(bench, `send_${round}`, 'planned'));
    for (const { name, file, size, records } of all ? rivals : []) {
      const databaseUrl = await bench.postgres.ensureDatabase(`${name}_${round}`);
      of(name).push(await contestant(bench, size, file, { kind: 'send', databaseUrl, records }));
    }
    bench.say(
      `round ${round + 1}, calls/s: ${[...rates].map(([name, found]) => `${name} ${shown(found.slice(-1))}`).join(', ')}`,
    );
  }
  const oursPerSecond = median(of('ours'));
  if (!all) return { findings: [], oursPerSecond };
  const against = ({ name, words, least }: Pick<Rival, 'name' | 'words' | 'least'>): Finding => ({
    name: `due sends dispatched, look ahead to recorded outcome, against ${words}`,
    value: median(of('ours').map((rate, round) => rate / (of(name)[round] ?? Number.NaN))),
    unit: '×',
    ...(least === undefined ? {} : { bound: { kind: 'at least', value: least } }),
    detail: `sends/s by round: ours ${shown(of('ours'))}; it ${shown(of(name))}`,
  });
  const bare = { name: 'bare', words: 'the same signed loop without a database', least: 0.5 };
  return { findings: [bare, ...rivals].map(against), oursPerSecond };
}

export async function followThroughput(bench: Bench): Promise<Finding[]> {
  const bare: number[] = [];
  const followed = new Map<number, number[]>(FOLLOWED_PROJECTS.map((projects) => [projects, []]));
  for (let round = 0; round < bench.rounds; round += 1) {
    bare.push(await contestant(bench, 'bare', bareFile, { kind: 'result' }));
    for (const [projects, rates] of followed)
      rates.push(await ours(bench, `follow_${projects}_${round}`, 'accepted', projects));
    bench.say(
      `round ${round + 1}, polls/s: bare ${shown(bare.slice(-1))}, ${[...followed].map(([n, rates]) => `${n} projects ${shown(rates.slice(-1))}`).join(', ')}`,
    );
  }
  return [...followed].map(([projects, rates]) => ({
    name: `results of ${projects === 1 ? 'one project' : `${projects} projects`} followed as they come due, claim to recorded result, against the same signed loop of GETs without a database`,
    value: median(rates.map((rate, round) => rate / (bare[round] ?? Number.NaN))),
    unit: '×',
    bound: { kind: 'at least', value: 0.4 },
    detail: `polls/s by round: ours ${shown(rates)}; it ${shown(bare)}`,
  }));
}

/** Calls a second of a program that measures itself. */
async function contestant(
  { root, pushUrl }: Bench,
  size: 'bare' | Rival['size'],
  file: string,
  { kind, databaseUrl = '', records = false }: Pick<ContestantSettings, 'kind'> & Partial<ContestantSettings>,
): Promise<number> {
  const count = COUNTS[size];
  const settings: ContestantSettings = {
    pushUrl,
    databaseUrl,
    warmUp: WARM_UP[size],
    count,
    inFlight: IN_FLIGHT[size],
    kind,
    records,
  };
  const program = startProgram(root, file, { args: [JSON.stringify(settings)] });
  const { ms } = JSON.parse(await program.line((text) => text.startsWith('{"ms"'))) as { ms: number };
  await program.stop();
  return (count / ms) * 1_000;
}

/** Sends (or looks) a second of a scheduler in production's shape, from their commit to the last one recorded. */
async function ours(
  bench: Bench,
  name: string,
  state: 'planned' | 'accepted',
  projects = 1,
): Promise<number> {
  const world = await World.open(bench.root, bench.postgres, name);
  const services = Array.from({ length: projects }, (_, n) => `bench-${n}`);
  for (const service of services) await world.project(bench.pushUrl, IN_FLIGHT.ours, service);
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
  // Sent an hour ago: no result is put off because others took longer.
  const dueAt = state === 'planned' ? Date.now() - 1_000 : Date.now() - 3_600_000;
  const { campaigns, visibleAt } = await world.seed({
    count: total / serviceIds.length,
    state,
    dueAt,
    serviceIds,
    ...(state === 'accepted' ? { resultsOverMs: RESULTS_OVER_MS } : {}),
  });
  const open = state === 'planned' ? ['planned', 'sending'] : ['accepted'];
  for (const campaign of campaigns) await world.none(campaign, open, 50);
  return performance.now() - visibleAt;
}

/** Nothing that the measure names was left out. */
async function checkRows(world: World, sends: number): Promise<void> {
  const found = await world.one<Record<string, number>>(
    `select (select count(*) from send where state = 'accepted')::int as accepted,
            (select count(*) from send_attempt where outcome = 'taken')::int as attempts,
            (select count(*) from send_event)::int as events,
            (select sum(changes - 1) >= $1::int from send)::int as history`,
    // Sending and accepted at least; one that is put back has more.
    [2 * sends],
  );
  const expected = { accepted: sends, attempts: sends, events: sends, history: 1 };
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

function shown(rates: readonly number[]): string {
  return rates.map((rate) => Math.round(rate)).join(' ');
}
