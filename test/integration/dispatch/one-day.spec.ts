// What is written to sends, and read of them by their ids, touches the partitions of their days and no other, however many
// there are: read off the locks of the transaction, which tell every relation that was opened, and off the plans. A plan over several partitions would
// prune while it runs, which PostgreSQL 18.4 does not survive where it has waited for a row (platform/database/pooled-database.ts).
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../src/platform/database/database.js';
import { NOTHING_SEEN } from '../../../src/scheduler/follow/judge-poll.js';
import { recordAnswers } from '../../../src/scheduler/store/send/answer.store.js';
import { askCancel, takeBackPage } from '../../../src/scheduler/store/send/cancel.store.js';
import { markLostFires } from '../../../src/scheduler/store/send/lost-fire.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { readOutcomes } from '../../../src/scheduler/store/send/outcome.store.js';
import { recordPolls, type PollRow } from '../../../src/scheduler/store/send/poll.store.js';
import { recoverSends } from '../../../src/scheduler/store/send/recover.store.js';
import { fireRepeat, resendUncertain } from '../../../src/scheduler/store/send/repeat.store.js';
import { resolveUncertain } from '../../../src/scheduler/store/send/resolve.store.js';
import { putBackPlanned } from '../../../src/scheduler/store/send/put-back.store.js';
import { OwnConnection } from '../../support/own-connection.js';
import { addPastDays } from '../../../tools/past-days.js';
import { START, World } from '../../support/scheduler/world.js';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS);
const DAYS = 100;
/** Two whose batch is one. */
const [EARLIER, LATER] = [TODAY - 40, TODAY - 7] as const;
const TABLES = ['send', 'send_recipients', 'send_note', 'attempt'];

const PARTITION_NAMES = /_\d{4}_\d\d_\d\d(?!\d)|_old\b|_specs\b/g;
const dayName = (day: number): string =>
  `_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '_')}`;

let world: World;
beforeAll(async () => {
  world = await World.open();
  await addPastDays(world.dataSource, (TODAY - DAYS + 4) * DAY_MS, DAYS);
});
afterAll(() => world.close());

let ids: readonly string[];
beforeEach(async () => {
  await world.clear();
  await world.project({ on_uncertain: 'resend' });
});

/** One send at the last millisecond of a day, one at the first of another. */
async function sends(columns: Readonly<Record<string, unknown>> = {}, state = 'planned'): Promise<void> {
  ids = [v7({ msecs: (EARLIER + 1) * DAY_MS - 1 }), v7({ msecs: LATER * DAY_MS })];
  const campaign = await world.campaign();
  for (const [chunk, id] of ids.entries())
    await world.send({
      campaign,
      chunk,
      recipients: ['somebody'],
      columns: { id, state, request_id: null, handed_off_at: new Date(START), ...columns },
    });
}

interface Touched {
  /** Days of partitions that were written to, and that were opened at all. */
  readonly written: readonly number[];
  readonly opened: readonly number[];
}

async function touched(work: (sql: Sql) => Promise<unknown>): Promise<Touched> {
  const own = await OwnConnection.beside(world.dataSource);
  try {
    await own.query('begin');
    await work(own);
    const rows = await own.query<{ day: number | null; mode: string }>(
      `select distinct extract(epoch from to_date(substring(t.relname from '_(\\d{4}_\\d\\d_\\d\\d)$'), 'YYYY_MM_DD'))::int / 86400 as day, l.mode
         from pg_locks l left join pg_index i on i.indexrelid = l.relation join pg_class t on t.oid = coalesce(i.indrelid, l.relation)
        where l.pid = pg_backend_pid() and t.relispartition and t.relname ~ '^(${TABLES.join('|')})_([0-9]|old|specs)'`,
    );
    await own.query('commit');
    const days = (found: typeof rows): number[] =>
      [...new Set(found.map(({ day }) => day ?? 0))].toSorted((a, b) => a - b);
    return { written: days(rows.filter(({ mode }) => mode === 'RowExclusiveLock')), opened: days(rows) };
  } finally {
    await own.release();
  }
}

const BOTH = { written: [EARLIER, LATER], opened: [EARLIER, LATER] };
const order = (id: string, attempts = 0) =>
  ({ id, revision: 1, attempts, mode: 'immediate', modeRule: 'DUE_NOW', dueAt: START, at: START }) as const;
const context = () => ({ now: START, by: 'spec', replica: v7() });
const answer = (id: string, attempt = 1) =>
  ({
    id,
    attempt,
    state: 'accepted',
    code: null,
    detail: null,
    answeredAt: START,
    requestId: 'r-1',
    gatewayStatus: 'success',
    nextAt: START,
    requestSent: true,
    httpStatus: 202,
    errorCode: null,
    answer: null,
    outcome: 'taken',
  }) as const;
