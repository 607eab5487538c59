// push-interface.md §2.7, §3 and §4.4: reservations, from READY to what nothing leaves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { v4 } from 'uuid';
import type { Client } from './support/client.js';
import {
  finalResult,
  message,
  openStage,
  passLoops,
  refusal,
  reserveStatus,
  send,
  statusOf,
  type Stage,
} from './support/stage.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
  await client.register({ userId: 'u' });
});

afterAll(() => stage.close());

async function reserve(
  project: Client,
  reserveTime: string,
  members: Record<string, unknown> = {},
): Promise<string> {
  return send(project, message({ reserveTime, ...members }));
}

describe('§2.7 reserve-status', () => {
  it('answers the reservation’s id, zone, time and status', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const id = await reserve(client, '2026-11-20 10:00');
    const answer = await client.get(`reservations/${id}/reserve-status`);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      reserveId: id,
      reserveTimeZone: 'Asia/Seoul',
      reserveTime: '2026-11-20 10:00',
      reserveStatus: 'READY',
    });
    const elsewhere = await reserve(client, '2026-11-20 10:00', { reserveTimeZone: 'America/St_Johns' });
    expect((await client.get(`reservations/${elsewhere}/reserve-status`)).json()).toMatchObject({
      reserveTimeZone: 'America/St_Johns',
    });
    for (const made of [id, elsewhere]) await client.delete(`reservations/${made}`);
  });

  it('answers 404 to what is no reservation of this project', async () => {
    const immediate = await send(client, message());
    const foreign = await reserve(await stage.project(), '2099-01-01 00:00');
    for (const id of [immediate, foreign, v4(), 'x']) {
      expect(refusal(await client.get(`reservations/${id}/reserve-status`)).slice(0, 2)).toEqual([
        404,
        '300',
      ]);
      expect(refusal(await client.delete(`reservations/${id}`)).slice(0, 2)).toEqual([404, '300']);
    }
  });
});

describe('§3 READY → PROCESSING → DONE, at the minute', () => {
  it.each([
    ['Asia/Seoul', '2026-11-20 10:00', '2026-11-20T01:00:00.000Z'],
    ['Asia/Kathmandu', '2026-11-20 10:00', '2026-11-20T04:15:00.000Z'],
    ['America/New_York', '2026-11-20 10:00', '2026-11-20T15:00:00.000Z'],
    ['America/New_York', '2027-03-14 02:30', '2027-03-14T07:30:00.000Z'],
    ['America/New_York', '2027-11-07 01:30', '2027-11-07T05:30:00.000Z'],
    ['Australia/Lord_Howe', '2027-10-03 02:15', '2027-10-02T15:45:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-20 10:00', '2026-11-19T20:00:00.000Z'],
    ['UTC', '2026-11-20 10:00', '2026-11-20T10:00:00.000Z'],
  ])('in %s, %s is sent at %s and not a millisecond before', async (reserveTimeZone, reserveTime, at) => {
    const before = new Date(Date.parse(at) - 3_600_000).toISOString();
    await stage.freeze(before);
    const id = await reserve(client, reserveTime, { reserveTimeZone });
    await stage.freeze(new Date(Date.parse(at) - 1).toISOString());
    // One of the minute before has passed through every loop: this one would have, too.
    await passLoops(client);
    expect(await statusOf(client, id)).toBe('READY');
    await stage.freeze(at);
    await reserveStatus(client, id, 'DONE');
    expect(await finalResult(client, id)).toMatchObject({ messageStatusCode: '200', sentCount: 1 });
    expect((await stage.management.deliveries(id)).map(({ handedAt }) => handedAt)).toEqual([at]);
  });

  it('takes a reserveTime of the current minute, and refuses the minute before', async () => {
    await stage.freeze('2026-11-20T01:00:59.999Z');
    const id = await reserve(client, '2026-11-20 10:00');
    await reserveStatus(client, id, 'DONE');
    await stage.freeze('2026-11-20T01:01:00Z');
    const late = await client.post('messages', message({ reserveTime: '2026-11-20 10:00' }));
    expect(refusal(late)).toEqual([400, '100', 'reserveTime: is in the past']);
  });

  it('is DONE when nobody is targeted', async () => {
    await stage.freeze('2026-11-20T01:00:00Z');
    const empty = await stage.project();
    const id = await reserve(empty, '2026-11-20 10:00');
    await reserveStatus(empty, id, 'DONE');
    expect(await finalResult(empty, id)).toMatchObject({ messageStatusCode: '404', targetCount: 0 });
  });
});

