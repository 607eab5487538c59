// What is due is read from the days that hold work: no other partition is opened, however many are kept, and no work is
// overlooked, wherever it lies.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Sql } from '../../../src/platform/database/database.js';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { WHOLE } from '../../../src/scheduler/decide/lifecycle/replica-slice.js';
import { lookAhead, lookFurther } from '../../../src/scheduler/store/send/look-ahead.store.js';
import { duePolls, nextPollAt } from '../../../src/scheduler/store/send/poll.store.js';
import { dueRepeats } from '../../../src/scheduler/store/send/repeat.store.js';
import { EVERY_DAY, WorkDays, type Days } from '../../../src/scheduler/store/send/work-days.store.js';
import { workDue } from '../../../src/scheduler/work-due.store.js';
import { OwnConnection } from '../../support/own-connection.js';
import { dropDays } from '../../support/partitions.js';
import { randomOf } from '../../support/seeded.js';
import { World } from '../../support/scheduler/world.js';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2027-06-15T12:00:00Z');
const KEPT = 100;

class HandClock extends SteppedClock {
  realMs = 0;

  override elapsed(): number {
    return this.realMs;
  }
}

let world: World;
beforeAll(async () => {
  world = await World.open();
  await dropDays(world.dataSource, 'send');
  await world.dataSource.query(
    `select add_day_partition('send', $1::timestamptz - n * interval '24 hours') from generate_series($2::int, -3, -1) n`,
    [new Date(NOON), KEPT - 4],
  );
}, 60_000);
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project({ extensions: ['idempotency-key'] });
});

/** A due send whose id is of a day so many before NOON's; at another instant of it than others. */
async function due(daysAgo: number, state: SendState = 'planned'): Promise<string> {
  const id = v7({ msecs: NOON - daysAgo * DAY_MS });
  const columns = { id, handed_off_at: new Date(NOON), next_at: new Date(NOON - 10_000) };
  await world.send({ state, dueAt: NOON, columns });
  return id;
}

const daysAt = (at: number): Promise<Days> => new WorkDays(world.dataSource, new SteppedClock(at)).now();

const ASK = { now: NOON, upTo: NOON + 5_000, limit: 500, round: 1, slice: WHOLE };
const START = { at: 0, chunk: -1, id: '00000000-0000-0000-0000-000000000000' };
const ASKED = { now: NOON, slice: WHOLE };
const FIRST = { limit: 500, rooms: new Map(), room: 500, held: [], round: 1 };

/** Every read of what is due, by name: the ids that it found. */
const READS: Readonly<Record<string, (sql: Sql, days: Days) => Promise<readonly string[]>>> = {
  ahead: async (sql, days) =>
    idsOf(await lookAhead(sql, { ...ASK, days, rooms: new Map(), room: 500, held: [] })),
  further: async (sql, days) => {
    const further = [{ serviceId: 'shop-app', part: 'late', room: 500, after: START }] as const;
    return idsOf(await lookFurther(sql, { ...ASK, days, further }));
  },
  polls: async (sql, days) => idsOf(await duePolls(sql, { ...ASKED, ...FIRST, days, works: ['p'] })),
  'further polls': async (sql, days) => {
    const further = { places: new Map([['shop-app', START]]), readUpTo: NOON };
    return idsOf(await duePolls(sql, { ...ASKED, ...FIRST, days, works: ['p'], further }));
  },
  cancels: async (sql, days) => idsOf(await duePolls(sql, { ...ASKED, ...FIRST, days, works: ['c'] })),
  repeats: async (sql, days) => idsOf(await dueRepeats(sql, { now: NOON, limit: 500, without: [], days })),
  'next poll': async (sql, days) => {
    await nextPollAt(sql, { ...ASKED, works: ['p'], days });
    return [];
  },
  'work due': async (sql, days) => {
    const loops = ['dispatch', 'dispatch-repeat', 'follow', 'cancel'];
    expect((await workDue(sql, { now: NOON, upTo: NOON, loops, days })).loops).toHaveLength(loops.length);
    return [];
  },
};

const idsOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

it('every day is stored and vacuumed for what happens to its sends', async () => {
  const days = await world.dataSource.query<{ reloptions: string[] | null }>(
    "select c.reloptions from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'send'::regclass",
  );
  const options = [
    'fillfactor=75',
    'autovacuum_vacuum_scale_factor=0.02',
    'autovacuum_analyze_scale_factor=0.02',
  ];
  expect(days.length).toBeGreaterThan(1);
  for (const { reloptions } of days) expect(reloptions).toEqual(options);
});

