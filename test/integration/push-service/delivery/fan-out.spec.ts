// The fan-out at scale, with real processes and a real database: whatever dies, every device is handed over once; memory
// does not grow with the audience; messages and replicas share the work.
import { afterEach, describe, expect, it } from 'vitest';
import { Client as Postgres } from 'pg';
import { eventually } from '../../../support/eventually.js';
import { cloneDatabase, type TestDatabase } from '../../../support/postgres/database.js';
import { testLength } from '../../../support/lengths.js';
import { Management, type Client } from '../../../contract/push-service/support/client.js';
import {
  query,
  seedUsers,
  startReplica,
  type Replica,
} from '../../../contract/push-service/support/replica.js';
import { message, send } from '../../../contract/push-service/support/stage.js';

const DEVICES = testLength('FAN_OUT_DEVICES', { normal: 40_000, long: 1_000_000 });
const KILLS = testLength('FAN_OUT_KILLS', { normal: 3, long: 10 });
const PATIENCE = { withinMs: testLength('FAN_OUT_MS', { normal: 100_000, long: 1_800_000 }), everyMs: 5 };

let database: TestDatabase | undefined;
const running: Replica[] = [];

async function replica(env?: Readonly<Record<string, string>>): Promise<Replica> {
  database ??= await cloneDatabase();
  const started = await startReplica(database.url, { PUSH_LEASE_MS: '1000', ...env });
  running.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
  await database?.drop();
  database = undefined;
});

async function rowOf<Row>(text: string, parameters: unknown[] = []): Promise<Row> {
  const [row] = await query<Row>(database?.url ?? '', text, parameters);
  if (row === undefined) throw new Error(`no row: ${text}`);
  return row;
}

/** Straight from the tables: the process that would answer may be dead. */
async function sentOf(requestId: string): Promise<{ state: string; sent: number }> {
  return rowOf('select state, sent_count::int as sent from message where id = $1', [requestId]);
}

interface Tally {
  readonly rows: number;
  readonly devices: number;
  readonly repeated: number;
  readonly chunks: number;
}

async function tally(): Promise<Tally> {
  return rowOf(`select (select count(*)::int from delivery) as rows,
    (select count(distinct device_id)::int from delivery) as devices,
    (select coalesce(sum(repeated_count), 0)::int from firing) as repeated,
    (select count(*)::int from fan_out_chunk) as chunks`);
}

/** `slow`: a slow device in every chunk, so that the provider, not the machine, sets the pace. */
async function crowd(first: Replica, devices: number, { slow = false } = {}): Promise<Client> {
  const client = await new Management(first).newService();
  await seedUsers(database?.url ?? '', client.serviceId, devices, slow);
  return client;
}

/** Until the function that it returns is called, workers that claim a chunk wait: who is served first is theirs alone to choose. */
async function holdClaims(): Promise<() => Promise<void>> {
  const gate = new Postgres({ connectionString: database?.url, options: '-c search_path=push' });
  await gate.connect();
  await gate.query(`create function spec_gate() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(42); return null; end $$`);
  await gate.query(
    'create trigger spec_gate before update on fan_out_chunk for each statement execute function spec_gate()',
  );
  await gate.query('select pg_advisory_lock(42)');
  return () => gate.end();
}

/** Once all are laid down. */
async function laidDown(chunks: number): Promise<void> {
  await eventually(async () => (await tally()).chunks === chunks, PATIENCE);
}