describe('§3 FAIL and STALE', () => {
  it.each([
    ['FAIL', '500'],
    ['STALE', '504'],
  ])('a firing that ends %s leaves code %s, nothing sent, and cannot be cancelled', async (ending, code) => {
    await stage.freeze('2026-11-20T00:59:00Z');
    await stage.management.addFault({ kind: 'firing', ending, serviceId: client.serviceId, count: 1 });
    const id = await reserve(client, '2026-11-20 10:00');
    await stage.freeze('2026-11-20T01:00:00Z');
    await reserveStatus(client, id, ending);
    expect(await finalResult(client, id)).toMatchObject({
      messageStatusCode: code,
      messageStatusName: 'fail',
      targetCount: 0,
      sentCount: 0,
    });
    expect(await stage.management.deliveries(id)).toEqual([]);
    expect(refusal(await client.delete(`reservations/${id}`)).slice(0, 2)).toEqual([400, '100']);
    await stage.management.clearFaults();
  });

  it('a reservation that could not start for ten minutes is STALE, one millisecond less is sent', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const late = await reserve(client, '2026-11-20 10:00');
    await stage.freeze('2026-11-20T01:10:00Z');
    await reserveStatus(client, late, 'STALE');
    await stage.freeze('2026-11-20T02:00:00Z');
    const tooLate = await reserve(client, '2026-11-20 12:00');
    const justInTime = await reserve(client, '2026-11-20 12:01');
    await stage.freeze('2026-11-20T03:10:59.999Z');
    await reserveStatus(client, justInTime, 'DONE');
    expect(await finalResult(client, tooLate)).toMatchObject({ messageStatusCode: '504' });
  });
});

describe('§4.4 cancel a reservation', () => {
  it('READY → CANCELED: 204 without a body, again 204; its result is 499 and nothing goes out', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const id = await reserve(client, '2026-11-20 10:00');
    for (let time = 0; time < 2; time += 1) {
      const answer = await client.delete(`reservations/${id}`);
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    expect(await statusOf(client, id)).toBe('CANCELED');
    const result = await finalResult(client, id);
    expect(result).toMatchObject({ messageStatusCode: '499', messageStatusName: 'fail', sentCount: 0 });
    await stage.freeze('2026-11-20T01:00:00Z');
    await passLoops(client);
    expect(await statusOf(client, id)).toBe('CANCELED');
    expect(await stage.management.deliveries(id)).toEqual([]);
  });

  it('finds it by its id in upper case and without hyphens', async () => {
    const id = await reserve(client, '2099-01-01 10:00');
    for (const form of [id.toUpperCase(), id.replaceAll('-', '')]) {
      expect((await client.get(`reservations/${form}/reserve-status`)).json()).toMatchObject({
        reserveId: id,
      });
    }
    expect((await client.delete(`reservations/${id.replaceAll('-', '').toUpperCase()}`)).status).toBe(204);
    expect(await statusOf(client, id)).toBe('CANCELED');
  });

  it('answers 400 once it is DONE', async () => {
    await stage.freeze('2026-11-20T01:00:00Z');
    const id = await reserve(client, '2026-11-20 10:00');
    await reserveStatus(client, id, 'DONE');
    expect(refusal(await client.delete(`reservations/${id}`))).toEqual([
      400,
      '100',
      'reserveId: the reservation is DONE and cannot be cancelled',
    ]);
  });

  it('of cancelling and firing at once exactly one wins', async () => {
    await stage.freeze('2026-11-20T00:59:59Z');
    const ids = await Promise.all(Array.from({ length: 40 }, () => reserve(client, '2026-11-20 10:00')));
    const [answers] = await Promise.all([
      Promise.all(ids.map((id) => client.delete(`reservations/${id}`))),
      stage.freeze('2026-11-20T01:00:00Z'),
    ]);
    for (const [index, id] of ids.entries()) {
      const status = answers[index]?.status;
      const result = await finalResult(client, id);
      const sent = (await stage.management.deliveries(id)).length;
      expect([204, 400]).toContain(status);
      expect([result['messageStatusCode'], sent, await statusOf(client, id)]).toEqual(
        status === 204 ? ['499', 0, 'CANCELED'] : ['200', 1, 'DONE'],
      );
    }
  });
});
