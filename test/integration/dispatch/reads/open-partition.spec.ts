// Writes to open sends open only the open partition and that of the day on which a send ends, however many days are kept. Reads of due
// work open only the open partition, whatever day the sends were made on. The spec checks the transaction's locks, which show every
// relation that was opened, and the plans. A plan over several partitions would prune while it runs; PostgreSQL 18.4 crashes then if it
// has waited for a row (platform/database/pooled-database.ts).
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../../src/platform/database/database.js';
import { JoinedDatabase, RequestTransaction } from '../../../../src/platform/database/request-transaction.js';
import type { SendState } from '../../../../src/scheduler/decide/lifecycle/send-state.js';
import { WHOLE } from '../../../../src/scheduler/decide/lifecycle/replica-slice.js';
import { recordAnswers } from '../../../../src/scheduler/store/send/answer.store.js';
import { askAct, workPage } from '../../../../src/scheduler/store/send/act.store.js';
import { markLostFires } from '../../../../src/scheduler/store/send/lost-fire.store.js';
import { fireSends } from '../../../../src/scheduler/store/send/fire.store.js';
import { readOutcomes } from '../../../../src/scheduler/outcomes/publish/outcome.store.js';
import { nextPollAt, recordPolls, type PollRow } from '../../../../src/scheduler/store/send/poll.store.js';
import { recoverSends } from '../../../../src/scheduler/store/send/recover.store.js';
import { fireRepeat, resendUncertain } from '../../../../src/scheduler/store/send/repeat.store.js';
import { resolveAllUncertain, resolveUncertain } from '../../../../src/scheduler/store/send/resolve.store.js';
import { putBackPlanned } from '../../../../src/scheduler/store/send/put-back.store.js';
import { workDue } from '../../../../src/scheduler/work-due.store.js';
import { eventually } from '../../../support/eventually.js';
import { untilLockAwaited } from '../../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import { READS, type Found } from './due-reads.js';
import { addPastDays } from '../../../../tools/past-days.js';
import { answerOf, orderOf, pollOf } from '../../../support/scheduler/send-rows.js';
import { START, World } from '../../../support/scheduler/world.js';

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

