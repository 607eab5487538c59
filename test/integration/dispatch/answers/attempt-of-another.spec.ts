// A fire that never came to the database is asked about. Meanwhile another replica may have fired the send with the same attempt number:
// the attempt is that replica's, and its answer is written there.
import { pino } from 'pino';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { Ready } from '../../../../src/scheduler/dispatch/check-before-send.js';
import { answerWriter } from '../../../../src/scheduler/dispatch/answer-writer.js';
import { UnconfirmedFires } from '../../../../src/scheduler/dispatch/unconfirmed-fires.js';
import { recordAnswers } from '../../../../src/scheduler/store/send/answer.store.js';
import { fireSends } from '../../../../src/scheduler/store/send/fire.store.js';
import { resolveUncertain } from '../../../../src/scheduler/store/send/resolve.store.js';
import { eventually } from '../../../support/eventually.js';
import { recoveryOf } from '../../../support/scheduler/recovery.js';
import { answerOf } from '../../../support/scheduler/send-rows.js';
import { START, World } from '../../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.project();
});
afterAll(() => world.close());

const order = { revision: 1, mode: 'immediate', modeRule: 'DUE_NOW', dueAt: START, at: START } as const;
const fire = (id: string, replica: string) =>
  fireSends(world.dataSource, [{ ...order, id, attempts: 0 }], { now: START, by: 'spec', replica });
const attempts = (id: string) =>
  world.dataSource.query(
    'select attempt, request_sent, http_status, error_code, outcome from send_attempt where send = $1',
    [id],
  );

it('is not ended by a process that asks about a fire that was never made', async () => {
  const id = await world.send();
  const sql = world.dataSource;
  const fates: string[] = [];
  const deps = { sql, clock: new SteppedClock(START), log: pino({ level: 'silent' }) };
  const unconfirmed = new UnconfirmedFires(
    { ...deps, replica: v7() },
    answerWriter({ ...deps, by: 'spec', batch: 10 }),
    (_, { kind }) => fates.push(kind),
  );
  const one = { entry: { id, attempts: 0 } } as Ready;
  unconfirmed.add(one);
  await eventually(() => expect(fates).toEqual(['again']));
  expect(await fire(id, v7())).toMatchObject([{ attempt: 1 }]);
  unconfirmed.add(one);
  await eventually(() => expect(fates).toEqual(['again', 'gone']));
  await unconfirmed.putBack(() => false, true);
  expect((await world.read(id)).state).toBe('sending');
  expect(await recordAnswers(sql, [answerOf(id)], 'spec', START)).toBe(1);
  expect((await world.read(id)).state).toBe('accepted');
  expect(await attempts(id)).toEqual([
    { attempt: 1, request_sent: true, http_status: 202, error_code: null, outcome: 'taken' },
  ]);
});

it('keeps its answer if its send was resolved by hand before, and says so', async () => {
  const id = await world.send();
  await fire(id, v7());
  await recoveryOf(world.dataSource, new SteppedClock(START)).runOnce();
  const word = { send: id, state: 'failed', code: 'CONFIRMED_NOT_SENT', detail: null } as const;
  expect(await resolveUncertain(world.dataSource, { ...word, now: START, by: 'ops' })).toBe(true);
  for (const written of [0, 0])
    expect(await recordAnswers(world.dataSource, [answerOf(id)], 'spec', START)).toBe(written);
  expect(await world.read(id)).toMatchObject({ state: 'failed', code: 'CONFIRMED_NOT_SENT' });
  expect(await attempts(id)).toEqual([
    {
      attempt: 1,
      request_sent: true,
      http_status: 202,
      error_code: 'ANSWER_AFTER_RESOLVE',
      outcome: 'taken',
    },
  ]);
});
