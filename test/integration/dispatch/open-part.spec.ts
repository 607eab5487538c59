// What is written to open sends touches the part of what is open, and the day in which a send ends, and no other, however many days
// are kept: read off the locks of the transaction, which tell every relation that was opened, and off the plans. A plan over several
// partitions would prune while it runs, which PostgreSQL 18.4 does not survive where it has waited for a row
// (platform/database/pooled-database.ts).
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../src/platform/database/database.js';
import { NOTHING_SEEN } from '../../../src/scheduler/follow/judge-poll.js';
import { recordAnswers } from '../../../src/scheduler/store/send/answer.store.js';
import { askCancel, takeBackPage } from '../../../src/scheduler/store/send/cancel.store.js';
import { markLostFires } from '../../../src/scheduler/store/send/lost-fire.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
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
const TABLES = ['send', 'send_recipients', 'send_note', 'attempt'];

/** The day of START is in it. */
const DAY_OF_END = 'specs';

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

/** Two sends, of different days. */
async function sends(columns: Readonly<Record<string, unknown>> = {}, state = 'planned'): Promise<void> {
  ids = [40, 7].map((ago) => v7({ msecs: (TODAY - ago) * DAY_MS }));
  const campaign = await world.campaign();
  for (const [chunk, id] of ids.entries())
    await world.send({
      campaign,
      chunk,
      recipients: ['somebody'],
      columns: { id, state, request_id: null, handed_off_at: new Date(START), ...columns },
    });
}

/** The parts of these tables that were opened, by the ends of their names: open, old, specs, or a day. */
async function touched(work: (sql: Sql) => Promise<unknown>): Promise<string[]> {
  const own = await OwnConnection.beside(world.dataSource);
  try {
    await own.query('begin');
    await work(own);
    const rows = await own.query<{ part: string }>(
      `select distinct substring(t.relname from '^(?:${TABLES.join('|')})_(open|old|specs|[0-9_]+)$') as part
         from pg_locks l left join pg_index i on i.indexrelid = l.relation join pg_class t on t.oid = coalesce(i.indrelid, l.relation)
        where l.pid = pg_backend_pid() and t.relispartition and t.relname ~ '^(${TABLES.join('|')})_(open|old|specs|[0-9])'`,
    );
    await own.query('commit');
    return rows.map(({ part }) => part).sort();
  } finally {
    await own.release();
  }
}

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

const WRITES: readonly {
  readonly name: string;
  readonly columns?: Readonly<Record<string, unknown>>;
  readonly state?: string;
  readonly work: (sql: Sql) => Promise<unknown>;
  readonly wrote: number;
  /** Its sends end. */
  readonly ends?: true;
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
    name: 'a poll',
    state: 'accepted',
    work: (sql) =>
      recordPolls(
        sql,
        ids.map((id) => poll(id)),
        'spec',
      ),
    wrote: 2,
    ends: true,
  },
  {
    name: 'a poll of a standing message',
    columns: { mode: 'scheduled' },
    state: 'scheduled',
    work: (sql) =>
      recordPolls(
        sql,
        ids.map((id) => poll(id, { from: 'scheduled', to: null, polls: 1, sentCount: 1 })),
        'spec',
      ),
    wrote: 2,
  },
  {
    name: 'a put-back',
    work: (sql) => putBackPlanned(sql, ids.map(putBack), START, 'spec'),
    wrote: 2,
    ends: true,
  },
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

it.each(WRITES)(
  '$name opens what is open, and the day of the end, alone',
  async ({ columns, state, work, wrote, ends }) => {
    await sends(columns, state);
    let did: unknown;
    expect(await touched(async (sql) => (did = await work(sql)))).toEqual(
      ends === true ? ['open', DAY_OF_END] : ['open'],
    );
    expect(did).toBe(wrote);
  },
);

it.each(WRITES)('$name is planned over the part of what is open', async ({ columns, state, work, wrote }) => {
  await sends(columns, state);
  let did: unknown;
  const plans = await world.plansOf(async (sql) => void (did = await work(sql)));
  expect(did).toBe(wrote);
  const ofSends = plans.filter((plan) => / on send_open/.test(plan));
  expect(ofSends).not.toEqual([]);
  for (const plan of ofSends) expect(plan).not.toMatch(/Append|Subplans Removed|Seq Scan on send/);
});

it('a repeat opens what is open alone, an operator’s word also the day of the end', async () => {
  await sends({ attempts: 1, code: 'LOST_ANSWER' }, 'uncertain');
  const [first = '', second = ''] = ids;
  const fire = { now: START, replica: v7(), againAt: START + 1 };
  expect(await touched((sql) => fireRepeat(sql, { id: first, attempts: 1 }, fire))).toEqual(['open']);
  expect((await world.read(first)).attempts).toBe(2);
  const word = { send: second, state: 'failed', code: 'CONFIRMED_NOT_SENT', detail: null } as const;
  expect(await touched((sql) => resolveUncertain(sql, { ...word, now: START, by: 'ops' }))).toEqual([
    'open',
    DAY_OF_END,
  ]);
  expect((await world.read(second)).state).toBe('failed');
});

it('what finds its sends by another index writes to what is open, and ends them in their day', async () => {
  await sends({ attempts: 1, code: 'LOST_ANSWER', due_at: new Date(START + DAY_MS) }, 'uncertain');
  let resent = 0;
  expect(await touched(async (sql) => (resent = await resendUncertain(sql, START, 9, 'spec')))).toEqual([
    'open',
  ]);
  expect(resent).toBe(2);
  const { campaign } = await world.read(ids[0] ?? '');
  await world.dataSource.transaction((sql) =>
    askCancel(sql, { campaign, now: new Date(START), by: 'spec', code: 'CANCELED_BY_OPERATOR' }),
  );
  // What is asked of a cancel is not fired, and ends there.
  expect(await touched((sql) => fireSends(sql, [order(ids[0] ?? '', 1)], context()))).toEqual([
    'open',
    DAY_OF_END,
  ]);
  expect((await world.read(ids[0] ?? '')).state).toBe('canceled');
  expect(await touched((sql) => takeBackPage(sql, START, 500))).toEqual(['open', DAY_OF_END]);
  for (const id of ids) expect((await world.read(id)).state).toBe('canceled');
});

it('a send takes its notes, its attempts and, where it may be retried, whom it goes to along to the day of its end', async () => {
  await sends({ attempts: 1, outcome: 'not-sent' });
  const [first = '', second = ''] = ids;
  await fireSends(
    world.dataSource,
    ids.map((id) => order(id, 1)),
    context(),
  );
  await world.dataSource.query(
    `update send set state = case id when $1 then 'uncertain' else 'rejected' end, changes = changes + 1, code = 'WHY'`,
    [first],
  );
  await world.dataSource.query(`update send set state = 'sent', changes = changes + 1 where id = $1`, [
    first,
  ]);
  const places = async (table: string): Promise<unknown> =>
    world.dataSource.query(
      `select send, tableoid::regclass::text as place from ${table} where send = any($1) order by send`,
      [ids],
    );
  expect(await places('send_recipients')).toEqual([{ send: second, place: 'send_recipients_specs' }]);
  expect(await places('attempt')).toEqual(ids.map((send) => ({ send, place: 'attempt_specs' })));
  const noted = await world.dataSource.query<{ place: string }>(
    'select distinct tableoid::regclass::text as place from send_note where send = any($1)',
    [ids],
  );
  expect(noted).toEqual([{ place: 'send_note_specs' }]);
  expect(await world.dataSource.query('select recipients from send')).toEqual([
    { recipients: 1 },
    { recipients: 1 },
  ]);
});
