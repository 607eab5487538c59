// The fan-out as a pipeline: one outcome a device whatever dies, work shared by replicas, small messages not behind big
// ones, memory that does not grow with the audience.
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, eventuallyFound } from '../../support/eventually.js';
import { cloneDatabase, type TestDatabase } from '../../support/database.js';
import { Management } from './support/client.js';
import { query, seedUsers, startReplica, type Replica } from './support/replica.js';
import { message, send } from './support/stage.js';

const LONG = process.env['CARILLON_TEST_LONG'] === '1';
const PATIENCE = { withinMs: LONG ? 600_000 : 60_000 };

const open: { close(): Promise<void> }[] = [];
let database: TestDatabase | undefined;

async function replica(env?: Readonly<Record<string, string>>): Promise<Replica> {
  database ??= await cloneDatabase();
  const started = await startReplica(database.url, env);
  open.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  await database?.drop();
  database = undefined;
});

interface Counts {
  readonly rows: number;
  readonly devices: number;
  readonly repeated: number;
}

async function countsOf(databaseUrl: string): Promise<Counts | undefined> {
  const [counts] = await query<Counts>(
    databaseUrl,
    `SELECT (SELECT count(*)::int FROM delivery) AS rows, (SELECT count(DISTINCT device_id)::int FROM delivery) AS devices,
            (SELECT coalesce(sum(repeated_count), 0)::int FROM firing) AS repeated`,
  );
  return counts;
}

describe('fan-out', () => {
  it('goes on after kill −9 of its process: every device once, none twice', async () => {
    const first = await replica();
    const client = await new Management(first).newService();
    const { databaseUrl = '' } = first;
    await seedUsers(databaseUrl, client.serviceId, 12_000, true);
    const requestId = await send(client, message());
    await eventually(async () => {
      const { sentCount } = (await client.get(`messages/${requestId}`)).json();
      return Number(sentCount) > 0 && Number(sentCount) < 12_000;
    }, PATIENCE);
    await first.kill();

    const second = await replica();
    const heir = Object.assign(client, { target: second });
    const result = await eventuallyFound(async () => {
      const answer = (await heir.get(`messages/${requestId}`)).json();
      return answer['messageStatusName'] === 'processing' ? undefined : answer;
    }, PATIENCE);
    expect(result).toMatchObject({ messageStatusCode: '200', targetCount: 12_000, sentCount: 12_000 });
    expect(await countsOf(databaseUrl)).toEqual({ rows: 12_000, devices: 12_000, repeated: 0 });
  }, 120_000);

  it('leaves a reservation that was PROCESSING when its process died to the next: expanded once', async () => {
    const first = await replica();
    const management = new Management(first);
    const client = await management.newService();
    const { databaseUrl = '' } = first;
    await seedUsers(databaseUrl, client.serviceId, 60_000, false);
    // Minutes ahead, then the clock: the process dies as soon as the claim shows.
    const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60_000);
    const reserveTime = at.toISOString().slice(0, 16).replace('T', ' ');
    const reserveId = await send(client, message({ reserveTime, reserveTimeZone: 'UTC' }));
    const path = `reservations/${reserveId}/reserve-status`;
    expect((await client.get(path)).field('reserveStatus')).toBe('READY');
    await management.setClock({ mode: 'ahead', ms: at.getTime() - Date.now() });
    await eventually(
      async () => {
        const [row] = await query<{ state: string }>(databaseUrl, 'SELECT state FROM message');
        return row?.state !== 'READY';
      },
      { ...PATIENCE, everyMs: 1 },
    );
    await first.kill();

    const second = await replica();
    const heir = Object.assign(client, { target: second });
    await new Management(second).setClock({ mode: 'ahead', ms: at.getTime() - Date.now() });
    heir.now = () => at.getTime();
    await eventually(async () => {
      const [row] = await query<{ state: string }>(databaseUrl, 'SELECT state FROM message');
      return row?.state === 'FINISHED';
    }, PATIENCE);
    expect((await heir.get(path)).field('reserveStatus')).toBe('DONE');
    expect(await countsOf(databaseUrl)).toEqual({ rows: 60_000, devices: 60_000, repeated: 0 });
  }, 120_000);

  it('is shared by two replicas, and a small message passes a big one', async () => {
    const first = await replica();
    await replica();
    const client = await new Management(first).newService();
    const { databaseUrl = '' } = first;
    await seedUsers(databaseUrl, client.serviceId, 16_000, true);
    const big = await send(client, message());
    const workers = new Set<string>();
    await eventually(async () => {
      const rows = await query<{ worker: string }>(
        databaseUrl,
        `SELECT DISTINCT claimed_by AS worker FROM fan_out_chunk WHERE state = 'CLAIMED'`,
      );
      for (const { worker } of rows) workers.add(worker);
      return workers.size === 2;
    }, PATIENCE);

    const small = await send(client, message({ target: { type: 'USER', to: ['user-1'] } }));
    await eventually(async () => {
      const { messageStatusName } = (await client.get(`messages/${small}`)).json();
      return messageStatusName === 'success';
    }, PATIENCE);
    expect((await client.get(`messages/${big}`)).json()).toMatchObject({ messageStatusName: 'processing' });
    await eventually(
      async () => (await client.get(`messages/${big}`)).json()['messageStatusName'] === 'success',
      PATIENCE,
    );
    expect(await countsOf(databaseUrl)).toMatchObject({ rows: 16_001, devices: 16_000 });
  }, 120_000);

  it(`expands ${LONG ? '1 000 000' : '50 000'} devices in bounded memory`, async () => {
    const count = LONG ? 1_000_000 : 50_000;
    const only = await replica();
    const client = await new Management(only).newService();
    const { databaseUrl = '' } = only;
    await seedUsers(databaseUrl, client.serviceId, count, false);
    const before = only.residentMb();
    let most = before;
    const requestId = await send(client, message());
    await eventually(async () => {
      most = Math.max(most, only.residentMb());
      return (await client.get(`messages/${requestId}`)).json()['messageStatusName'] === 'success';
    }, PATIENCE);
    expect(most - before).toBeLessThan(150);
    expect(await countsOf(databaseUrl)).toMatchObject({ rows: count, devices: count });
  }, 700_000);
});
