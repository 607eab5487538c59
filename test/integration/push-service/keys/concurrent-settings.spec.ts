// Two administrators who change one service at the same moment: each changes what they gave and nothing besides.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client as Postgres } from 'pg';
import { untilLockAwaited } from '../../../support/postgres/lock-waiters.js';
import { query } from '../../../contract/push-service/support/replica.js';
import { Management, type Answer } from '../../../contract/push-service/support/client.js';
import { startOwn, type Target } from '../../../contract/push-service/support/target.js';

let target: Target;
let management: Management;

beforeAll(async () => {
  target = await startOwn();
  management = new Management(target);
});
afterAll(() => target.close());

it('lifts no suspension by a change of the rate that was begun before it', async () => {
  const { serviceId } = await management.newService();
  const path = `/v1/services/${encodeURIComponent(serviceId)}`;
  const answers = await whileLocked(serviceId, 2, () => [
    management.ask('PATCH', path, { suspended: true }),
    management.ask('PATCH', path, { ratePerSecond: 7 }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await management.ask('GET', path)).json()).toMatchObject({ suspended: true, ratePerSecond: 7 });
});

it('gives one first key to an account that two make at once', async () => {
  const accountId = 'made-by-two';
  const made = await Promise.all(
    Array.from({ length: 2 }, () => management.ask('POST', '/v1/services', { accountId })),
  );
  expect(made.filter((answer) => answer.json()['key'] !== null).length).toBe(1);
});

it('makes no account for a service that is refused', async () => {
  const { serviceId } = await management.newService();
  const given = { serviceId, accountId: 'of-nobody' };
  expect((await management.call('POST', '/v1/services', given)).status).toBe(409);
  expect(
    (await management.ask('POST', '/v1/services', { accountId: 'of-nobody' })).json()['key'],
  ).not.toBeNull();
});

/** What is asked while the service's row is held, and answered once it is not: after `count` wait for it. */
async function whileLocked(
  serviceId: string,
  count: number,
  ask: () => Promise<Answer>[],
): Promise<readonly Answer[]> {
  const url = target.databaseUrl ?? '';
  const holder = new Postgres({ connectionString: url, options: '-c search_path=push' });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('select 1 from service where id = $1 for update', [serviceId]);
    const asked = ask();
    await untilLockAwaited((sql) => query(url, sql), { atLeast: count, by: 'carillon push service' });
    await holder.query('COMMIT');
    return await Promise.all(asked);
  } finally {
    await holder.end();
  }
}
