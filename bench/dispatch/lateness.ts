// How late sends of one instant leave while many more wait for a later day; and what waiting costs when nothing is due.
import { scheduler } from 'node:timers/promises';
import { median, type Finding } from '../measure.js';
import { postgresMs, processorMsOf } from '../process-time.js';
import type { Bench } from './bench.js';
import { IN_FLIGHT } from './throughput.js';
import { World } from './world.js';

const BURST = 10_000;
const FEW = 100;
const DAY_MS = 86_400_000;
const IDLE_MS = 60_000;
/** How many projects there are in the idle measurement. None of them has anything due. */
const IDLE_PROJECTS = 2_000;

interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly last: number;
}

interface AtRows {
  readonly rows: number;
  readonly burst: readonly Lateness[];
  readonly few: readonly Lateness[];
}

/** `perSecond`: dispatched a second, as measured in the same run. */
export async function latenessAndIdle(bench: Bench, perSecond: number): Promise<Finding[]> {
  const measured: AtRows[] = [];
  let idle: Finding | undefined;
  for (const rows of bench.futureRows) {
    const world = await World.open(bench.root, bench.postgres, `late_${rows}`);
    try {
      await world.project(bench.pushUrl, IN_FLIGHT.ours);
      await world.seed({ count: rows, state: 'planned', dueAt: Date.now() + DAY_MS, overMs: 30 * DAY_MS });
      await world.vacuum();
      // First: what the bursts leave behind would have to be followed.
      if (rows === bench.futureRows.at(-1)) idle = await idleCost(bench, world, rows);
      measured.push(await atRows(bench, world, rows));
    } finally {
      await world.close();
    }
  }
  const [least] = measured;
  const most = measured.at(-1);
  if (least === undefined || most === undefined || idle === undefined) return [];
  const growth = (pick: (one: Lateness) => number): number =>
    median(most.burst.map(pick)) / median(least.burst.map(pick));
  const detail = measured.map(({ rows, burst }) => `${rows} rows: ${shown(burst)}`).join('; ');
  return [
    {
      name: `p50 lateness of ${BURST} sends of one instant, ${most.rows} future rows against ${least.rows}`,
      value: growth((one) => one.p50),
      unit: '×',
      bound: { kind: 'at most', value: 1.3 },
      detail,
    },
    {
      name: `p99 lateness of ${BURST} sends of one instant, ${most.rows} future rows against ${least.rows}`,
      value: growth((one) => one.p99),
      unit: '×',
      bound: { kind: 'at most', value: 1.3 },
      detail,
    },
    {
      name: `the last of ${BURST} sends of one instant, against the time their throughput gives them, ${most.rows} future rows`,
      value: median(most.burst.map((one) => one.last)) / ((BURST / perSecond) * 1_000),
      unit: '×',
      bound: { kind: 'at most', value: 1.3 },
      detail: `${Math.round(perSecond)} sends/s in this run; ${shown(most.burst)}`,
    },
    {
      name: `p99 lateness of ${FEW} sends of one instant, ${most.rows} future rows`,
      value: median(most.few.map((one) => one.p99)),
      unit: 'ms',
      bound: { kind: 'at most', value: 15 },
      detail: measured.map(({ rows, few }) => `${rows} rows: ${shown(few)}`).join('; '),
    },
    idle,
  ];
}

async function atRows(bench: Bench, world: World, rows: number): Promise<AtRows> {
  const dispatcher = await world.scheduler('dispatch');
  try {
    await burstOf(world, 2_000);
    const burst: Lateness[] = [];
    const few: Lateness[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      burst.push(await burstOf(world, BURST));
      few.push(await burstOf(world, FEW));
      bench.say(
        `${rows} future rows, round ${round + 1}: ${BURST}: ${shown(burst.slice(-1))}; ${FEW}: ${shown(few.slice(-1))}`,
      );
    }
    return { rows, burst, few };
  } finally {
    await dispatcher.stop();
  }
}

/** Lateness as the reports have it: from the due to the answer, of sends that were there long enough to be looked ahead to. */
async function burstOf(world: World, count: number): Promise<Lateness> {
  await world.sql.query('checkpoint');
  const dueAt = Math.ceil((Date.now() + 8_000) / 1_000) * 1_000;
  const { campaigns } = await world.seed({ count, state: 'planned', dueAt });
  const [campaign = ''] = campaigns;
  await scheduler.wait(dueAt - Date.now());
  await world.none(campaign, ['planned', 'sending'], 100);
  return world.one<Lateness>(
    `select percentile_cont(0.5) within group (order by late) as p50, percentile_cont(0.99) within group (order by late) as p99,
            max(late) as last
       from (select extract(epoch from answered_at - due_at)::float8 * 1000 as late from send where campaign = $1) as l`,
    [campaign],
  );
}

/** The idle cost of one project, and of many, each with a send for a later day. */
export async function idleBesideProjects(bench: Bench): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const projects of [1, IDLE_PROJECTS]) {
    const world = await World.open(bench.root, bench.postgres, `idle_${projects}`);
    try {
      const serviceIds = Array.from({ length: projects }, (_, n) => `idle-${n}`);
      for (const serviceId of serviceIds) await world.project(bench.pushUrl, IN_FLIGHT.ours, serviceId);
      await world.seed({ count: 1, state: 'planned', dueAt: Date.now() + DAY_MS, serviceIds });
      await world.vacuum();
      found.push(await idleCost(bench, world, projects, `${projects} projects`));
    } finally {
      await world.close();
    }
  }
  return found;
}

/** Processor time of a whole scheduler and of PostgreSQL with all its processes while nothing is due. */
async function idleCost(bench: Bench, world: World, rows: number, beside = 'one project'): Promise<Finding> {
  const idle = await world.scheduler('accept,plan,dispatch,follow,publish,api');
  try {
    // What a start does is over, and what the checkpoint and VACUUM left behind with it.
    await scheduler.wait(10_000);
    const before = [processorMsOf(idle.pid), postgresMs(bench.postgres.pid)] as const;
    await scheduler.wait(IDLE_MS);
    const [ours, postgres] = [
      processorMsOf(idle.pid) - before[0],
      postgresMs(bench.postgres.pid) - before[1],
    ];
    return {
      name: `idle cost of scheduler and PostgreSQL over ${IDLE_MS / 1_000} s, ${beside}, ${rows} future rows, nothing due`,
      value: ((ours + postgres) / IDLE_MS) * 100,
      unit: '% of a core',
      bound: { kind: 'at most', value: 1 },
      detail: `scheduler ${ours} ms, PostgreSQL ${postgres} ms of processor time`,
    };
  } finally {
    await idle.stop();
  }
}

function shown(rounds: readonly Lateness[]): string {
  return (
    rounds.map(({ p50, p99, last }) => [p50, p99, last].map(Math.round).join('/')).join(' ') +
    ' ms (p50/p99/last)'
  );
}
