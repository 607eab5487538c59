// Two replicas on one database, and the database away from both: what one has changed or is doing the other knows, and
// 503 and 504 of push-interface.md §7 are answered by a real outage.
import { Client as Postgres } from 'pg';
import { v4 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock, type Clock } from '../../../src/platform/clock.js';
import { newMasterKey } from '../../../src/platform/secrets/sealed.js';
import { furnish, RIGHT } from '../../contract/push-service/support/calls.js';
import { Client, Management } from '../../contract/push-service/support/client.js';
import { INTERFACE } from '../../contract/push-service/support/interface.js';
import { message, refusal } from '../../contract/push-service/support/stage.js';
import { startOwn, type Target } from '../../contract/push-service/support/target.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually, eventuallyFound } from '../../support/eventually.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';

const HASTY_MS = 300;
const CACHE_MS = 5_000;

let database: TestDatabase;
let proxy: TcpProxy;
/** Beside the services: holds locks; and looks at who waits for them, which inside a transaction would not change. */
let beside: Postgres;
let watcher: Postgres;
/** `patient` waits as long as the interface says; `hasty` gives up early, and its cache's time stands still. */
let patient: Target;
let hasty: Target;
let elapsed = 0;

beforeAll(async () => {
  database = await cloneDatabase();
  proxy = await TcpProxy.inFrontOf(database.url);
  const own = { connectionString: database.url, options: '-c search_path=push' };
  beside = new Postgres(own);
  watcher = new Postgres(own);
  await Promise.all([beside.connect(), watcher.connect()]);
  const env = { DATABASE_URL: proxy.through(database.url), CARILLON_MASTER_KEY: newMasterKey('spec') };
  patient = await startOwn(env);
  const machine = new SystemClock();
  const clock: Clock = { now: () => machine.now(), elapsed: () => elapsed, at: machine.at.bind(machine) };
  hasty = await startOwn(
    { ...env, PUSH_ACCEPT_TIMEOUT_MS: String(HASTY_MS), PUSH_KEY_CACHE_MS: String(CACHE_MS) },
    clock,
  );
});

afterAll(async () => {
  await Promise.all([beside.end(), watcher.end()]);
  await proxy.open().catch(() => undefined);
  await patient.close();
  await hasty.close();
  await proxy.close();
  await database.drop();
});