describe('fan-out', () => {
  it(
    `hands ${DEVICES} devices over once each in bounded memory, its process killed ${KILLS} times on the way`,
    async () => {
      let current = await replica();
      const client = await crowd(current, DEVICES);
      const requestId = await send(client, message());
      let grown = 0;
      const watch = (before: number): void => {
        grown = Math.max(grown, current.residentMb() - before);
      };
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const before = current.residentMb();
        const { sent } = await sentOf(requestId);
        await eventually(async () => {
          watch(before);
          const now = await sentOf(requestId);
          return now.sent > sent || now.state === 'FINISHED';
        }, PATIENCE);
        await current.kill();
        current = await replica();
      }
      // It was killed while there was work left, or the kills would prove nothing.
      expect((await sentOf(requestId)).sent).toBeLessThan(DEVICES);
      const before = current.residentMb();
      await eventually(async () => {
        watch(before);
        return (await sentOf(requestId)).state === 'FINISHED';
      }, PATIENCE);
      expect(await sentOf(requestId)).toEqual({ state: 'FINISHED', sent: DEVICES });
      const { repeated, ...rest } = await tally();
      expect(rest).toEqual({ rows: DEVICES, devices: DEVICES, chunks: 0 });
      // Those of the chunks that its workers had when it died, four each time.
      expect(repeated).toBeLessThanOrEqual(KILLS * 4 * 1_000);
      expect(grown).toBeLessThan(150);
    },
    PATIENCE.withinMs * 2,
  );

  it('leaves nothing of an expansion that was killed half-way, and the next process expands it once', async () => {
    const first = await replica();
    const client = await crowd(first, 5_000);
    const gate = new Postgres({ connectionString: database?.url, options: '-c search_path=push' });
    await gate.connect();
    // Laying chunks down waits for this lock: the process dies inside its transaction.
    await gate.query('begin; lock table fan_out_chunk in share row exclusive mode');
    const requestId = await send(client, message());
    await eventually(async () => {
      const { waiting } = await rowOf<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like 'with page as materialized%'`,
      );
      return waiting > 0;
    }, PATIENCE);
    expect(await sentOf(requestId)).toEqual({ state: 'PROCESSING', sent: 0 });
    await first.kill();
    await gate.query('ROLLBACK');
    await gate.end();
    await eventually(async () => {
      const { left } = await rowOf<{ left: number }>(
        `select count(*)::int as left from pg_stat_activity
         where datname = current_database() and application_name like 'carillon push %'`,
      );
      return left === 0;
    }, PATIENCE);
    expect(await tally()).toEqual({ rows: 0, devices: 0, repeated: 0, chunks: 0 });
    expect(await rowOf('select state, chunks_left from firing')).toEqual({ state: 'READY', chunks_left: 0 });

    await replica();
    await eventually(async () => (await sentOf(requestId)).state === 'FINISHED', PATIENCE);
    expect(await tally()).toEqual({ rows: 5_000, devices: 5_000, repeated: 0, chunks: 0 });
  });

  it('leaves a reservation that was PROCESSING when its process died to the next: expanded once', async () => {
    const first = await replica();
    const management = new Management(first);
    const client = await crowd(first, 60_000);
    // Minutes ahead, then the clock: the process dies as soon as the claim shows.
    const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60_000);
    const reserveTime = at.toISOString().slice(0, 16).replace('T', ' ');
    const reserveId = await send(client, message({ reserveTime, reserveTimeZone: 'UTC' }));
    const path = `reservations/${reserveId}/reserve-status`;
    expect((await client.get(path)).field('reserveStatus')).toBe('READY');
    await management.setClock({ mode: 'ahead', ms: at.getTime() - Date.now() });
    await eventually(async () => (await sentOf(reserveId)).state !== 'READY', { ...PATIENCE, everyMs: 1 });
    await first.kill();

    const second = await replica();
    const heir = Object.assign(client, { target: second });
    await new Management(second).setClock({ mode: 'ahead', ms: at.getTime() - Date.now() });
    heir.now = () => at.getTime();
    await eventually(async () => (await sentOf(reserveId)).state === 'FINISHED', PATIENCE);
    expect((await heir.get(path)).field('reserveStatus')).toBe('DONE');
    expect(await tally()).toEqual({ rows: 60_000, devices: 60_000, repeated: 0, chunks: 0 });
  });

  it('lets a small message pass a big one, by one worker alone as well', async () => {
    const only = await replica({ PUSH_DELIVERY_WORKERS: '1' });
    const client = await crowd(only, 6_000, { slow: true });
    const release = await holdClaims();
    const big = await send(client, message());
    await laidDown(6);
    const small = await send(client, message({ target: { type: 'USER', to: ['user-1'] } }));
    await laidDown(7);
    await release();
    for (const id of [small, big])
      await eventually(async () => (await sentOf(id)).state === 'FINISHED', PATIENCE);
    const { passed } = await rowOf<{ passed: boolean }>(
      'select s.complete_at < b.complete_at as passed from message s, message b where s.id = $1 and b.id = $2',
      [small, big],
    );
    expect(passed).toBe(true);
    expect(await tally()).toMatchObject({ rows: 6_001, devices: 6_000, chunks: 0 });
  });

  it('lets messages of a size go on side by side, and two replicas work on them', async () => {
    // Two workers each: one takes the oldest message, one whichever has had least.
    const first = await replica({ PUSH_DELIVERY_WORKERS: '2' });
    await replica({ PUSH_DELIVERY_WORKERS: '2' });
    const client = await crowd(first, 8_000, { slow: true });
    const release = await holdClaims();
    const ids = [await send(client, message()), await send(client, message()), await send(client, message())];
    await laidDown(24);
    await release();
    const workers = new Set<string>();
    const done = await eventually(async () => {
      const claims = await query<{ worker: string }>(
        database?.url ?? '',
        `select distinct claimed_by as worker from fan_out_chunk where state = 'CLAIMED'`,
      );
      for (const { worker } of claims) workers.add(worker);
      const all = await Promise.all(ids.map(sentOf));
      return all.some(({ state }) => state === 'FINISHED') && all;
    }, PATIENCE);
    // When the first has ended, none of the others has been kept waiting.
    expect(Math.min(...done.map(({ sent }) => sent))).toBeGreaterThanOrEqual(1_000);
    expect(workers.size).toBe(2);
    await eventually(async () => {
      const all = await Promise.all(ids.map(sentOf));
      return all.every(({ state, sent }) => state === 'FINISHED' && sent === 8_000);
    }, PATIENCE);
    expect(await tally()).toEqual({ rows: 24_000, devices: 8_000, repeated: 0, chunks: 0 });
  });
});