/** The partitions of these tables that were opened after so many calls, by the ends of their names: open, old, specs, or a day. */
async function touched(work: (sql: Sql) => Promise<unknown>, calls = 0): Promise<string[]> {
  const own = await OwnConnection.beside(world.dataSource);
  try {
    for (let call = 0; call < calls; call += 1) await work(own);
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

const context = () => ({ now: START, by: 'spec', replica: v7() });
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
          ids.map((id) => orderOf(id)),
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
          ids.map((id) => orderOf(id, 1)),
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
        ids.map((id) => answerOf(id)),
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
        ids.map((id) => ({ ...answerOf(id), state: 'reserved' as const })),
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
        ids.map((id) => pollOf(id)),
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
        ids.map((id) => pollOf(id, { from: 'scheduled', to: null, polls: 1, sentCount: 1 })),
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

it.each(WRITES)('$name is planned over the open partition', async ({ columns, state, work, wrote }) => {
  await sends(columns, state);
  let did: unknown;
  const plans = await world.plansOf(async (sql) => void (did = await work(sql)));
  expect(did).toBe(wrote);
  const ofSends = plans.filter((plan) => / on send_open/.test(plan));
  expect(ofSends).not.toEqual([]);
  for (const plan of ofSends) expect(plan).not.toMatch(/Append|Subplans Removed|Seq Scan on send/);
});

it('a repeat opens only the open partition, an operator’s resolution also the day of the end', async () => {
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

it('a statement that finds its sends by another index writes to the open partition, and ends them in their day', async () => {
  await sends({ attempts: 1, code: 'LOST_ANSWER', due_at: new Date(START + DAY_MS) }, 'uncertain');
  let resent = 0;
  expect(await touched(async (sql) => (resent = await resendUncertain(sql, START, 9, 'spec')))).toEqual([
    'open',
  ]);
  expect(resent).toBe(2);
  const { campaign } = await world.read(ids[0] ?? '');
  await world.dataSource.transaction((sql) =>
    askAct(sql, { act: 'cancel', campaign, now: new Date(START), by: 'spec', code: 'CANCELED_BY_OPERATOR' }),
  );
  // What is asked of a cancel is not fired, and ends there.
  expect(await touched((sql) => fireSends(sql, [orderOf(ids[0] ?? '', 1)], context()))).toEqual([
    'open',
    DAY_OF_END,
  ]);
  expect((await world.read(ids[0] ?? '')).state).toBe('canceled');
  expect(await touched((sql) => workPage(sql, START, 500))).toEqual(['open', DAY_OF_END]);
  for (const id of ids) expect((await world.read(id)).state).toBe('canceled');
});

it('notes, attempts and, if it may be retried, recipients of a send move with it to the day of its end', async () => {
  await sends({ attempts: 1, outcome: 'not-sent' });
  const [first = '', second = ''] = ids;
  await fireSends(
    world.dataSource,
    ids.map((id) => orderOf(id, 1)),
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

it('a cancel that was made ends its send, and is noted with it in the day of the end', async () => {
  await sends({ attempts: 1 }, 'canceling');
  const call = {
    startedAt: START,
    requestSent: true,
    httpStatus: 204,
    errorCode: null,
    answer: null,
    outcome: 'confirmed',
  } as const;
  let wrote = 0;
  const rows = (): PollRow[] => ids.map((id) => pollOf(id, { from: 'canceling', to: 'goal', call }));
  const opened = await touched(async (sql) => (wrote = await recordPolls(sql, rows(), 'spec')));
  expect([wrote, opened]).toEqual([2, ['open', DAY_OF_END]]);
  const places = await world.dataSource.query(
    'select distinct tableoid::regclass::text as place, kind, attempt from attempt order by attempt',
  );
  expect(places).toEqual([
    { place: 'attempt_specs', kind: 'send', attempt: 1 },
    { place: 'attempt_specs', kind: 'cancel', attempt: 2 },
  ]);
});

const partOf = (day: number): string =>
  new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '_');

it('an answer that came after its send had ended is kept with it; days before its sends were made are not opened', async () => {
  await sends({ attempts: 1, ended_at: new Date((TODAY - 6) * DAY_MS) }, 'failed');
  let wrote = NaN;
  const late = () => ids.map((id) => answerOf(id));
  const opened = await touched(async (sql) => (wrote = await recordAnswers(sql, late(), 'spec', START)));
  expect([wrote, opened[0], opened.at(-1)]).toEqual([0, partOf(TODAY - 41), DAY_OF_END]);
  expect(opened).toContain('open');
  expect(opened).not.toContain('old');
  for (const id of ids)
    expect(await world.read(id)).toMatchObject({
      state: 'failed',
      error_code: 'ANSWER_AFTER_RESOLVE',
      outcome: 'taken',
    });
});

it('a statement that waits for a send that ends meanwhile is done again, and does not change it', async () => {
  await sends();
  const [first = '', second = ''] = ids;
  const own = await OwnConnection.beside(world.dataSource);
  try {
    await own.query('begin');
    expect(await putBackPlanned(own, [putBack(first)], START, 'spec')).toBe(1);
    const fired = fireSends(
      world.dataSource,
      ids.map((id) => orderOf(id)),
      context(),
    );
    await untilLockAwaited((sql) => world.dataSource.query(sql));
    await own.query('commit');
    expect((await fired).map(({ id }) => id)).toEqual([second]);
  } finally {
    await own.release();
  }
  expect(await world.path(first)).toEqual(['planned>expired']);
  expect(await world.path(second)).toEqual(['planned>sending']);
});

it('a statement that waits for many sends that end one after another is done again for each, and does the rest', async () => {
  const campaign = await world.campaign();
  const made: string[] = [];
  for (let chunk = 0; chunk < 9; chunk += 1)
    made.push(await world.send({ campaign, chunk, state: 'uncertain', columns: { code: 'LOST_ANSWER' } }));
  const sorted = made.toSorted();
  const word = { code: 'CONFIRMED_SENT', detail: null, now: START, by: 'ops' } as const;
  const enders = await Promise.all(sorted.slice(1).map(() => OwnConnection.beside(world.dataSource)));
  try {
    for (const [index, own] of enders.entries()) {
      await own.query('begin');
      await resolveUncertain(own, { ...word, send: sorted[index] ?? '', state: 'sent' });
    }
    const all = world.dataSource.transaction((sql) =>
      resolveAllUncertain(sql, { ...word, sends: sorted, state: 'failed' }),
    );
    let isOver = false;
    const over = all.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    for (const { client } of enders) {
      const { processID: pid } = client as unknown as { processID: number };
      const waiters = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
      await eventually(async () => isOver || (await world.dataSource.query(waiters, [pid])).length > 0);
      await client.query('commit');
    }
    await over;
    expect(await all).toEqual({ resolved: new Set(sorted.slice(-1)), ahead: new Set() });
  } finally {
    await Promise.all(enders.map((own) => own.release()));
  }
});

it('a request whose answer is kept with its change waits for a send that ends meanwhile, and finds it ended', async () => {
  await sends({ attempts: 1, code: 'LOST_ANSWER' }, 'uncertain');
  const [first = ''] = ids;
  const word = { code: 'CONFIRMED_SENT', detail: null, now: START, by: 'ops' } as const;
  let kept: unknown;
  let begun = 0;
  const own = await OwnConnection.beside(world.dataSource);
  try {
    await own.query('begin');
    expect(await resolveUncertain(own, { ...word, send: first, state: 'sent' })).toBe(true);
    const request = new RequestTransaction((_sql, answer) => Promise.resolve(void (kept = answer)));
    const database = new JoinedDatabase(world.dataSource);
    const work = request
      .within(async () => {
        const isOurs = await database.transaction((sql) => {
          begun += 1;
          return resolveUncertain(sql, { ...word, send: first, state: 'failed' });
        });
        await request.commit(isOurs);
      })
      .catch(async (error: unknown) => {
        await request.rollBack(error);
        throw error;
      });
    await untilLockAwaited((sql) => world.dataSource.query(sql));
    await own.query('commit');
    await work;
  } finally {
    await own.release();
  }
  expect([kept, begun]).toEqual([false, 2]);
  expect(await world.path(first)).toEqual(['uncertain>sent']);
});

/** Calls after which a statement has its cached plan. */
const SETTLED = 7;
const LOOPS = ['dispatch', 'dispatch-repeat', 'follow', 'cancel'];
/** Due sends made on the days so long ago, before the days that are kept, and on a day that nobody has made yet. */
const MADE_AGO = [0, 7, 60, DAYS + 900, -4_000] as const;

async function due(state: SendState): Promise<string[]> {
  const made: string[] = [];
  const campaign = await world.campaign();
  for (const [chunk, ago] of MADE_AGO.entries()) {
    const columns = { id: v7({ msecs: (TODAY - ago) * DAY_MS }), next_at: new Date(START - 10_000) };
    made.push(await world.send({ campaign, chunk, state, columns }));
  }
  return made.toSorted();
}

it.each(READS)(
  'a read $name finds what is due, whatever day it was made on, and opens no day',
  async ({ state, read }) => {
    await world.dataSource.query(`update project set extensions = '{idempotency-key}'`);
    const expected = await due(state);
    let found: Found = [];
    expect(await touched(async (sql) => (found = await read(sql)), SETTLED)).toEqual(['open']);
    expect(found.map(({ id }) => id).toSorted()).toEqual(expected);
    const plans = await world.plansOf(async (sql) => void (await read(sql)));
    const ofSends = plans.filter((plan) => / on send_/.test(plan));
    expect(ofSends).not.toEqual([]);
    for (const plan of ofSends) {
      expect(plan).toMatch(/Index Scan (Backward )?using send_work on send_open/);
      expect(plan).not.toMatch(/ on send_(?!open)|Seq Scan on send/);
    }
  },
);

it('the questions whether work is due open no day', async () => {
  await world.dataSource.query(`update project set extensions = '{idempotency-key}'`);
  for (const state of ['planned', 'accepted', 'canceling', 'uncertain'] as const) await due(state);
  const asked = { now: START, upTo: START, loops: LOOPS };
  let loops: readonly string[] = [];
  expect(await touched(async (sql) => ({ loops } = await workDue(sql, asked)), SETTLED)).toEqual(['open']);
  expect(loops.toSorted()).toEqual(LOOPS.toSorted());
  const next = { now: START - 20_000, slice: WHOLE } as const;
  for (const work of ['p', 'c'] as const) {
    let at: number | null = null;
    const ask = async (sql: Sql) => (at = await nextPollAt(sql, { ...next, work }));
    expect(await touched(ask, SETTLED)).toEqual(['open']);
    expect(at).toBe(START - 10_000);
  }
});

it('outcomes of sends are read from the days of their events on, and no further than their ends', async () => {
  const at = (TODAY - 20) * DAY_MS;
  await sends({ attempts: 1, state_at: new Date(at) }, 'sending');
  const [first = '', second = ''] = ids;
  await recordAnswers(
    world.dataSource,
    [{ ...answerOf(first), state: 'rejected', answeredAt: at, nextAt: null }],
    'spec',
    at,
  );
  const scanned = async (): Promise<string[]> => {
    const own = await OwnConnection.beside(world.dataSource);
    const ask = {
      shards: [...Array(16).keys()],
      rowsOfShard: 500,
      rows: 500,
      bytes: 1_048_576,
      ranges: 1_000,
    };
    try {
      for (let call = 0; call < SETTLED; call += 1) await readOutcomes(own, ask);
      await own.query('begin');
      const { outcomes } = await readOutcomes(own, ask);
      // Whatever was looked into at all; locks are taken of all of them.
      const rows = await own.query<{ part: string }>(
        `select substring(relname from '^send_(open|old|specs|[0-9_]+)$') as part from pg_stat_xact_user_tables
          where relname ~ '^(${TABLES.join('|')})_(open|old|specs|[0-9])' and coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0`,
      );
      expect(outcomes.map(({ send }) => send)).toContain(first);
      return rows.map(({ part }) => part).toSorted();
    } finally {
      await own.release();
    }
  };
  expect(await scanned()).toEqual([partOf(TODAY - 21), partOf(TODAY - 20)]);
  // The other is open still: it is looked for in all days from its event on.
  await recordAnswers(world.dataSource, [{ ...answerOf(second), answeredAt: at }], 'spec', at);
  const parts = await scanned();
  expect(parts[0]).toBe(partOf(TODAY - 21));
  expect(parts).toContain('open');
  expect(parts).not.toContain('old');
});
