// Each kind of work has connections of its own: what fills one keeps no other waiting, and no request holds one for long.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { lockWaiters, untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { Gateway } from '../../support/scheduler/gateway.js';
import { SERVICE, World } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let scheduler: TestScheduler;
let authorization: string;
let ofService: string;
beforeAll(async () => {
  world = await World.open();
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url });
  scheduler = await startScheduler(
    schedulerConfig(world.url, { CARILLON_MASTER_KEY: world.masterKey, DATABASE_POOL_SIZE: '2' }),
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  authorization = await scheduler.bearer(['admin', 'analyst', 'operator']);
  ofService = await scheduler.bearer(['admin', 'analyst', 'operator'], [SERVICE]);
});
afterAll(async () => {
  await scheduler.close();
  await gateway.close();
  await world.close();
});

it('requests and reports that wait for a lock stop no send, and are ended', async () => {
  const other = await OwnConnection.beside(world.dataSource);
  await other.query('begin');
  await other.query('lock table audit, campaign_history, rejection in access exclusive mode');
  const rows = (sql: string): Promise<unknown[]> => world.dataSource.query(sql);
  const ask = (count: number, path: string, by = authorization) =>
    Array.from({ length: count }, () => scheduler.call('GET', path, { authorization: by }));
  // Of one owner one is read at a time.
  const lists = [...ask(2, '/v1/audit'), ...ask(2, '/v1/audit', ofService)];
  await untilLockAwaited(rows, { atLeast: 2, like: '%audit%', by: 'carillon% api' });
  const single = ask(8, '/v1/rejections/0197a5f0-3c00-7000-8000-000000000001');
  // Of the same one is read at a time.
  const ledgers = [...ask(2, '/v1/ledger'), ...ask(2, `/v1/ledger?serviceId=${SERVICE}`, ofService)];
  await untilLockAwaited(rows, { atLeast: 5, by: 'carillon% api' });
  // Lists are read two at a time where there is due work; what is asked for by its id has the other connections.
  expect(await lockWaiters(rows, { like: '%audit%', by: 'carillon% api' })).toBe(2);
  await untilLockAwaited(rows, { atLeast: 2, by: 'carillon% reports' });
  const send = await world.send({ dueAt: Date.now() });
  await eventually(async () => expect(await world.read(send)).toMatchObject({ state: 'accepted' }));
  const [first] = await Promise.all([...lists, ...single]);
  expect(first).toMatchObject({ status: 503, body: { code: 'TOO_SLOW' } });
  expect(first?.headers.get('retry-after')).toBe('5');
  await other.release();
  const codes = (await Promise.all(ledgers)).map(({ status }) => status);
  expect(codes.every((code) => code === 200 || code === 503)).toBe(true);
});