describe('of a hundred days of which two hold work', () => {
  const STATES = { ahead: 'planned', polls: 'accepted', cancels: 'canceling', repeats: 'uncertain' } as const;
  const EXPECTED: Readonly<Record<string, SendState | undefined>> = {
    ...STATES,
    further: 'planned',
    'further polls': 'accepted',
  };

  it.each(Object.keys(READS))('no other is opened: %s', async (name) => {
    const read = READS[name] ?? (() => Promise.reject(new Error(name)));
    const ids = new Map<SendState, string[]>();
    for (const state of Object.values(STATES)) ids.set(state, [await due(0, state), await due(60, state)]);
    const days = await daysAt(NOON);
    expect(days.few).toBe(true);
    const opened = async (those: Days): Promise<string[]> => {
      const own = await OwnConnection.beside(world.dataSource);
      try {
        // As it stands after the first calls, and not as it was first planned.
        for (let call = 0; call < 7; call += 1) await read(own, those);
        await own.query('begin');
        const expected = EXPECTED[name] === undefined ? [] : (ids.get(EXPECTED[name]) ?? []);
        expect([...(await read(own, those))].sort()).toEqual([...expected].sort());
        const locked = await own.query<{ name: string }>(
          `select distinct c.relname as name from pg_locks l join pg_inherits i on i.inhrelid = l.relation
             join pg_class c on c.oid = l.relation
            where l.pid = pg_backend_pid() and i.inhparent = 'send'::regclass order by 1`,
        );
        return locked.map((row) => row.name);
      } finally {
        await own.release();
      }
    };
    expect(await opened(days)).toEqual(['send_2027_04_16', 'send_2027_06_15']);
    const [all] = await world.dataSource.query<{ count: number }>(
      `select count(*)::int as count from day_partition where parent = 'send'`,
    );
    expect(all?.count).toBeGreaterThan(KEPT);
    expect(await opened(EVERY_DAY)).toHaveLength(all?.count ?? 0);
  });
});

describe('nothing due is overlooked', () => {
  it('however many days hold work, and however they lie', async () => {
    const random = randomOf(20_270_615);
    for (let round = 0; round < 8; round += 1) {
      await world.dataSource.query('delete from send');
      const ids: string[] = [];
      for (let some = 1 + Math.floor(random() * 9); some > 0; some -= 1)
        ids.push(await due(Math.floor(random() * (KEPT - 4))));
      const found = await READS['ahead']?.(world.dataSource, await daysAt(NOON));
      expect([...(found ?? [])].sort()).toEqual([...ids].sort());
    }
  });

  it('of the day, which is named before its first send is born, nor of its neighbour around midnight', async () => {
    const midnight = NOON - DAY_MS / 2;
    for (const [at, daysAgo] of [
      [NOON, 0],
      [midnight + 60_000, 1],
      [midnight - 60_000, 0],
    ] as const) {
      await world.dataSource.query('delete from send');
      const days = await daysAt(at);
      const id = await due(daysAgo);
      expect(await READS['ahead']?.(world.dataSource, days)).toEqual([id]);
      expect(days.few).toBe(true);
    }
  });

  it('of the days before the oldest, which are one', async () => {
    const ids = [await due(KEPT + 900), await due(KEPT + 300), await due(60)];
    const days = await daysAt(NOON);
    expect(days.few).toBe(true);
    expect([...((await READS['ahead']?.(world.dataSource, days)) ?? [])].sort()).toEqual(ids.sort());
  });

  it('of a day nobody has made: nothing is born there', async () => {
    await expect(due(-30)).rejects.toThrow('no partition of relation "send" found for row');
    expect(await READS['ahead']?.(world.dataSource, await daysAt(NOON + 30 * DAY_MS))).toEqual([]);
  });

  it('longer than moments, should a day come to hold work again', async () => {
    const clock = new HandClock(NOON);
    const days = new WorkDays(world.dataSource, clock);
    await days.now();
    const id = await due(60);
    const seen = async (): Promise<readonly string[] | undefined> =>
      READS['ahead']?.(world.dataSource, await days.now());
    clock.realMs = 4_999;
    expect(await seen()).toEqual([]);
    clock.realMs = 5_000;
    expect(await seen()).toEqual([id]);
    // A clock that runs fast comes to the next day within them.
    clock.set(NOON + DAY_MS);
    const next = await due(-1);
    expect(await seen()).toEqual(expect.arrayContaining([id, next]));
  });

  it('where the database could not say: it is asked again', async () => {
    let away = true;
    const sql: Sql = {
      query: (text, parameters) =>
        away ? Promise.reject(new Error('away')) : world.dataSource.query(text, parameters),
    };
    const days = new WorkDays(sql, new SteppedClock(NOON));
    await expect(days.now()).rejects.toThrow('away');
    away = false;
    await expect(days.now()).resolves.toMatchObject({ few: true });
  });
});
