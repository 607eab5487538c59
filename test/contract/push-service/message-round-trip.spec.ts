// The way of a message through the whole service: users in, message in, devices reached, result out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { Management, type Client } from './support/client.js';
import { startTarget, type Target } from './support/target.js';

let target: Target;
let management: Management;
let client: Client;

beforeAll(async () => {
  target = await startTarget();
  management = new Management(target);
  client = await management.newService();
});

afterAll(() => target.close());

describe('§1 what the service does', () => {
  it('sends a message to all devices and answers its result', async () => {
    expect((await client.register({ userId: 'a' })).status).toBe(201);
    expect((await client.register({ userId: 'b', deviceType: 'APNS', deviceToken: 'fail-b' })).status).toBe(
      201,
    );
    const sent = await client.post('messages', {
      target: { type: 'ALL' },
      message: { default: { content: 'hello' } },
    });
    expect([sent.status, sent.text]).toEqual([202, sent.text]);
    const requestId = sent.field('requestId');
    const result = await eventually(async () => {
      const answer = (await client.get(`messages/${requestId}`)).json();
      return answer['messageStatusName'] === 'processing' ? false : answer;
    });
    expect(result).toMatchObject({ messageStatusCode: '200', targetCount: 2, sentCount: 1 });
    // Devices of two types go out on their own, in no order between them.
    const deliveries = (await management.deliveries(requestId)).toSorted((a, b) =>
      String(a.userId).localeCompare(String(b.userId)),
    );
    expect(deliveries.map(({ userId, outcome, reason }) => [userId, outcome, reason])).toEqual([
      ['a', 'sent', null],
      ['b', 'failed', 'REJECTED'],
    ]);
    expect(deliveries[0]?.payload).toMatchObject({ message: { data: { content: 'hello' } } });
  });
});
