// So many schedulers on one database of their own, and as many sends due at once as are asked for: how many a second leave,
// and how often a backend of theirs was seen waiting for a lock meanwhile.
import type { RunningPostgres } from '../../tools/postgres.js';
import type { Program } from '../dispatch/program.js';
import { IN_FLIGHT } from '../dispatch/throughput.js';
import { World } from '../dispatch/world.js';
import { LockWaits } from './lock-waits.js';

export interface Scaled {
  readonly replicas: number;
  readonly perSecond: number;
  /** How many of the replicas have sent. */
  readonly senders: number;
  /** The part that was taken at the first attempt. */
  readonly atFirst: number;
  readonly looks: number;
  /** Backends seen waiting for a lock, by its kind, for each thousand sends. */
  readonly waits: Readonly<Record<string, number>>;
  /** Their sum. */
  readonly waitsOfAll: number;
}

export interface Setting {
  readonly root: string;
  readonly postgres: RunningPostgres;
  readonly pushUrl: string;
  readonly name: string;
  readonly replicas: number;
  readonly sends: number;
}

export async function oneRun(setting: Setting): Promise<Scaled> {
  const { sends, replicas } = setting;
  const world = await World.open(setting.root, setting.postgres, setting.name);
  const running: Program[] = [];
  try {
    await world.project(setting.pushUrl, IN_FLIGHT.ours);
    for (let replica = 0; replica < replicas; replica += 1) running.push(await world.scheduler('dispatch'));
    await dispatched(world, Math.ceil(sends / 2));
    await world.sql.query('checkpoint');
    const looking = await LockWaits.begin(world.url);
    const { campaign, ms } = await dispatched(world, sends).catch(async (error: unknown) => {
      await looking.end();
      throw error;
    });
    const { looks, seen } = await looking.end();
    const { senders, taken } = await world.one<{ senders: number; taken: number }>(
      `select count(distinct fired_by)::int as senders, count(*) filter (where state = 'accepted' and attempts = 1)::int as taken
         from send where campaign = $1`,
      [campaign],
    );
    const each = [...seen].map(([what, backends]) => [what, (backends / sends) * 1_000] as const);
    return {
      replicas,
      perSecond: (sends / ms) * 1_000,
      senders,
      atFirst: taken / sends,
      looks,
      waits: Object.fromEntries(each.toSorted(([, a], [, b]) => b - a)),
      waitsOfAll: each.reduce((sum, [, one]) => sum + one, 0),
    };
  } finally {
    for (const program of running) await program.stop();
    await world.close();
  }
}

/** Milliseconds from the commit that puts them down, due, until all of them are written down as taken. */
async function dispatched(world: World, count: number): Promise<{ campaign: string; ms: number }> {
  const { campaigns, visibleAt } = await world.seed({
    count,
    state: 'planned',
    dueAt: Date.now() - 1_000,
  });
  const [campaign = ''] = campaigns;
  await world.none(campaign, ['planned', 'sending'], 50);
  return { campaign, ms: performance.now() - visibleAt };
}