const poll = (id: string, more: Partial<PollRow> = {}): PollRow => ({
  ...NOTHING_SEEN,
  id,
  isStanding: false,
  changes: 1,
  pollsBefore: 0,
  from: 'accepted',
  to: 'sent',
  code: '200',
  detail: null,
  at: START,
  nextAt: null,
  polls: 0,
  ...more,
});
const CALL = {
  startedAt: START,
  requestSent: true,
  httpStatus: 204,
  errorCode: null,
  answer: null,
  outcome: 'confirmed',
} as const;
const putBack = (id: string) =>
  ({
    id,
    attempts: 0,
    changes: 1,
    state: 'expired',
    code: 'LATE',
    detail: null,
    handOffAt: null,
    mode: null,
    modeRule: null,
    dueAt: null,
  }) as const;

const each = (work: (id: string) => Promise<unknown>): Promise<unknown> => Promise.all(ids.map(work));
const WRITES: readonly {
  readonly name: string;
  readonly columns?: Readonly<Record<string, unknown>>;
  readonly state?: string;
  readonly work: (sql: Sql) => Promise<unknown>;
  readonly wrote: unknown;
}[] = [
  {
    name: 'a fire',
    work: async (sql) =>
      (
        await fireSends(
          sql,
          ids.map((id) => order(id)),
          context(),
        )
      ).length,
    wrote: 2,
  },
  {
    name: 'a fire of a second attempt',
    columns: { attempts: 1, outcome: 'not-sent' },
    work: async (sql) =>
      (
        await fireSends(
          sql,
          ids.map((id) => order(id, 1)),
          context(),
        )
      ).length,
    wrote: 2,
  },
  {
    name: 'fires that the database lost',
    columns: { attempts: 1, outcome: 'not-sent' },
    work: (sql) =>
      markLostFires(
        sql,
        ids.map((id) => ({ id, attempt: 2, firedAt: START, requestId: null })),
        { at: START, by: 'spec', replica: v7() },
      ),
    wrote: 2,
  },
  {
    name: 'an answer',
    columns: { attempts: 1 },
    state: 'sending',
    work: (sql) =>
      recordAnswers(
        sql,
        ids.map((id) => answer(id)),
        'spec',
        START,
      ),
    wrote: 2,
  },
  {
    name: 'an answer to what was asked back',
    columns: { attempts: 1, goal: 'canceled' },
    state: 'sending',
    work: (sql) =>
      recordAnswers(
        sql,
        ids.map((id) => ({ ...answer(id), state: 'reserved' as const })),
        'spec',
        START,
      ),
    wrote: 2,
  },
  {
    name: 'an answer that came too late',
    columns: { attempts: 1 },
    state: 'failed',
    work: (sql) =>
      recordAnswers(
        sql,
        ids.map((id) => answer(id)),
        'spec',
        START,
      ),
    wrote: 0,
  },
  {
    name: 'a poll',
    state: 'accepted',
    work: (sql) =>
      recordPolls(
        sql,
        ids.map((id) => poll(id)),
        'spec',
      ),
    wrote: 2,
  },
  {
    name: 'a cancel',
    columns: { attempts: 1 },
    state: 'canceling',
    work: (sql) =>
      recordPolls(
        sql,
        ids.map((id) => poll(id, { from: 'canceling', to: 'goal', call: CALL })),
        'spec',
      ),
    wrote: 2,
  },
  {
    name: 'a poll of a standing message',
    columns: { mode: 'scheduled' },
    state: 'scheduled',
    work: (sql) =>
      recordPolls(
        sql,
        ids.map((id) => poll(id, { from: 'scheduled', to: null, polls: 1, isStanding: true, sentCount: 1 })),
        'spec',
      ),
    wrote: 2,
  },
  { name: 'a put-back', work: (sql) => putBackPlanned(sql, ids.map(putBack), START, 'spec'), wrote: 2 },
  {
    name: 'a recovery',
    columns: { attempts: 1 },
    state: 'sending',
    work: (sql) =>
      recoverSends(
        sql,
        ids.map((id) => ({ id, attempts: 1, answer: null })),
        START,
        'spec',
      ),
    wrote: 2,
  },
];

it.each(WRITES)('$name opens its days alone', async ({ columns, state, work, wrote }) => {
  await sends(columns, state);
  let did: unknown;
  expect(await touched(async (sql) => (did = await work(sql)))).toEqual(BOTH);
  expect(did).toBe(wrote);
});

it.each(WRITES)('$name is planned over one partition at a time', async ({ columns, state, work, wrote }) => {
  await sends(columns, state);
  let did: unknown;
  const plans = await world.plansOf(async (sql) => void (did = await work(sql)));
  expect(did).toBe(wrote);
  const overPartitions = plans.filter((plan) => plan.match(PARTITION_NAMES) !== null);
  for (const day of BOTH.written)
    expect(overPartitions.filter((plan) => plan.includes(dayName(day)))).not.toEqual([]);
  for (const plan of overPartitions) {
    expect(new Set(plan.match(PARTITION_NAMES)).size).toBe(1);
    expect(plan).not.toMatch(/Append|Subplans Removed|Seq Scan on send/);
  }
});

