// What a soak goes through while a steady load goes on: a calm stretch, a broker and a database that are away for a time, a
// midnight, and days that are past their retention, with a rolling restart every so often.
import { scheduler } from 'node:timers/promises';
import { REPLICAS, SERVICE, type SoakHouse } from './soak-house.js';
import { AHEAD_MS, type SteadyLoad } from './steady-load.js';
import { latenessOf, type Lateness } from './watch.js';

export interface Plan {
  readonly perSecond: number;
  /** The length of each stretch that is measured, milliseconds. */
  readonly stretchMs: number;
  readonly outageMs: number;
  /** 0: never. */
  readonly restartEveryMs: number;
}

/** What can be taken away for a time. */
interface Away {
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export interface Stretches {
  readonly calm: Lateness;
  /** After the broker was away, after the database was, over midnight, and while days go. */
  readonly later: readonly Lateness[];
  /** From the end of each outage until nothing was overdue any more, milliseconds: the broker's, the database's. */
  readonly caughtUpMs: readonly number[];
}

const DAY_MS = 86_400_000;
/** SEND_RETENTION_DAYS of the replicas, the margin of two days, and one more. */
const PAST_RETENTION_DAYS = 34;
const DRAINED_WITHIN_MS = 600_000;
const CAUGHT_UP_WITHIN_MS = 900_000;
/** One is published a second, AHEAD_MS before its due. */
const NOT_YET_PLANNED = 5;

export const say = (words: string): void =>
  void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${words}\n`);

export async function soak(house: SoakHouse, load: SteadyLoad, plan: Plan): Promise<Stretches> {
  const { stretchMs, outageMs } = plan;
  const stretch = (words: string): Promise<Lateness> => measured(house, stretchMs, words);
  const caughtUpMs: number[] = [];
  const away = async (name: string, part: Away): Promise<void> => {
    await house.alone(async () => {
      say(`without ${name}`);
      await part.stop();
      await scheduler.wait(outageMs);
      await part.restart();
    });
    const back = performance.now();
    say(`${name} is back`);
    await caughtUp(house, load);
    caughtUpMs.push(performance.now() - back);
  };
  const first = await under(house, load, plan, async () => {
    const calm = await stretch('a calm stretch');
    await away('Kafka', house.kafka);
    const withKafka = await stretch('caught up with what came without Kafka');
    await away('PostgreSQL', house.postgres);
    return { calm, later: [withKafka, await stretch('caught up with what came without PostgreSQL')] };
  });
  const untilMidnight = DAY_MS - (house.now() % DAY_MS);
  await house.setClockAhead(house.aheadMs + untilMidnight - stretchMs / 2);
  const midnight = await under(house, load, plan, () => stretch('over midnight'));
  await house.setClockAhead(house.aheadMs + PAST_RETENTION_DAYS * DAY_MS);
  const retention = await under(house, load, plan, () => stretch('while days go'));
  return { calm: first.calm, later: [...first.later, midnight, retention], caughtUpMs };
}

/** The load and the restarts go on beside `work`; returns when all that was published is over. */
async function under<Result>(
  house: SoakHouse,
  load: SteadyLoad,
  { perSecond, restartEveryMs }: Plan,
  work: () => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const beside = Promise.all([
    load.run(perSecond, ending.signal),
    restarts(house, restartEveryMs, ending.signal),
  ]);
  try {
    await scheduler.wait(2 * AHEAD_MS);
    return await Promise.race([work(), never(beside)]);
  } finally {
    ending.abort();
    await beside;
    await drained(house);
  }
}

/** Fails as `work` does, and else never ends. */
async function never(work: Promise<unknown>): Promise<never> {
  await work;
  return new Promise<never>(() => undefined);
}

async function restarts(house: SoakHouse, everyMs: number, signal: AbortSignal): Promise<void> {
  if (everyMs === 0) return;
  for (;;) {
    await scheduler.wait(everyMs, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await house.alone(async () => {
      say('a rolling restart');
      for (let index = 0; index < REPLICAS; index += 1) await house.restart(index);
    });
  }
}

async function measured(house: SoakHouse, ms: number, words: string): Promise<Lateness> {
  say(words);
  const from = house.now();
  await scheduler.wait(ms);
  const to = house.now();
  // What is due is answered by then, or is as late as it is.
  await scheduler.wait(AHEAD_MS);
  return latenessOf(house.scheduler, from, to);
}

/** Waits until all that was to be published but of the last seconds is planned, and nothing of it is overdue. */
async function caughtUp(house: SoakHouse, load: SteadyLoad): Promise<void> {
  const deadline = performance.now() + CAUGHT_UP_WITHIN_MS;
  // What was published late is due so long after it.
  for (let onTimeFrom = performance.now(); performance.now() - onTimeFrom < 2 * AHEAD_MS;) {
    if (!load.isOnTime) onTimeFrom = performance.now();
    await scheduler.wait(500);
    if (performance.now() > deadline)
      throw new Error('still not published a quarter of an hour after an outage');
  }
  for (;;) {
    if (performance.now() > deadline) throw new Error('still behind a quarter of an hour after an outage');
    const { rows } = await house.scheduler
      .query<{ planned: number; overdue: boolean }>(
        `select (select count(*) from campaign where state not in ('accepted', 'planning'))::float8 as planned,
                exists (select from send_open where service_id = $1 and work = 'f' and next_at < $2) as overdue`,
        [SERVICE, new Date(house.now() - AHEAD_MS)],
      )
      .catch(() => ({ rows: [] }));
    const [found] = rows;
    if (found?.overdue === false && found.planned >= load.campaigns - NOT_YET_PLANNED) return;
    await scheduler.wait(1_000);
  }
}

/** Waits until no send and no campaign is open. */
export async function drained(house: SoakHouse): Promise<void> {
  const deadline = performance.now() + DRAINED_WITHIN_MS;
  do {
    if (performance.now() > deadline) throw new Error('sends or campaigns are still open after ten minutes');
    await scheduler.wait(500);
  } while (await isOpen(house).catch(() => true));
}

async function isOpen({ scheduler: sql }: SoakHouse): Promise<boolean> {
  const { rows } = await sql.query<{ open: boolean }>(
    `select exists (select from send_open where service_id = $1 and work = any (array['f', 'p', 'c', 'r', 'u']::"char"[]))
            or exists (select from campaign where state not in ('completed', 'expired', 'canceled', 'rejected')) as open`,
    [SERVICE],
  );
  return rows[0]?.open ?? true;
}
