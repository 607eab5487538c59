// A large campaign is cancelled and closed while every statement that takes a second is ended by the database; with a
// million sends in `npm run test:long`, with pages of a hundred here. And the races between the mark, the pages, the
// answers and whatever else moves a send.
import { v4, v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { CloseFinished } from '../../../src/scheduler/plan/close-finished.js';
import { recordAnswers, type AnsweredState } from '../../../src/scheduler/store/send/answer.store.js';
import { actsOn, askAct } from '../../../src/scheduler/store/send/act.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { dueRepeats, fireRepeat } from '../../../src/scheduler/store/send/repeat.store.js';
import { readLedger, type SendTerms } from '../../../src/scheduler/report/ledger/ledger.store.js';
import {
  insertRetries,
  lockCampaignsOf,
  retryCandidates,
} from '../../../src/scheduler/store/send/retry.store.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { testLength } from '../../support/lengths.js';
import { outcomeEventsOf } from '../../support/events/outcome-events.js';
import { START, World } from '../../support/scheduler/world.js';

const SENDS = testLength('CAMPAIGN_SENDS', { normal: 2_000, long: 1_000_000 });
const PAGE = testLength('CANCEL_PAGE', { normal: 100, long: 500 });
const PATIENCE_MS = testLength('CAMPAIGN_MS', { normal: 20_000, long: 1_800_000 });
const REPLICA = '00000000-0000-7000-8000-000000000001';

let world: World;
/** Ends whatever takes a second. */
let impatient: PooledDatabase;
const clock = new SteppedClock(START);
beforeAll(async () => {
  world = await World.open();
  impatient = createDataSource({
    url: world.url,
    schema: 'scheduler',
    migrations: [],
    poolSize: 6,
    applicationName: 'impatient',
    settings: { statement_timeout: '1000', lock_timeout: '1000' },
  });
  await impatient.initialize();
});
afterAll(async () => {
  await impatient.destroy();
  await world.close();
});
beforeEach(async () => {
  await world.clear();
  await world.project({ extensions: ['idempotency-key'] });
});

const mark = (campaign: string, occurrence?: string, sql: PooledDatabase = impatient) =>
  sql.transaction((transaction) =>
    askAct(transaction, {
      act: 'cancel',
      campaign,
      occurrence,
      now: new Date(START),
      by: 'ops',
      code: 'CANCELED',
    }),
  );
const takeBack = (): WorkActs => new WorkActs({ database: impatient, clock, page: PAGE });
async function everyPage(): Promise<void> {
  const loop = takeBack();
  while ((await loop.runOnce()) > 0);
}
const close = (): Promise<number> => new CloseFinished(impatient, clock, PAGE).runOnce();

/** A campaign of so many sends in that state. */
async function large(state: SendState, count: number, columns: object = {}): Promise<string> {
  const campaign = await world.campaign({ state: 'running' });
  await world.dataSource.query('update campaign set plan_at = null where id = $1', [campaign]);
  const first = await world.send({
    campaign,
    state,
    columns: { handed_off_at: new Date(START), ...columns },
  });
  const atOnce = 50_000;
  for (let from = 1; from < count; from += atOnce)
    await world.copies(first, Math.min(atOnce, count - from), from);
  await world.dataSource.query('update cell set chunks = $2 where campaign = $1', [campaign, count]);
  await world.dataSource.query('analyze send');
  return campaign;
}

/** The event it came by and its birth, which the ledger asks for. */
async function withItsPast(campaign: string): Promise<void> {
  await world.dataSource.query(
    `insert into event (id, verdict, received_at, via, body)
     select event, 'campaign', created_at, 'http', '' from campaign where id = $1`,
    [campaign],
  );
  await world.dataSource.query(
    `insert into campaign_history (campaign, sequence, to_state, at, by)
     select id, history, state, state_at, state_by from campaign where id = $1`,
    [campaign],
  );
}

/** The ledger counts so many sends, and nothing is missing. */
async function ledgerOf(sends: number): Promise<Partial<SendTerms>> {
  const { planned, missing, balanced } = await readLedger(world.dataSource, { serviceIds: null }, START);
  expect(missing).toEqual([]);
  expect(planned.left).toBe(sends);
  expect(balanced).toBe(true);
  return Object.fromEntries(Object.entries(planned.right).filter(([, count]) => count > 0));
}

async function stateOf(campaign: string): Promise<string | undefined> {
  const [row] = await world.dataSource.query<{ state: string }>('select state from campaign where id = $1', [
    campaign,
  ]);
  return row?.state;
}

async function countsOf(campaign: string): Promise<Record<string, number>> {
  const rows = await world.dataSource.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from send where campaign = $1 group by state',
    [campaign],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

const answer = (id: string, state: AnsweredState) =>
  recordAnswers(
    impatient,
    [
      {
        id,
        attempt: 1,
        state,
        code: null,
        detail: null,
        answeredAt: START,
        requestId: state === 'reserved' ? `r-${id}` : null,
        gatewayStatus: null,
        nextAt: new Date(START).getTime(),
        requestSent: true,
        httpStatus: 202,
        errorCode: null,
        answer: null,
        outcome: 'spec',
      },
    ],
    'spec',
    START,
  );

const fire = (id: string) =>
  fireSends(
    impatient,
    [{ id, revision: 1, attempts: 0, mode: 'immediate', modeRule: 'DUE_NOW', dueAt: START, at: START }],
    { now: START, by: 'spec', replica: REPLICA },
  );

const progressOf = async (campaign: string) => {
  const [first] = await actsOn(impatient, campaign, 1);
  return first && { moved: first.moved, left: first.left };
};

describe('no statement lasts a second', () => {
  it(
    `where a campaign of ${SENDS} sends is cancelled: marked at once, moved in pages by two replicas, with its progress shown`,
    async () => {
      const campaign = await large('planned', SENDS, { handed_off_at: null });
      const reserved = await world.send({ campaign, state: 'reserved', chunk: SENDS });
      await world.dataSource.query('update cell set chunks = chunks + 1 where campaign = $1', [campaign]);
      await withItsPast(campaign);
      const began = performance.now();
      expect(await mark(campaign)).toEqual({ kind: 'asked' });
      const marked = performance.now();
      expect(await progressOf(campaign)).toEqual({ moved: 0, left: SENDS + 1 });
      expect(await ledgerOf(SENDS + 1)).toEqual({ open: SENDS + 1 });

      // A process that dies in the middle of a page leaves all of it to the next process.
      await expect(
        new WorkActs({
          database: {
            query: impatient.query.bind(impatient),
            transaction: (work) =>
              impatient.transaction(async (sql) => {
                await work(sql);
                throw new Error('killed');
              }),
          },
          clock,
          page: PAGE,
        }).runOnce(),
      ).rejects.toThrow('killed');
      expect(await progressOf(campaign)).toEqual({ moved: 0, left: SENDS + 1 });
      await takeBack().runOnce();
      expect(await progressOf(campaign)).toEqual({ moved: PAGE, left: SENDS + 1 - PAGE });
      expect(await countsOf(campaign)).toMatchObject({ canceled: PAGE, planned: SENDS - PAGE });
      expect(await ledgerOf(SENDS + 1)).toEqual({ canceled: PAGE, open: SENDS + 1 - PAGE });
      await close();
      expect(await stateOf(campaign)).toBe('canceling');

      let longest = 0;
      const replica = async (): Promise<void> => {
        const loop = takeBack();
        for (let again = 1; again > 0;) {
          const before = performance.now();
          again = await loop.runOnce();
          longest = Math.max(longest, performance.now() - before);
        }
      };
      // Beside it the closer ends nothing before all sends are moved, and the ledger sees no half page.
      await Promise.all([replica(), replica(), replica().then(close), ledgerOf(SENDS + 1)]);
      await everyPage();
      const moved = performance.now();
      expect(await progressOf(campaign)).toEqual({ moved: SENDS + 1, left: 0 });
      expect(await countsOf(campaign)).toEqual({ canceled: SENDS, canceling: 1 });
      expect(await ledgerOf(SENDS + 1)).toEqual({ canceled: SENDS, open: 1 });
      await close();
      expect(await stateOf(campaign)).toBe('canceling');
      await world.dataSource.query(
        `update send set state = 'canceled', changes = changes + 1, state_at = $2, state_by = 'spec' where id = $1`,
        [reserved, new Date(START)],
      );
      const before = performance.now();
      await close();
      expect(await stateOf(campaign)).toBe('canceled');
      expect(await ledgerOf(SENDS + 1)).toEqual({ canceled: SENDS + 1 });
      report({
        sends: SENDS,
        markMs: marked - began,
        movedMs: moved - marked,
        longestPageMs: longest,
        closeMs: performance.now() - before,
      });
    },
    PATIENCE_MS,
  );

  it(
    `where a campaign of ${SENDS} sends ends, and is corrected later: its sums are whole`,
    async () => {
      const campaign = await large('sent', SENDS, { target_count: 3, sent_count: 2 });
      const last = await world.send({ campaign, state: 'accepted', chunk: SENDS });
      await world.dataSource.query('insert into campaign_touched (campaign) values ($1)', [campaign]);
      await close();
      expect(await stateOf(campaign)).toBe('running');
      await world.dataSource.query(
        `update send set state = 'uncertain', changes = changes + 1, state_at = $2, state_by = 'spec' where id = $1`,
        [last, new Date(START)],
      );
      const before = performance.now();
      await close();
      const closed = performance.now();
      expect(await stateOf(campaign)).toBe('completed');
      expect(await lastCounts(campaign)).toEqual(['campaign.completed', SENDS * 3, SENDS * 2]);

      await world.dataSource.query(
        `update send set state = 'sent', changes = changes + 1, state_at = $2, state_by = 'spec', target_count = 5, sent_count = 4
          where id = $1`,
        [last, new Date(START)],
      );
      await close();
      expect(await lastCounts(campaign)).toEqual(['campaign.corrected', SENDS * 3 + 5, SENDS * 2 + 4]);
      report({ sends: SENDS, closeMs: closed - before, correctMs: performance.now() - closed });
    },
    PATIENCE_MS,
  );
});

async function lastCounts(campaign: string): Promise<[string, number, number]> {
  const last = (await outcomeEventsOf(world.dataSource, campaign)).at(-1);
  const counts = last?.data['counts'] as { target: number; sent: number };
  return [last?.type.replace('carillon.outcome.', '').replace('.v1', '') ?? '', counts.target, counts.sent];
}

/** The figures of a long run. */
function report(figures: object): void {
  if (SENDS > 100_000) process.stdout.write(`${JSON.stringify(figures)}\n`);
}

describe('from the mark on, before its page has come', () => {
  it('nothing is fired, and what was to be fired ends then and there', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'planned' });
    const other = await world.send({ state: 'planned' });
    await mark(campaign);
    expect(await fire(send)).toEqual([]);
    expect(await world.read(send)).toMatchObject({
      state: 'canceled',
      code: 'CANCELED',
      attempts: 0,
    });
    expect(await fire(other)).toMatchObject([{ id: other, attempt: 1 }]);
    await everyPage();
    await close();
    expect(await stateOf(campaign)).toBe('canceled');
  });

  it('nothing of one cancelled occurrence is fired, and all of the others', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'planned' });
    const row = { campaign, revision: 1, state: 'planned', state_at: new Date(START) };
    await world.insert('occurrence', { ...row, occurrence: 'other' });
    await mark(campaign, 'other');
    expect(await fire(send)).toHaveLength(1);
    await mark(campaign, 'once');
    const late = await world.send({ campaign, chunk: 1, state: 'planned' });
    expect(await fire(late)).toEqual([]);
  });

  it('no uncertain send is repeated, of a campaign or of an occurrence', async () => {
    for (const occurrence of [undefined, 'once']) {
      const campaign = await world.campaign({ state: 'running' });
      const send = await world.send({
        campaign,
        state: 'uncertain',
        columns: { state_at: new Date(START - 60_000) },
      });
      await mark(campaign, occurrence);
      expect(await dueRepeats(impatient, { now: START, limit: 10, without: [] })).toEqual([]);
      const ours = { now: START, replica: v4(), againAt: START };
      expect(await fireRepeat(impatient, { id: send, attempts: 0 }, ours)).toBeUndefined();
      await everyPage();
      expect(await world.read(send)).toMatchObject({ state: 'uncertain', goal: 'canceled' });
    }
  });

  it('a retry is judged by the mark: it is refused, and one made before it is moved', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const failed = await world.send({ campaign, state: 'failed' });
    const retry = v7();
    await impatient.transaction(async (sql) => {
      await lockCampaignsOf(sql, [failed]);
      await insertRetries(sql, [{ of: failed, id: retry, dueAt: START }], START, 'ops');
    });
    await mark(campaign);
    expect(await retryCandidates(impatient, [failed])).toMatchObject([{ refusal: 'CAMPAIGN_CANCELED' }]);
    await everyPage();
    expect((await world.read(retry)).state).toBe('canceled');
  });

  it('waits for a plan that is being written, whose sends its pages find', async () => {
    const campaign = await world.campaign({ state: 'planning' });
    const planner = await OwnConnection.beside(world.dataSource);
    await planner.query('begin');
    await planner.query('select from campaign where id = $1 for no key update', [campaign]);
    const asked = mark(campaign, undefined, world.dataSource);
    const send = v7();
    await planner.query(
      `insert into send (id, service_id, campaign, revision, occurrence, cell, state, state_at, state_by, mode, mode_rule,
                         next_at, created_at)
       select $1, service_id, id, 1, 'once', 'cell', 'planned', $3, 'plan', 'immediate', 'DUE_NOW', $3, $3 from campaign where id = $2`,
      [send, campaign, new Date(START)],
    );
    await planner.query('commit');
    await planner.release();
    expect(await asked).toEqual({ kind: 'asked' });
    await everyPage();
    expect((await world.read(send)).state).toBe('canceled');
  });
});

