// Resolving uncertain sends on a real database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { SEND_STATES } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import type { Resolution } from '../../../src/scheduler/decide/lifecycle/resolution.js';
import { ResolveSend } from '../../../src/scheduler/operate/resolve-send.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { START, World } from '../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
});

const resolve = (send: string, resolution: Resolution, holds = true, requestId?: string) =>
  new ResolveSend(world.dataSource, new SteppedClock(START + 1_000)).run({
    send,
    resolution,
    requestId,
    reason: 'asked the provider',
    who: 'token:ops',
    holds: () => holds,
  });

describe('a resolve', () => {
  it.each([
    ['confirmed-sent', 'sent', 'CONFIRMED_SENT'],
    ['confirmed-not-sent', 'failed', 'CONFIRMED_NOT_SENT'],
  ] as const)('%s ends an uncertain send as %s, audited, and once', async (resolution, state, code) => {
    const send = await world.send({ state: 'uncertain', columns: { code: 'LOST_ANSWER' } });
    expect(await resolve(send, resolution)).toMatchObject({ state, code, detail: 'asked the provider' });
    expect(await resolve(send, resolution)).toMatchObject({ state, code });
    expect(await world.path(send)).toEqual([`uncertain>${state}`]);
    expect(await world.dataSource.query('select who, action, target, before from audit')).toEqual([
      {
        who: 'token:ops',
        action: 'send.resolve',
        target: send,
        before: { state: 'uncertain', code: 'LOST_ANSWER' },
      },
    ]);
  });

  const HOUR = 3_600_000;
  const reservation = (columns: object = {}) =>
    world.send({ state: 'uncertain', mode: 'reserved', dueAt: START + HOUR, columns: { ...columns } });

  it('of a reservation that is not due needs its requestId, and leaves it reserved and followed', async () => {
    const send = await reservation();
    await expect(resolve(send, 'confirmed-sent')).rejects.toMatchObject({
      status: 409,
      code: 'REQUEST_ID_NEEDED',
    });
    expect(await world.read(send)).toMatchObject({ state: 'uncertain' });
    const view = await resolve(send, 'confirmed-sent', true, 'r-1');
    expect(view).toMatchObject({ state: 'reserved', code: 'CONFIRMED_SENT', requestId: 'r-1' });
    expect(await resolve(send, 'confirmed-sent', true, 'r-1')).toMatchObject({ state: 'reserved' });
    await expect(resolve(send, 'confirmed-sent', true, 'r-2')).rejects.toMatchObject({
      code: 'NOT_UNCERTAIN',
    });
    expect(await world.read(send)).toMatchObject({ request_id: 'r-1', next_at: new Date(START + 1_000) });
  });

  it('of a reservation whose campaign was canceled meanwhile has it canceled at the push service', async () => {
    const send = await reservation({ goal: 'canceled' });
    await resolve(send, 'confirmed-sent', true, 'r-1');
    expect(await world.read(send)).toMatchObject({ state: 'canceling', goal: 'canceled', request_id: 'r-1' });
    expect(await world.path(send)).toEqual(['uncertain>reserved', 'reserved>canceling']);
  });

  it('with the requestId of what was due has its result asked for', async () => {
    const send = await world.send({ state: 'uncertain' });
    expect(await resolve(send, 'confirmed-sent', true, 'r-1')).toMatchObject({
      state: 'accepted',
      requestId: 'r-1',
    });
  });

  it('cannot be taken back', async () => {
    const send = await world.send({ state: 'uncertain' });
    await resolve(send, 'confirmed-sent');
    await expect(resolve(send, 'confirmed-not-sent')).rejects.toMatchObject({
      status: 409,
      code: 'NOT_UNCERTAIN',
    });
  });

  it('of two at once the same counts once and answers both; another resolution is answered with its state', async () => {
    const send = await world.send({ state: 'uncertain' });
    const holder = await OwnConnection.beside(world.dataSource);
    await holder.query('begin');
    await holder.query('select from send where id = $1 for update', [send]);
    const asked = Promise.allSettled([
      resolve(send, 'confirmed-sent'),
      resolve(send, 'confirmed-sent'),
      resolve(send, 'confirmed-sent'),
    ]);
    // All of them have read it uncertain by now.
    await untilLockAwaited((sql) => world.dataSource.query(sql), { atLeast: 3 });
    const other = resolve(send, 'confirmed-not-sent');
    other.catch(() => undefined);
    await untilLockAwaited((sql) => world.dataSource.query(sql), { atLeast: 4 });
    await holder.query('commit');
    await holder.release();
    for (const one of await asked) {
      expect(one).toMatchObject({ status: 'fulfilled', value: { state: 'sent', code: 'CONFIRMED_SENT' } });
    }
    await expect(other).rejects.toThrow('it is sent');
    expect(await world.path(send)).toEqual(['uncertain>sent']);
    expect(await world.dataSource.query('select id from audit')).toHaveLength(1);
  });

  it.each(SEND_STATES.filter((state) => state !== 'uncertain'))(
    'is refused for a send that is %s',
    async (state) => {
      const send = await world.send({ state });
      await expect(resolve(send, 'confirmed-sent')).rejects.toMatchObject({
        status: 409,
        code: 'NOT_UNCERTAIN',
      });
      expect(await world.dataSource.query('select id from audit')).toEqual([]);
    },
  );

  it('does not know a foreign send', async () => {
    const send = await world.send({ state: 'uncertain' });
    await expect(resolve(send, 'confirmed-sent', false)).rejects.toMatchObject({ status: 404 });
  });
});
