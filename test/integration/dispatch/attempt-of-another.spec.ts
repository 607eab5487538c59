// A fire that the database never saw is taken back in two steps. Between them another claim may have fired the send: the
// attempt is that one's, and its answer is written there.
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rowsOf } from '../../../src/platform/database.js';
import { recordAnswers, type RecordedAnswer } from '../../../src/scheduler/store/answer.store.js';
import { claimDue, settleClaimed, type Settlement } from '../../../src/scheduler/store/claim.store.js';
import { fireSends } from '../../../src/scheduler/store/fire.store.js';
import { START, World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.project();
});
afterAll(() => world.close());

const WORDLESS = { code: null, detail: null, handOffAt: null, mode: null, modeRule: null } as const;

it('is not closed by whoever takes back a fire that never was', async () => {
  const id = await world.send();
  const sql = world.dataSource;
  const claim = (token: string) =>
    claimDue(sql, {
      now: START,
      upTo: START,
      by: 'spec',
      token,
      leaseMs: 10_000,
      limit: 9,
      rooms: new Map(),
      room: 9,
      round: 1,
    });
  const [unheard, other] = [v7(), v7()];
  expect(await claim(unheard)).toHaveLength(1);
  const back: Settlement = { id, token: unheard, state: 'planned', ...WORDLESS, dueAt: null };
  expect(await settleClaimed(sql, [back], START, 'spec')).toBe(1);
  expect(await claim(other)).toHaveLength(1);
  const order = { id, revision: 1, mode: 'immediate', modeRule: 'DUE_NOW', dueAt: START, at: START } as const;
  const context = { now: START, by: 'spec', leaseMs: 10_000 };
  expect(await fireSends(sql, [{ ...order, token: other }], context)).toMatchObject([{ attempt: 1 }]);
  const notSent: RecordedAnswer = {
    id,
    token: unheard,
    attempt: 1,
    state: 'planned',
    code: 'FIRE_NOT_CONFIRMED',
    detail: 'unheard',
    answeredAt: START,
    requestId: null,
    gatewayStatus: null,
    nextAt: START,
    requestSent: false,
    httpStatus: null,
    errorCode: 'FIRE_NOT_CONFIRMED',
    answer: 'unheard',
    outcome: 'not-sent',
  };
  await recordAnswers(sql, [notSent], 'spec', START);
  const taken: RecordedAnswer = {
    ...notSent,
    token: other,
    state: 'accepted',
    code: null,
    detail: null,
    requestId: 'r-1',
    gatewayStatus: 'success',
    nextAt: START,
    requestSent: true,
    httpStatus: 202,
    errorCode: null,
    answer: null,
    outcome: 'taken',
  };
  await recordAnswers(sql, [taken], 'spec', START);
  expect((await world.read(id)).state).toBe('accepted');
  const attempts = 'select attempt, request_sent, http_status, outcome from attempt where send = $1';
  expect(await rowsOf(sql, attempts, [id])).toEqual([
    { attempt: 1, request_sent: true, http_status: 202, outcome: 'taken' },
  ]);
});