it('a repeat and an operator’s word open the day of their send alone', async () => {
  await sends({ attempts: 1, code: 'LOST_ANSWER' }, 'uncertain');
  const [first = '', second = ''] = ids;
  const fire = { now: START, replica: v7(), againAt: START + 1 };
  expect(await touched((sql) => fireRepeat(sql, { id: first, attempts: 1 }, fire))).toEqual({
    written: [EARLIER],
    opened: [EARLIER],
  });
  expect((await world.read(first)).attempts).toBe(2);
  const word = { send: second, state: 'failed', code: 'CONFIRMED_NOT_SENT', detail: null } as const;
  expect(await touched((sql) => resolveUncertain(sql, { ...word, now: START, by: 'ops' }))).toEqual({
    written: [LATER],
    opened: [LATER],
  });
  expect((await world.read(second)).state).toBe('failed');
});

it('what finds its sends by another index writes to their days alone', async () => {
  await sends({ attempts: 1, code: 'LOST_ANSWER', due_at: new Date(START + DAY_MS) }, 'uncertain');
  let resent = 0;
  const found = await touched(async (sql) => (resent = await resendUncertain(sql, START, 9, 'spec')));
  expect([resent, found.written]).toEqual([2, BOTH.written]);
  const { campaign } = await world.read(ids[0] ?? '');
  await world.dataSource.transaction((sql) =>
    askCancel(sql, { campaign, now: new Date(START), by: 'spec', code: 'CANCELED_BY_OPERATOR' }),
  );
  // What is asked of a cancel is not fired, and ends there.
  expect(await touched((sql) => fireSends(sql, [order(ids[0] ?? '', 1)], context()))).toEqual({
    written: [EARLIER],
    opened: [EARLIER],
  });
  expect((await world.read(ids[0] ?? '')).state).toBe('canceled');
  expect((await touched((sql) => takeBackPage(sql, START, 500))).written).toEqual(BOTH.written);
  await each(async (id) => expect((await world.read(id)).state).toBe('canceled'));
});

it('a retry is held to be the only one by the day of the send before it alone', async () => {
  const retry = v7({ msecs: LATER * DAY_MS });
  await sends({ next_send: retry }, 'failed');
  const [first = ''] = ids;
  const { campaign } = await world.read(first);
  const born = await touched((sql) =>
    sql.query(
      `insert into send (id, retry_of, retries, service_id, campaign, revision, occurrence, cell, chunk, state, state_at, state_by,
                         mode, mode_rule, created_at)
       values ($1, $2, 1, 'app', $3, 1, 'once', 'cell', 0, 'planned', $4, 'spec', 'immediate', 'DUE_NOW', $4)`,
      [retry, first, campaign, new Date(START)],
    ),
  );
  expect(born).toEqual({ written: [LATER], opened: BOTH.opened });
});

it('what became of sends is read for a page from their days alone', async () => {
  await sends({ attempts: 1 }, 'sending');
  await recordAnswers(
    world.dataSource,
    ids.map((id) => answer(id)),
    'spec',
    START,
  );
  const own = await OwnConnection.beside(world.dataSource);
  const ask = { shards: [...Array(16).keys()], rowsOfShard: 500, rows: 500, bytes: 1_048_576, ranges: 1_000 };
  // As it stands after the first calls, and not as it was first planned.
  for (let call = 0; call < 7; call += 1) await readOutcomes(own, ask);
  await own.query('begin');
  const { outcomes } = await readOutcomes(own, ask);
  expect(outcomes.map(({ send }) => send)).toEqual(expect.arrayContaining([...ids]));
  // Whatever was looked into at all; locks are taken of all of them.
  const read = await own.query<{ name: string }>(
    `select relname as name from pg_stat_xact_user_tables
      where relname ~ '^(${TABLES.join('|')})_([0-9]|old|specs)' and coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0 order by 1`,
  );
  await own.release();
  expect(read.map(({ name }) => name)).toEqual([`send${dayName(EARLIER)}`, `send${dayName(LATER)}`]);
});

it('the days of ids are those of the partitions, whatever their order', async () => {
  const at = [TODAY * DAY_MS, TODAY * DAY_MS - 1, 0, TODAY * DAY_MS + 1, 5 * DAY_MS];
  const rows = await world.dataSource.query<{ day: number; ids: number }>(
    `select extract(epoch from d.start)::float8 / 86400 as day, count(*)::int as ids
       from (select low, high, to_timestamp(('x' || translate(left(low::text, 13), '-', ''))::bit(48)::bigint / 1000.0) as start
               from days_of($1)) d join unnest($1::uuid[]) as g(id) on lies_in(g.id, d.low, d.high) group by 1 order by 1`,
    [at.map((msecs) => v7({ msecs }))],
  );
  expect(rows).toEqual([
    { day: 0, ids: 1 },
    { day: 5, ids: 1 },
    { day: TODAY - 1, ids: 1 },
    { day: TODAY, ids: 2 },
  ]);
});
