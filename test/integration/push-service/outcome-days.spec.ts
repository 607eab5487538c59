// Outcomes lie in days: no statement of delivery touches a day whose firings it does not name, however many there are; and the
// days are there before anything is written to them, wherever the clock goes.
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../src/platform/database/database.js';
import { ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import {
  claimChunks,
  keepVariants,
  type ClaimedChunk,
} from '../../../src/push-service/delivery/chunk.store.js';
import { databaseTime, recordChunks, takeOver } from '../../../src/push-service/delivery/outcome.store.js';
import { findDeliveries } from '../../../src/push-service/management/management.store.js';
import { findBreakdown } from '../../../src/push-service/messages/breakdown.store.js';
import { sumOutcomes } from '../../../src/push-service/retention/retention.store.js';
import { Secret } from '../../../src/platform/env.js';
import { pushDataSource } from '../../../src/push-service/push.database.js';
import type { Answer } from '../../contract/push-service/support/client.js';
import { finalResult, message, openStage, send } from '../../contract/push-service/support/stage.js';
import { eventually, throughout } from '../../support/eventually.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { furnish } from './delivery/furnish.js';
import { openDatabase, type OpenedDatabase } from './delivery/push-rows.js';

const DAY_MS = 86_400_000;
const DAYS = 100;
const at = new Date('2026-06-15T12:00:00Z');
const SERVICE = 'pruned';
const QUEUE = { serviceId: SERVICE, deviceType: 'GCM' } as const;
const worker = v7();

let opened: OpenedDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
  await dropDays(sql);
  for (let day = -DAYS; day <= 0; day += 4)
    await ensurePartitions(sql, new Date(at.getTime() + day * DAY_MS));
  await furnish(sql, at, SERVICE, 2);
  await sql.query('truncate delivery, outcome_count, payload');
  await sql.query('update firing set chunks_left = 1');
});
afterAll(() => opened.close());

/** The partitions of outcomes and payloads that a statement opens: its transaction's locks show them. */
async function openedBy(work: (sql: Sql) => Promise<unknown>): Promise<string[]> {
  const own = await OwnConnection.beside(sql);
  try {
    await own.query('begin');
    await work(own);
    const rows = await own.query<{ name: string }>(
      `select distinct t.relname as name from pg_locks l left join pg_index i on i.indexrelid = l.relation
         join pg_class t on t.oid = coalesce(i.indrelid, l.relation)
        where l.pid = pg_backend_pid() and t.relispartition and t.relkind = 'r' order by 1`,
    );
    await own.query('commit');
    return rows.map(({ name }) => name);
  } finally {
    await own.release();
  }
}

const [OUTCOMES, PAYLOADS] = ['delivery_2026_06_15', 'payload_2026_06_15'];

