// A schedule that is deleted or changed, or a message of it that is cancelled, while messages are taken under it, due,
// recorded or on their way: no message is left on a schedule that is gone, none is lost, and no result that is final
// changes. Who waits for whom is set by rows the spec holds itself.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client as Postgres } from 'pg';
import type { Answer, Client } from '../../../contract/push-service/support/client.js';
import { query } from '../../../contract/push-service/support/replica.js';
import {
  finalResult,
  message,
  openStage,
  send,
  type Stage,
} from '../../../contract/push-service/support/stage.js';
import { eventually } from '../../../support/eventually.js';
import { lockWaiters } from '../../../support/postgres/lock-waiters.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});
afterAll(() => stage.close());

const url = (): string => stage.target.databaseUrl ?? '';

async function schedule(scheduleCode: string): Promise<void> {
  const times = { scheduleTime: '09:00', startDate: '2099-01-01' };
  expect((await client.post('schedules', { scheduleCode, ...times })).status).toBe(201);
}

/** A transaction of its own in the service's database; whatever it holds is let go at the end of `work`. */
async function holding(work: (sql: Postgres) => Promise<void>): Promise<void> {
  const sql = new Postgres({ connectionString: url(), options: '-c search_path=push' });
  await sql.connect();
  try {
    await sql.query('BEGIN');
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** Sets off a call and returns once it waits, or was answered without. */
async function setOff(call: () => Promise<Answer>, waiters: number): Promise<{ answer: Promise<Answer> }> {
  let isAnswered = false;
  const answer = call().finally(() => (isAnswered = true));
  // Requests' own: the loops may wait for the row as well.
  const waiting = (): Promise<number> =>
    lockWaiters((sql) => query(url(), sql), { by: 'carillon push service' });
  await eventually(async () => isAnswered || (await waiting()) >= waiters);
  return { answer };
}

const HOLD = 'select from schedule where schedule_code = $1 for update';

it('takes no message under a schedule whose deletion set out first', async () => {
  await schedule('deleted-first');
  const before = await send(client, message({ scheduleCode: 'deleted-first' }));
  let calls: { answer: Promise<Answer> }[] = [];
  await holding(async (sql) => {
    await sql.query(HOLD, ['deleted-first']);
    const deleted = await setOff(() => client.delete('schedules/deleted-first'), 1);
    const posted = await setOff(
      () => client.post('messages', message({ scheduleCode: 'deleted-first', unique: 'late' })),
      2,
    );
    calls = [deleted, posted];
    await sql.query('ROLLBACK');
  });
  const [deleted, posted] = await Promise.all(calls.map(({ answer }) => answer));
  expect(deleted?.status).toBe(204);
  expect([posted?.status, posted?.text]).toEqual([
    404,
    expect.stringContaining('scheduleCode: there is no such schedule'),
  ]);
  expect(await finalResult(client, before)).toMatchObject({ messageStatusCode: '499' });
});

it('cancels a message whose taking set out before the deletion', async () => {
  await schedule('deleted-last');
  let calls: { answer: Promise<Answer> }[] = [];
  await holding(async (sql) => {
    await sql.query(HOLD, ['deleted-last']);
    const posted = await setOff(() => client.post('messages', message({ scheduleCode: 'deleted-last' })), 1);
    const deleted = await setOff(() => client.delete('schedules/deleted-last'), 2);
    calls = [posted, deleted];
    await sql.query('ROLLBACK');
  });
  const [posted, deleted] = await Promise.all(calls.map(({ answer }) => answer));
  expect([posted?.status, deleted?.status]).toEqual([202, 204]);
  expect(await finalResult(client, posted?.field('requestId') ?? '')).toMatchObject({
    messageStatusCode: '499',
  });
});

it.each(['interface', 'management'])(
  'is deleted by the %s though the database ends its first try as a deadlock',
  async (by) => {
    await schedule(by);
    const ids = [
      await send(client, message({ scheduleCode: by })),
      await send(client, message({ scheduleCode: by })),
    ];
    const [first, last] = ids.sort();
    let deleted: { answer: Promise<Answer> } | undefined;
    await holding(async (sql) => {
      // The other is the one to be ended: this one looks for deadlocks later.
      await sql.query(`SET LOCAL deadlock_timeout = '1min'`);
      const hold = 'select from message where id = $1 for no key update';
      await sql.query(hold, [last]);
      const path = `/v1/services/${encodeURIComponent(client.serviceId)}/schedules/${by}`;
      deleted = await setOff(
        () => (by === 'interface' ? client.delete(`schedules/${by}`) : stage.management.call('DELETE', path)),
        1,
      );
      // Granted by the end of the other alone.
      await sql.query(hold, [first]);
      await sql.query('COMMIT');
    });
    expect((await deleted?.answer)?.status).toBe(204);
    for (const id of ids) expect(await finalResult(client, id)).toMatchObject({ messageStatusCode: '499' });
  },
);

it('does not call a cancelled message final while it is on its way', async () => {
  await client.register({ userId: 'slow', deviceToken: 'slow-1' });
  await schedule('on-its-way');
  const target = { type: 'USER', to: ['slow'] };
  const id = await send(client, message({ scheduleCode: 'on-its-way', target }));
  const path = `/v1/sandbox/services/${encodeURIComponent(client.serviceId)}/schedules/on-its-way/fire`;
  await stage.management.ask('POST', path);
  const result = async (): Promise<Record<string, unknown>> => (await client.get(`messages/${id}`)).json();
  await eventually(async () => (await result())['targetCount'] === 1);
  await holding(async (sql) => {
    // Its record waits for this, however long the cancellation takes.
    await sql.query('select from firing where message_id = $1 for update', [id]);
    expect((await client.delete(`schedules/on-its-way/messages/${id}`)).status).toBe(204);
    expect(await result()).toMatchObject({ messageStatusCode: null, completeTime: null, sentCount: 0 });
    await sql.query('ROLLBACK');
  });
  const final = await finalResult(client, id);
  expect(final).toMatchObject({ messageStatusCode: '200', messageStatusName: 'success', sentCount: 1 });
  const [firing] = await query<{ complete_at: Date }>(
    url(),
    'select complete_at from firing where message_id = $1',
    [id],
  );
  expect(Date.parse(`${String(final['completeTime'])}+09:00`)).toBe(firing?.complete_at.getTime());
});

it.each(['interface', 'management'])(
  'fires what is due at the very minute it is changed by the %s',
  async (by) => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const project = await stage.project();
    await project.register({ userId: 'u' });
    const times = { scheduleTime: '01:00', scheduleTimeZone: 'UTC' };
    await project.post('schedules', { scheduleCode: `minute-${by}`, ...times });
    const id = await send(project, message({ scheduleCode: `minute-${by}` }));
    const path = `/v1/services/${encodeURIComponent(project.serviceId)}/schedules/minute-${by}`;
    let changed: { answer: Promise<Answer> } | undefined;
    await holding(async (sql) => {
      // The loop that fires passes over what is held; the change waits for it, and is first.
      await sql.query(HOLD, [`minute-${by}`]);
      await stage.freeze('2026-11-20T01:00:00Z');
      changed = await setOff(
        () =>
          by === 'interface'
            ? project.put(`schedules/minute-${by}`, { ...times, scheduleTime: '02:00' })
            : stage.management.call('PUT', path, { ...times, scheduleTime: '02:00' }),
        1,
      );
      await sql.query('ROLLBACK');
    });
    expect((await changed?.answer)?.status).toBe(200);
    await eventually(async () => (await stage.management.deliveries(id)).length === 1);
    await stage.freeze('2026-11-20T02:00:00Z');
    await eventually(async () => (await stage.management.deliveries(id)).length === 2);
    await stage.thaw();
  },
);
