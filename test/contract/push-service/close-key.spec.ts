// The extension close-key (push-decisions.md, "Extensions"): a key that is closed, and messages that come under it at the same time.
import { v4 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from './support/client.js';
import { message, openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client & { accountId: string };

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});
afterAll(() => stage.close());

const post = (key: string, body: unknown = message(), by: Client = client): Promise<Answer> =>
  by.post('messages', body, { headers: { 'idempotency-key': key } });
const close = (key: string, by: Client = client): Promise<Answer> =>
  by.call('PUT', `messages/keys/${encodeURIComponent(key)}`);
const CLOSED = { keyStatus: 'closed', requestId: null, requestTime: null, statusName: null };

describe('closing a key', () => {
  it.each([
    ['an immediate message', {}, 'success'],
    ['a reservation', { reserveTime: '2099-01-01 00:00' }, 'reserved'],
  ])('names %s that was taken under it, however often', async (_, members, statusName) => {
    const key = v4();
    const { requestId, requestTime } = (await post(key, message(members))).json();
    for (const _again of [1, 2])
      expect((await close(key)).json()).toMatchObject({
        key,
        keyStatus: 'taken',
        requestId,
        requestTime,
        statusName,
      });
  });

  it('closes a key that is free, whatever its characters, however often', async () => {
    const key = `with / and ü ${v4()}`;
    expect((await close(key)).json()).toMatchObject({ key, ...CLOSED });
    expect((await close(key)).json()).toMatchObject({ key, ...CLOSED });
  });

  it('refuses a message under a closed key with 409, and shows it as none', async () => {
    const key = v4();
    await close(key);
    for (const body of [message(), message({ messageType: 'AD' }), '{'])
      expect(refusal(await post(key, body))).toEqual([409, '409', 'Idempotency-Key: was closed']);
    const today = new Date(client.now()).toISOString().slice(0, 10);
    const tomorrow = new Date(client.now() + 86_400_000).toISOString().slice(0, 10);
    const own = await stage.project();
    await close(key, own);
    const path = `/v1/services/${encodeURIComponent(own.serviceId)}/totals?from=${today}&to=${tomorrow}`;
    expect((await stage.management.ask('GET', path)).json()).toMatchObject({
      days: [{ total: { messages: 0 } }],
    });
  });

  it('is about one service alone', async () => {
    const key = v4();
    await close(key);
    const other = await stage.project();
    expect((await post(key, message(), other)).status).toBe(202);
    expect((await close(key, other)).json()).toMatchObject({ keyStatus: 'taken' });
  });

  it('frees nothing that a refused message held', async () => {
    const key = v4();
    expect((await post(key, { target: 7 })).status).toBe(400);
    expect((await close(key)).json()).toMatchObject(CLOSED);
  });

  it('refuses a key that no message could have', async () => {
    expect((await close('k'.repeat(256))).status).toBe(400);
    expect((await client.call('PUT', 'messages/keys/%FF')).status).toBe(400);
  });

  it('says for how long the service knows what it took', async () => {
    const { provesSeconds } = (await close(v4())).json();
    expect(provesSeconds).toBeGreaterThanOrEqual(0);
    expect(provesSeconds).toBeLessThanOrEqual(30 * 86_400);
  });
});

it('of messages and closes that come at the same time exactly one is first, for all who ask', async () => {
  const keys = Array.from({ length: 60 }, () => v4());
  const outcomes = await Promise.all(
    keys.map(async (key, index) => {
      const asked = [() => post(key), () => close(key), () => close(key), () => post(key)];
      const answers = await Promise.all(
        index % 2 === 0 ? asked.map((ask) => ask()) : asked.reverse().map((ask) => ask()),
      );
      return { key, answers };
    }),
  );
  let taken = 0;
  for (const { key, answers } of outcomes) {
    const final = (await close(key)).json();
    const posts = answers.filter(({ status }) => status === 202 || status === 409);
    const closes = answers.filter(({ status }) => status === 200).map((answer) => answer.json());
    expect(new Set(closes.map(({ keyStatus }) => keyStatus))).toEqual(new Set([final['keyStatus']]));
    const isTaken = final['keyStatus'] === 'taken';
    taken += isTaken ? 1 : 0;
    expect(posts.map(({ status }) => status)).toEqual(isTaken ? [202, 202] : [409, 409]);
    const ids = posts.flatMap((answer) => (answer.status === 202 ? [answer.field('requestId')] : []));
    expect(new Set(ids)).toEqual(new Set(isTaken ? [final['requestId']] : []));
  }
  const list = await stage.management.ask(
    'GET',
    `/v1/sandbox/services/${encodeURIComponent(client.serviceId)}/messages?limit=1000`,
  );
  const known = new Set(list.list().map(({ requestId }) => requestId));
  const mine = await Promise.all(keys.map(async (key) => (await close(key)).json()));
  expect(mine.filter(({ requestId }) => requestId !== null && known.has(requestId))).toHaveLength(taken);
});