/** Inserts that wait for the table's lock; the loops, which wait as well, do not count. */
async function waiting(table: string): Promise<number> {
  const { rows } = await watcher.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_locks join pg_stat_activity using (pid)
     where datname = current_database() and not granted and relation = $1::regclass and query ~ ('insert into ' || $1 || '\\M')`,
    [table],
  );
  return rows[0]?.waiting ?? 0;
}

/** The same project as the other replica's client sees it. */
function at(target: Target, project: Client): Client {
  return new Client(target, project.serviceId, project.keys);
}

describe('a key changed at one replica', () => {
  let project: Client & { accountId: string };
  const ask = async (): Promise<number> => (await at(hasty, project).get('channels')).status;

  beforeEach(async () => {
    project = await new Management(patient).newService();
    await eventually(async () => (await ask()) === 200);
  });

  it('is refused by the other at once: its cache, whose time stands still, is notified', async () => {
    const { accessKey } = project.keys;
    for (const enabled of [false, true]) {
      await new Management(patient).ask('PATCH', `/v1/access-keys/${accessKey}`, { enabled });
      await eventually(async () => expect(await ask()).toBe(enabled ? 200 : 401));
    }
    await new Management(patient).ask('DELETE', `/v1/access-keys/${accessKey}`);
    await eventually(async () => expect(await ask()).toBe(401));
  });

  it('is refused when the period is over, if the notification was lost', async () => {
    await beside.query('update access_key set enabled = false where access_key = $1', [
      project.keys.accessKey,
    ]);
    elapsed += CACHE_MS;
    expect(await ask()).toBe(401);
  });
});

describe('idempotency-key while the first request is being taken', () => {
  let project: Client;
  const post = (target: Target, key: string, body = message()) =>
    at(target, project).post('messages', body, { headers: { 'idempotency-key': key } });
  const taken = async (): Promise<number> =>
    (
      await new Management(patient).ask(
        'GET',
        `/v1/sandbox/services/${encodeURIComponent(project.serviceId)}/messages`,
      )
    ).list().length;

  beforeEach(async () => {
    project = await new Management(patient).newService();
    // Both replicas know the key: the lock is met by the insert alone.
    for (const target of [patient, hasty]) await at(target, project).get('channels');
    // Reads pass, writes wait: a request that is being taken for as long as we like.
    await beside.query('begin; lock table message in share mode');
  });
  afterEach(() => beside.query('ROLLBACK'));

  it('the second waits for the first’s answer, and gets it', async () => {
    const key = v4();
    const first = post(patient, key);
    await eventually(async () => (await waiting('message')) === 1);
    // Come together, they would be one statement.
    const second = post(patient, key);
    await eventually(async () => (await waiting('message')) === 2);
    await beside.query('ROLLBACK');
    const answers = await Promise.all([first, second]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(await taken()).toBe(1);
  });

  it('the second is answered 504/510 once its time is up; asked again later, it gets the first answer', async () => {
    const key = v4();
    const first = post(patient, key);
    await eventually(async () => (await waiting('message')) === 1);
    const began = performance.now();
    const second = await post(hasty, key);
    expect(refusal(second)).toEqual([504, '510', 'Endpoint Timeout']);
    expect(performance.now() - began).toBeGreaterThanOrEqual(HASTY_MS);
    await beside.query('ROLLBACK');
    const answer = await first;
    expect(answer.status).toBe(202);
    // As often as a busy machine takes longer than the hasty one waits.
    await eventually(async () => expect((await post(hasty, key)).text).toBe(answer.text));
    // What was given up may have been taken by the database after all, and was then found to be the same.
    await eventually(async () => (await waiting('message')) === 0);
    expect(await taken()).toBe(1);
  });
});

describe('§3 PROCESSING', () => {
  it('is what a reservation is while its targets are found: it cannot be cancelled any more, and becomes DONE', async () => {
    const project = await new Management(patient).newService();
    await project.register({ userId: 'u' });
    await beside.query('begin; lock table device in access exclusive mode');
    try {
      // Of this very minute: it is due at once. Refused where the minute ends before it comes.
      const sent = await eventually(async () => {
        const minute = new Date(Date.now() + 9 * 3_600_000).toISOString();
        const reserveTime = minute.slice(0, 16).replace('T', ' ');
        const answer = await project.post('messages', message({ reserveTime }));
        return answer.status === 202 && answer;
      });
      const path = `reservations/${sent.field('requestId')}`;
      const status = async (): Promise<string> =>
        (await project.get(`${path}/reserve-status`)).field('reserveStatus');
      await eventually(async () => expect(await status()).toBe('PROCESSING'));
      expect(refusal(await project.delete(path))).toEqual([
        400,
        '100',
        'reserveId: the reservation is PROCESSING and cannot be cancelled',
      ]);
      await beside.query('ROLLBACK');
      await eventually(async () => expect(await status()).toBe('DONE'));
    } finally {
      await beside.query('ROLLBACK');
    }
  });
});

describe('§3 FAIL', () => {
  it('is what a reservation becomes whose firing breaks again and again; nothing is sent', async () => {
    const management = new Management(patient);
    const project = await management.newService();
    await project.register({ userId: 'u' });
    const sent = await project.post('messages', message({ reserveTime: '2099-01-01 10:00' }));
    const id = sent.field('requestId');
    // A target that no version of ours ever took: no statement can be made of it.
    await beside.query(
      `update message set request = replace(request, '"ALL"', '"NONE"'), fire_at = now() where id = $1`,
      [id],
    );
    await eventually(
      async () =>
        expect((await project.get(`reservations/${id}/reserve-status`)).json()).toMatchObject({
          reserveStatus: 'FAIL',
        }),
      { withinMs: 30_000 },
    );
    expect((await project.get(`messages/${id}`)).json()).toMatchObject({
      messageStatusCode: '500',
      messageStatusName: 'fail',
      sentCount: 0,
    });
    expect(await management.deliveries(id)).toEqual([]);
    expect(refusal(await project.delete(`reservations/${id}`)).slice(0, 2)).toEqual([400, '100']);
  });
});

describe('the database away', () => {
  it('answers 504/510 to what was on its way, then 503/500 with Retry-After to everything, and goes on when it is back', async () => {
    const management = new Management(patient);
    const furnished = await furnish(await management.newService());
    const { client } = furnished;
    const neverSeen = await management.newService();
    await beside.query('begin; lock table channel in share mode');
    const onItsWay = client.post('channels', { channelName: 'on its way' });
    await eventually(async () => (await waiting('channel')) === 1);
    await proxy.close();
    expect(refusal(await onItsWay)).toEqual([504, '510', 'Endpoint Timeout']);

    for (const { name } of INTERFACE) {
      const answer = await RIGHT[name]?.(furnished);
      if (answer === undefined) throw new Error(`no call of ${name}`);
      expect([name, ...refusal(answer)]).toEqual([name, 503, '500', 'Endpoint Error']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    // Whose key nobody remembers, is answered the same, and not 401.
    expect(refusal(await neverSeen.get('channels')).slice(0, 2)).toEqual([503, '500']);
    const ready = await management.call('GET', '/health/ready');
    expect(ready.status).toBe(503);

    await beside.query('ROLLBACK');
    await proxy.open();
    await eventually(async () => (await client.get('channels')).status === 200);
    expect((await neverSeen.get('channels')).status).toBe(200);
    // 503 of POST messages: nothing was accepted.
    const { rows } = await beside.query<{ count: number }>(
      'select count(*)::int as count from message where service_id = $1',
      [client.serviceId],
    );
    expect(rows[0]?.count).toBe(3);
    const sent = await client.post('messages', message({ target: { type: 'USER', to: ['u'] } }));
    const requestId = sent.field('requestId');
    const result = await eventuallyFound(async () => {
      const answer = (await client.get(`messages/${requestId}`)).json();
      return answer['messageStatusName'] === 'processing' ? undefined : answer;
    });
    expect(result).toMatchObject({ messageStatusCode: '200', sentCount: 1 });
  });
});