describe('a send in flight when its campaign is cancelled', () => {
  const outcomes: readonly (readonly [AnsweredState, SendState])[] = [
    ['planned', 'canceled'],
    ['reserved', 'canceling'],
    ['scheduled', 'canceling'],
    ['accepted', 'accepted'],
    ['rejected', 'rejected'],
    ['uncertain', 'uncertain'],
  ];
  const onTheWire = async (): Promise<{ campaign: string; send: string }> => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'sending', columns: { attempts: 1 } });
    await world.insert('attempt', { send, attempt: 1, kind: 'send', started_at: new Date(START) });
    await withItsPast(campaign);
    return { campaign, send };
  };

  it.each(outcomes)('that is answered %s before its page is %s after it', async (answered, expected) => {
    const { campaign, send } = await onTheWire();
    await mark(campaign);
    await answer(send, answered);
    await ledgerOf(1);
    await everyPage();
    expect((await world.read(send)).state).toBe(expected);
    await ledgerOf(1);
  });

  it.each(outcomes)('that is answered %s after its page is %s', async (answered, expected) => {
    const { campaign, send } = await onTheWire();
    await mark(campaign);
    await everyPage();
    await close();
    expect(await stateOf(campaign)).toBe('canceling');
    await ledgerOf(1);
    await answer(send, answered);
    expect((await world.read(send)).state).toBe(expected);
    await close();
    await ledgerOf(1);
    const ended = ['canceled', 'rejected', 'uncertain'].includes(expected);
    expect(await stateOf(campaign)).toBe(ended ? 'canceled' : 'canceling');
  });

  it('ends alike in any order of the page and its answer, side by side', async () => {
    for (const [answered, expected] of outcomes) {
      const { campaign, send } = await onTheWire();
      await mark(campaign);
      await Promise.all([answer(send, answered), everyPage(), everyPage()]);
      await everyPage();
      expect((await world.read(send)).state).toBe(expected);
    }
  });
});

describe('the end of a campaign', () => {
  it('is not seen over a send that opened again while it was looked for', async () => {
    const campaign = await world.campaign({ state: 'running' });
    await world.dataSource.query('update campaign set plan_at = null where id = $1', [campaign]);
    const send = await world.send({ campaign, state: 'uncertain' });
    await world.dataSource.query('insert into campaign_touched (campaign) values ($1)', [campaign]);
    // Between its reading and its locks.
    const closer = new CloseFinished(
      {
        query: impatient.query.bind(impatient),
        transaction: async (work) => {
          await world.dataSource.query(
            `update send set state = 'planned', changes = changes + 1, state_at = $2, state_by = 'spec'
              where id = $1 and state = 'uncertain'`,
            [send, new Date(START)],
          );
          return impatient.transaction(work);
        },
      },
      clock,
    );
    await closer.runOnce();
    expect(await stateOf(campaign)).toBe('running');
    await closer.runOnce();
    expect(await stateOf(campaign)).toBe('running');
    await world.dataSource.query(
      `update send set state = 'expired', changes = changes + 1, state_at = $2, state_by = 'spec' where id = $1`,
      [send, new Date(START)],
    );
    await closer.runOnce();
    expect(await stateOf(campaign)).toBe('expired');
  });
});
