// Every chunk has one newest send, whoever retries it and however many at once. Pages over a campaign's newest sends neither skip one
// nor count one twice where retried sends lie between them.
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { askAct, workPage } from '../../../src/scheduler/store/send/act.store.js';
import { sumNewestSends, type SendsSeen } from '../../../src/scheduler/store/send/close.store.js';
import { ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import { insertRetries, type NewRetry } from '../../../src/scheduler/store/send/retry.store.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { randomOf } from '../../support/seeded.js';
import { START, World } from '../../support/scheduler/world.js';

const DAY_MS = 86_400_000;

let world: World;
beforeAll(async () => {
  world = await World.open();
  // Retries lie in another partition than the sends they are retries of.
  await ensurePartitions(world.dataSource, new Date());
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
});

const retry = (sql: Sql, sends: readonly string[]): Promise<NewRetry[]> =>
  insertRetries(
    sql,
    sends.map((of) => ({ of, id: v7({ msecs: Date.now() + DAY_MS }), dueAt: START })),
    START,
    'ops',
  );

/** Failed sends of one campaign, in order of chunk. */
async function failed(count: number): Promise<{ campaign: string; sends: string[] }> {
  const campaign = await world.campaign({ state: 'running' });
  const first = await world.send({ campaign, state: 'failed', recipients: ['somebody'] });
  if (count > 1) await world.copies(first, count - 1);
  await world.dataSource.query('update cell set chunks = $2 where campaign = $1', [campaign, count]);
  const rows = await world.dataSource.query<{ id: string }>(
    'select id from send where campaign = $1 order by chunk',
    [campaign],
  );
  return { campaign, sends: rows.map(({ id }) => id) };
}

/** How many newest sends each chunk has. */
async function newestOfChunks(): Promise<number[]> {
  const rows = await world.dataSource.query<{ newest: number }>(
    'select count(*) filter (where next_send is null)::int as newest from send group by campaign, chunk',
  );
  return rows.map(({ newest }) => newest);
}

describe('two retries of the same send', () => {
  it.each([
    ['commit', 0],
    ['rollback', 1],
  ])('wait for each other: after the first one`s %s the second makes %i', async (end, made) => {
    const {
      sends: [send = ''],
    } = await failed(1);
    const first = await OwnConnection.beside(world.dataSource);
    try {
      await first.query('begin');
      expect(await retry(first, [send])).toHaveLength(1);
      const second = retry(world.dataSource, [send]);
      await untilLockAwaited((sql) => world.dataSource.query(sql), { like: '%set next_send = w.id%' });
      await first.query(end);
      expect(await second).toHaveLength(made);
    } finally {
      await first.release();
    }
    expect(await newestOfChunks()).toEqual([1]);
    // The newest send has the ids, and no other.
    expect(
      await world.dataSource.query(
        'select r.recipients, s.next_send from send_recipients r join send s on s.id = r.send and s.ended_at = r.send_ended_at',
      ),
    ).toEqual([{ recipients: ['somebody'], next_send: null }]);
  });

  it('of many at once, in any order, leave one newest of each chunk and never lock each other out', async () => {
    const { sends } = await failed(60);
    const random = randomOf(20_270_301);
    const made = await Promise.all(
      Array.from({ length: 6 }, () => {
        const order = sends.map((send) => [random(), send] as const).toSorted(([a], [b]) => a - b);
        return retry(
          world.dataSource,
          order.slice(0, 45).map(([, send]) => send),
        );
      }),
    );
    const retried = made.flat().map(({ of }) => of);
    expect(new Set(retried).size).toBe(retried.length);
    expect(await newestOfChunks()).toEqual(sends.map(() => 1));
  });

  it('are made of one that ended badly alone', async () => {
    const open = await world.send({ state: 'uncertain' });
    expect(await retry(world.dataSource, [open])).toEqual([]);
    expect((await world.read(open)).next_send).toBeNull();
  });
});

describe('the database', () => {
  const born = (of: string, chunk = 0): Promise<unknown> =>
    world.dataSource.query(
      `insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, retry_of, retries, state, state_at,
                         state_by, mode, mode_rule, next_at, created_at)
       select $2, service_id, campaign, revision, occurrence, cell, chunk + $3::int, id, 1, 'planned', state_at, 'spec', mode,
              mode_rule, next_at, created_at from send where id = $1`,
      [of, v7(), chunk],
    );

  it('holds no second newest of a chunk: no retry that its older send does not name', async () => {
    const {
      sends: [send = ''],
    } = await failed(1);
    const refusal = { code: '23505', constraint: 'send_newest' };
    await expect(born(send)).rejects.toMatchObject(refusal);
    await retry(world.dataSource, [send]);
    await expect(born(send)).rejects.toMatchObject(refusal);
    expect(await newestOfChunks()).toEqual([1]);
  });

  it('keeps which send came next', async () => {
    const {
      sends: [send = ''],
    } = await failed(1);
    const [made] = await retry(world.dataSource, [send]);
    for (const next of [null, v7()]) {
      await expect(
        world.dataSource.query('update send set next_send = $2 where id = $1', [send, next]),
      ).rejects.toMatchObject({ code: '23505', constraint: 'send_newest' });
    }
    expect((await world.read(send)).next_send).toBe(made?.id);
  });
});

/** Every third chunk retried, one of them twice: pages end between a send and its retry. */
async function someRetried(count: number): Promise<{ campaign: string; retries: number }> {
  const { campaign, sends } = await failed(count);
  const some = sends.filter((_, chunk) => chunk % 3 === 0);
  const [first] = await retry(world.dataSource, some);
  const again = first?.id ?? '';
  await world.dataSource.query(
    `update send set state = 'expired', changes = changes + 1, state_at = $2, state_by = 'spec' where id = $1`,
    [again, new Date(START)],
  );
  await retry(world.dataSource, [again]);
  return { campaign, retries: some.length };
}

async function everyPage(campaign: string, most: number): Promise<SendsSeen[]> {
  const pages: SendsSeen[] = [];
  for (;;) {
    const { cell = null, chunk = null } = pages.at(-1) ?? {};
    const [page] = await sumNewestSends(
      world.dataSource,
      [{ campaign, occurrence: 'once', cell, chunk }],
      most,
    );
    if (page === undefined) throw new Error('an occurrence was not looked at');
    if (page.seen > 0) pages.push(page);
    if (page.seen < most) return pages;
  }
}

describe('pages of newest sends', () => {
  it.each([1, 3])('of %i take each open chunk once into a cancel, and move it', async (most) => {
    const { campaign, retries } = await someRetried(20);
    await world.dataSource.transaction((sql) =>
      askAct(sql, { act: 'cancel', campaign, now: new Date(START), by: 'ops', code: 'CANCELED' }),
    );
    const loop = new WorkActs({ database: world.dataSource, clock: new SteppedClock(START), page: most });
    while ((await loop.runOnce()) > 0);
    expect(await world.dataSource.query('select looked, moved from campaign_act')).toEqual([
      { looked: retries, moved: retries },
    ]);
    const states = await world.dataSource.query(
      'select state, count(*)::int from send where next_send is null group by state order by state',
    );
    expect(states).toEqual([
      { state: 'canceled', count: retries },
      { state: 'failed', count: 20 - retries },
    ]);
  });

  it.each([1, 3])('of %i take each chunk once into a campaign`s end, from the far end on', async (most) => {
    const { campaign } = await someRetried(20);
    await world.dataSource.query('update send set target_count = 1 + (next_send is not null)::int * 100');
    const pages = await everyPage(campaign, most);
    expect(pages.reduce((sum, { seen }) => sum + seen, 0)).toBe(20);
    expect(pages.reduce((sum, { target }) => sum + target, 0)).toBe(20);
    expect(pages.at(-1)).toMatchObject({ chunk: 0 });
  });

  it.each(['as it was planned', 'once it was analysed'])(
    'are read from the index in its order, %s',
    async (when) => {
      const { campaign } = await failed(1);
      await world.copies(await world.send({ campaign, chunk: 1 }), 2_000, 2);
      if (when !== 'as it was planned') await world.dataSource.query('analyze send');
      await world.dataSource.transaction((sql) =>
        askAct(sql, { act: 'cancel', campaign, now: new Date(START), by: 'ops', code: 'CANCELED' }),
      );
      const plans = await world.plansOf(async (sql) => {
        await workPage(sql, START, 10);
        await workPage(sql, START, 10);
        const none = { campaign, occurrence: 'once', cell: null, chunk: null };
        await sumNewestSends(sql, [none, { ...none, cell: 'cell', chunk: 1_000 }], 10);
      });
      const further = plans.filter((plan) => plan.includes('with page as materialized'))[1];
      expect(further).toMatch(
        /CTE page\n\s+->\s+Limit .*\n\s+->\s+Index Scan using send_open_\w+ on send_open/,
      );
      expect(further).toMatch(
        /Index Cond: \(\(campaign = '[^']*'::uuid\) AND \(ROW\(occurrence, cell, chunk\) > ROW/,
      );
      const through = plans.find((plan) => plan.includes('unnest(the_places'));
      expect(through).toMatch(/Limit .*\n\s+->\s+Merge Append/);
      expect(through).toMatch(/Index Scan Backward using send_\w+/);
      expect(through).toMatch(/Index Cond: .*ROW\(cell, chunk\) < ROW/);
      expect(plans.join('\n')).not.toMatch(/Seq Scan on send_|Bitmap/);
    },
  );
});