it('touches one day in each statement, over a hundred of them', async () => {
  const claimed: ClaimedChunk[] = [];
  for (let claim = 0; claim < 4; claim += 1)
    claimed.push(...(await claimChunks(sql, QUEUE, 'oldest', { worker, leaseMs: 60_000, now: at })));
  const [first, ...lost] = claimed;
  expect([first?.claims, lost.length]).toEqual([1, 3]);
  const { firingId, messageId, chunkNo, claims } = first ?? {
    firingId: '',
    messageId: '',
    chunkNo: 0,
    claims: 0,
  };
  const one = {
    firingId,
    chunkNo,
    claims,
    recorded: 0,
    codes: [],
    newOutcomes: 1,
    repeated: 0,
    gone: [],
    credential: null,
    version: null,
    fate: 'done',
  } as const;
  const variant = { firingId, deviceType: 'GCM', language: 'ko', headers: {}, body: '{}' } as const;

  expect(await openedBy((own) => keepVariants(own, [variant]))).toEqual([PAYLOADS]);
  expect(await openedBy((own) => recordChunks(own, [one], { worker, leaseMs: 60_000, now: at }))).toEqual([
    OUTCOMES,
  ]);
  const ask = { pageSize: 100, pageIndex: 0 };
  expect(await openedBy((own) => findBreakdown(own, messageId, ask))).toEqual([OUTCOMES]);
  expect(await openedBy((own) => findDeliveries(own, messageId, 100, 0))).toEqual([OUTCOMES, PAYLOADS]);
  await sql.query(
    `update fan_out_chunk set handed = 1, lease_until = now() - interval '1 hour' where state = 'CLAIMED'`,
  );
  const asOf = await databaseTime(sql);
  expect(await openedBy((own) => takeOver(own, at, { asOf, but: [] }))).toEqual([OUTCOMES]);
  const [ended] = await sql.query(`select count(*)::int as firings from firing where state = 'FINISHED'`);
  expect(ended).toEqual({ firings: 4 });
  // A page of one, then whole ones together.
  expect(await openedBy((own) => sumOutcomes(own, 0))).toEqual([OUTCOMES]);
  expect(await openedBy((own) => sumOutcomes(own))).toEqual([OUTCOMES]);
  expect(await openedBy((own) => own.query('select delete_outcomes($1, 10)', [[firingId]]))).toEqual([
    OUTCOMES,
    PAYLOADS,
  ]);
});

it('writes nothing of a day that nobody has made: what cannot be recorded is not begun', async () => {
  const [far] = await sql.query<{ id: string }>(`select next_firing('2040-01-01T00:00:00Z')::text as id`);
  const variant = {
    firingId: far?.id ?? '',
    deviceType: 'GCM',
    language: 'ko',
    headers: {},
    body: '{}',
  } as const;
  await expect(keepVariants(sql, [variant])).rejects.toThrow('no partition of relation "payload"');
});

it('makes the days that a set clock leads into before it goes there', async () => {
  const stage = await openStage();
  try {
    const client = await stage.project();
    await client.register();
    // Behind all days that there are, and the last second of one.
    await stage.freeze('2041-05-05T23:59:59Z');
    const id = await send(client, message());
    expect(await finalResult(client, id)).toMatchObject({ messageStatusName: 'success', sentCount: 1 });
    await stage.thaw();
  } finally {
    await stage.close();
  }
});

it('sets no clock back to a day that is being taken off: it waits, and makes it anew', async () => {
  const stage = await openStage();
  const database = pushDataSource(new Secret(stage.target.databaseUrl ?? ''), 2);
  const holder = await OwnConnection.beside(database);
  try {
    const client = await stage.project();
    await client.register();
    await holder.query('begin');
    // Who detaches waits for it, and nobody else.
    await holder.query('lock table delivery in share update exclusive mode');
    const ahead = '2036-01-01T00:00:00.000Z';
    await stage.freeze(ahead);
    await untilLockAwaited((text) => database.query(text), { like: 'alter table delivery detach%' });
    const back = stage.freeze('2020-01-01T12:00:00Z');
    await throughout(300, async () =>
      expect((await stage.management.ask('GET', '/v1/sandbox/clock')).field('now')).toBe(ahead),
    );
    await holder.query('commit');
    await back;
    expect(await finalResult(client, await send(client, message()))).toMatchObject({ sentCount: 1 });
  } finally {
    await holder.release();
    await database.destroy();
    await stage.close();
  }
});

it('is not ready with fewer than two days ahead, and says so', async () => {
  const stage = await openStage();
  const database = pushDataSource(new Secret(stage.target.databaseUrl ?? ''), 1);
  await database.initialize();
  const ready = (): Promise<Answer> => stage.management.call('GET', '/health/ready');
  try {
    await eventually(async () => (await ready()).status === 200);
    await dropDays(database, 'payload');
    await eventually(async () => (await ready()).status === 503);
    expect((await ready()).text).toContain('not even today has its partitions');
    await stage.management.setClock({ mode: 'real' });
    await eventually(async () => (await ready()).status === 200);
  } finally {
    await database.destroy();
    await stage.close();
  }
});
