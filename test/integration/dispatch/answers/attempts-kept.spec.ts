// Where attempts are kept: the newest in its send's row, those before it in the table attempt. The view send_attempt has all.
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { recordAnswers, type RecordedAnswer } from '../../../../src/scheduler/store/send/answer.store.js';
import { fireSends } from '../../../../src/scheduler/store/send/fire.store.js';
import { recoverSends } from '../../../../src/scheduler/store/send/recover.store.js';
import { resendUncertain } from '../../../../src/scheduler/store/send/repeat.store.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import { eventually } from '../../../support/eventually.js';
import { START, World } from '../../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project({ on_uncertain: 'resend' });
});

const fire = (ids: readonly string[], attempts: number, at = START) =>
  fireSends(
    world.dataSource,
    ids.map((id) => ({
      id,
      revision: 1,
      attempts,
      mode: 'immediate',
      modeRule: 'DUE_NOW',
      dueAt: START,
      at,
    })),
    { now: at, by: 'spec', replica: v7() },
  );
const answer = (id: string, attempt: number, more: Partial<RecordedAnswer> = {}): RecordedAnswer => ({
  id,
  attempt,
  state: 'accepted',
  code: null,
  detail: null,
  answeredAt: START + attempt,
  requestId: 'r-1',
  gatewayStatus: 'success',
  nextAt: START,
  requestSent: true,
  httpStatus: 202,
  errorCode: null,
  answer: null,
  outcome: 'taken',
  ...more,
});
const BUSY = {
  state: 'planned',
  code: 'BUSY',
  requestId: null,
  gatewayStatus: null,
  httpStatus: 503,
  errorCode: 'BUSY',
  answer: 'later',
  outcome: 'not-sent',
} as const;
const record = (
  rows: readonly RecordedAnswer[],
  sql: OwnConnection | World['dataSource'] = world.dataSource,
) => recordAnswers(sql, rows, 'spec', START);
const attempts = (send: string) =>
  world.dataSource.query(
    `select attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome
       from send_attempt where send = $1 order by attempt`,
    [send],
  );
const inTable = () => world.dataSource.query('select send, attempt from attempt');
const at = (ms: number): Date => new Date(START + ms);
const TAKEN = {
  kind: 'send',
  request_sent: true,
  http_status: 202,
  error_code: null,
  answer: null,
  outcome: 'taken',
};
const OPEN = {
  kind: 'send',
  ended_at: null,
  request_sent: null,
  http_status: null,
  error_code: null,
  answer: null,
  outcome: null,
};

/** Fired, its process gone, and planned again by its project's own exception. */
async function resent(): Promise<string> {
  const id = await world.send();
  await fire([id], 0);
  await recoverSends(world.dataSource, [{ id, attempts: 1, answer: null }], START, 'spec');
  const far = START + 3_600_000;
  await world.dataSource.query('update send set due_at = $2 where id = $1', [id, new Date(far)]);
  expect(await resendUncertain(world.dataSource, far, 9, 'spec')).toBe(1);
  return id;
}

it('a send that is accepted at once has its one attempt only in its row', async () => {
  const id = await world.send();
  await fire([id], 0);
  expect(await attempts(id)).toEqual([{ attempt: 1, started_at: at(0), ...OPEN }]);
  expect(await record([answer(id, 1)])).toBe(1);
  expect(await attempts(id)).toEqual([{ attempt: 1, started_at: at(0), ended_at: at(1), ...TAKEN }]);
  expect(await inTable()).toEqual([]);
});

it('an attempt is kept when the next one overwrites it, and only that one of the batch', async () => {
  const [again, fresh, paused] = [await world.send(), await world.send(), await world.send()];
  await fire([again, paused], 0);
  await record([answer(again, 1, BUSY), answer(paused, 1, { ...BUSY, httpStatus: null })]);
  await world.dataSource.query('update send set revision = 2 where id = $1', [paused]);
  const orders = [again, fresh, paused].map((id) => ({ id, attempts: id === fresh ? 0 : 1 }));
  const fired = await fireSends(
    world.dataSource,
    orders.map((one) => ({
      ...one,
      revision: 1,
      mode: 'immediate',
      modeRule: 'DUE_NOW',
      dueAt: START,
      at: START + 9,
    })),
    { now: START + 9, by: 'spec', replica: v7() },
  );
  expect(fired.map(({ id, attempt }) => [id, attempt])).toEqual([
    [again, 2],
    [fresh, 1],
  ]);
  const busy = { kind: 'send', request_sent: true, error_code: 'BUSY', answer: 'later', outcome: 'not-sent' };
  expect(await attempts(again)).toEqual([
    { attempt: 1, started_at: at(0), ended_at: at(1), ...busy, http_status: 503 },
    { attempt: 2, started_at: at(9), ...OPEN },
  ]);
  // It ended without an answer, and has the instant.
  expect(await attempts(paused)).toEqual([
    { attempt: 1, started_at: at(0), ended_at: at(1), ...busy, http_status: null },
  ]);
  expect(await inTable()).toEqual([{ send: again, attempt: 1 }]);
});

it('an answer after its send was planned again is kept with that attempt, before the next fire and after', async () => {
  const [before, after] = [await resent(), await resent()];
  expect(await record([answer(before, 1)])).toBe(0);
  expect(await fire([before, after], 1, START + 9)).toHaveLength(2);
  expect(await record([answer(after, 1)])).toBe(0);
  const taken = { attempt: 1, started_at: at(0), ended_at: at(1), ...TAKEN };
  expect(await attempts(before)).toEqual([
    { ...taken, error_code: 'ANSWER_AFTER_RESOLVE' },
    { attempt: 2, started_at: at(9), ...OPEN },
  ]);
  expect(await attempts(after)).toEqual([taken, { attempt: 2, started_at: at(9), ...OPEN }]);
});

it('an answer that is written while its send is fired again is kept', async () => {
  const id = await resent();
  const writer = await OwnConnection.beside(world.dataSource);
  await writer.query('begin');
  await record([answer(id, 1)], writer);
  const firing = fire([id], 1, START + 9);
  await eventually(async () => {
    const rows = await world.dataSource.query(
      `select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`,
    );
    return rows.length > 0;
  });
  await writer.query('commit');
  await writer.release();
  expect(await firing).toHaveLength(1);
  expect(await attempts(id)).toMatchObject([
    { attempt: 1, outcome: 'taken' },
    { attempt: 2, outcome: null },
  ]);
});
