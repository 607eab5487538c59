// The dispatcher when a statement took effect and the database's answer is lost. Counted at the gateway, which knows no
// Idempotency-Key: each send is requested once, and none is left uncertain.
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../../src/platform/clock.js';
import { createDataSource } from '../../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import { askAct } from '../../../../src/scheduler/store/send/act.store.js';
import { startProjects, stopProjects } from '../../../../src/scheduler/admin/projects/project-write.store.js';
import { fireSends } from '../../../../src/scheduler/store/send/fire.store.js';
import { AnswerLosingProxy, type Fate } from '../../../support/postgres/answer-losing-proxy.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import { eventually } from '../../../support/eventually.js';
import { randomOf } from '../../../support/seeded.js';
import { sendStatementOf, type SendStatement } from '../../../support/postgres/send-statements.js';
import { Gateway } from '../../../support/scheduler/gateway.js';
import { recoveryOf } from '../../../support/scheduler/recovery.js';
import { rigOf, type Limits, type Rig } from '../../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let proxy: AnswerLosingProxy<SendStatement>;
let sql: PooledDatabase;
let rig: Rig;
let fateOf: (name: SendStatement) => Fate;

beforeAll(async () => {
  world = await World.open();
  await world.dataSource.query(`
create function spec_hold() returns trigger language plpgsql as $$
begin
  if new.state = 'sending' then perform pg_advisory_xact_lock_shared(7); end if;
  return new;
end $$;
create trigger spec_hold before update on send for each row execute function spec_hold();`);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.skewMs = START - Date.now();
  await world.project({ base_url: gateway.url });
  fateOf = () => undefined;
  proxy = await AnswerLosingProxy.inFrontOf(world.url, {
    nameOf: sendStatementOf,
    fateOf: (name) => fateOf(name),
  });
  sql = createDataSource({
    url: proxy.url,
    schema: 'scheduler',
    migrations: [],
    poolSize: 4,
    applicationName: 'spec',
  });
  await sql.initialize();
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
  await sql.destroy();
  await proxy.close();
});

function start(limits: Limits = {}): void {
  rig = rigOf(world, new SteppedClock(START), { sql, ...limits });
}

async function sendsOf(count: number): Promise<string[]> {
  const campaign = await world.campaign();
  return Promise.all(
    Array.from({ length: count }, (_, chunk) =>
      world.send({ campaign, chunk, recipients: [`user-${chunk}`] }),
    ),
  );
}

/** Makes rounds until this process holds no send. */
async function dispatchAll(): Promise<void> {
  await eventually(async () => {
    await rig.dispatch.runOnce().catch(() => undefined);
    const rows = await world.dataSource.query(
      `select state, code from send where state not in ('accepted', 'uncertain', 'expired')`,
    );
    expect(rows).toEqual([]);
  });
}

async function expectEachOnce(sends: readonly string[]): Promise<void> {
  const asked = new Map<string, string[]>();
  for (const { body, requestId } of gateway.posts) {
    const [user = ''] = (JSON.parse(body) as { target: { to: string[] } }).target.to;
    asked.set(user, [...(asked.get(user) ?? []), requestId]);
  }
  const found = await world.dataSource.query<{ id: string; state: string; request_id: string }>(
    'select id, state, request_id from send',
  );
  const rows = found
    .map((row) => ({ ...row, user: world.usersOf.get(row.id)?.[0] }))
    .flatMap(({ user, ...row }) => (user === undefined ? [] : [{ ...row, user }]));
  expect(rows).toHaveLength(sends.length);
  const wrong = rows.filter(
    ({ user, state, request_id }) => state !== 'accepted' || asked.get(user)?.join() !== request_id,
  );
  expect(wrong).toEqual([]);
}

/** Each attempt has its row, and one without a call says so. */
async function expectAttemptsTold(): Promise<void> {
  const rows = await world.dataSource.query(
    `select s.id, s.attempts, (select array_agg(a.outcome order by a.attempt) from send_attempt a where a.send = s.id) as outcomes
       from send s
      where s.attempts <> (select count(*) from send_attempt a where a.send = s.id)
         or exists (select from send_attempt a where a.send = s.id and (a.ended_at is null
                      or (a.outcome = 'taken') <> (a.attempt = s.attempts) or a.request_sent <> (a.outcome = 'taken')))`,
  );
  expect(rows).toEqual([]);
}

const lostNow = (name: SendStatement): number => proxy.lost.get(name) ?? 0;

describe('a send whose fire was committed while the answer was lost', () => {
  it('leaves once, with 30 % of the answers of fire lost', async () => {
    const random = randomOf(20_270_301);
    fateOf = (name) => (name === 'fire' && random() < 0.3 ? 'lost' : undefined);
    const sends = await sendsOf(100);
    start({ batch: 10 });
    await dispatchAll();
    expect(lostNow('fire')).toBeGreaterThan(2);
    await expectEachOnce(sends);
    await expectAttemptsTold();
  });

  it('leaves once, if the database gets the fire only after it was asked about it', async () => {
    fateOf = (name) => (name === 'fire' && lostNow('fire') === 0 ? 'late' : undefined);
    const sends = await sendsOf(3);
    start();
    await dispatchAll();
    await proxy.release();
    expect(lostNow('fire')).toBe(1);
    await expectEachOnce(sends);
    await expectAttemptsTold();
  });

  it('leaves once, if the fire has not committed when the database is asked about it', async () => {
    const holder = await OwnConnection.beside(world.dataSource);
    await holder.query('select pg_advisory_lock(7)');
    const sends = await sendsOf(3);
    start();
    await rig.dispatch.runOnce();
    const waiting = (lock: string) =>
      eventually(async () => {
        const rows = await world.dataSource.query(
          `select from pg_locks where not granted and locktype = $1 and pid in (select pid from pg_stat_activity
            where datname = current_database() and application_name = 'spec')`,
          [lock],
        );
        return rows.length > 0;
      });
    await waiting('advisory');
    proxy.cut();
    // It was asked about, is still planned for everybody else, and is fired again, which waits for the first fire.
    await waiting('transactionid');
    await holder.query('select pg_advisory_unlock(7)');
    await holder.release();
    await dispatchAll();
    await expectEachOnce(sends);
    await expectAttemptsTold();
    expect(await world.path(sends[0] ?? '')).toEqual([
      'planned>sending',
      'sending>planned',
      'planned>sending',
      'sending>accepted',
    ]);
  });

  it('leaves once, if others took its replica for dead before the database was back', async () => {
    fateOf = (name) =>
      name === 'fire' && lostNow('fire') === 0 ? 'lost' : name === 'ask' ? isBack : undefined;
    let isBack: Fate = 'lost';
    const sends = await sendsOf(3);
    const replica = v7();
    start({ replica });
    await rig.dispatch.runOnce();
    await eventually(() => lostNow('ask') > 0);
    await recoveryOf(world.dataSource, new SteppedClock(START)).runOnce();
    expect((await world.read(sends[0] ?? '')).state).toBe('uncertain');
    isBack = undefined;
    await eventually(async () => expect((await world.read(sends[0] ?? '')).state).toBe('planned'));
    await dispatchAll();
    await expectEachOnce(sends);
  });

  it.each(['while it goes on', 'as it ends'])(
    'never left, where the database is given the fire only after its send was given up: put back %s',
    async (when) => {
      const sends = await sendsOf(3);
      let isBack: Fate = 'lost';
      fateOf = (name) =>
        name === 'fire' && lostNow('fire') === 0 ? 'late' : name === 'ask' ? isBack : undefined;
      start();
      await rig.dispatch.runOnce();
      await eventually(() => lostNow('ask') > 0);
      // The project is stopped: a send that is asked about may not be fired again.
      await stopProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now: new Date(START) });
      isBack = undefined;
      await eventually(() => expect(rig.dispatch.queues()).toMatchObject([{ inFlight: 0, queued: 0 }]));
      await startProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now: new Date(START) });
      await proxy.release();
      expect((await world.read(sends[0] ?? '')).state).toBe('sending');
      if (when === 'as it ends') {
        await rig.dispatch.stop();
        await eventually(async () => (await world.read(sends[0] ?? '')).state === 'planned');
        await rig.stop();
        start();
      }
      await dispatchAll();
      await expectEachOnce(sends);
      await expectAttemptsTold();
    },
  );

  it('is canceled if a cancel came before it was known to be fired', async () => {
    fateOf = (name) =>
      name === 'fire' && lostNow('fire') === 0 ? 'lost' : name === 'ask' ? isBack : undefined;
    let isBack: Fate = 'lost';
    const [send = ''] = await sendsOf(1);
    start();
    await rig.dispatch.runOnce();
    await eventually(() => lostNow('ask') > 0);
    const { campaign } = await world.read(send);
    await world.dataSource.transaction((own) =>
      askAct(own, {
        act: 'cancel',
        campaign,
        now: new Date(START),
        by: 'spec',
        code: 'CANCELED_BY_OPERATOR',
      }),
    );
    isBack = undefined;
    await eventually(async () => {
      await world.takeBack();
      expect((await world.read(send)).state).toBe('canceled');
    });
    expect(gateway.posts).toEqual([]);
  });
});

describe('two replicas that look ahead to one send', () => {
  it('are distinguished by the fire: one has the attempt, the other nothing', async () => {
    const [id = ''] = await sendsOf(1);
    start();
    const order = {
      id,
      revision: 1,
      mode: 'immediate',
      modeRule: 'DUE_NOW',
      dueAt: START,
      at: START,
    } as const;
    const replicas = [v7(), v7()];
    const fired = await Promise.all(
      replicas.map((replica) =>
        fireSends(sql, [{ ...order, attempts: 0 }], { now: START, by: 'spec', replica }),
      ),
    );
    expect(fired.flat()).toMatchObject([{ id, attempt: 1 }]);
    const winner = replicas[fired.findIndex(({ length }) => length === 1)];
    expect(await world.read(id)).toMatchObject({ fired_by: winner, attempts: 1 });
  });
});

describe.each(['look-ahead', 'put-back', 'record'] as const)(
  'a send whose %s was committed while the answer was lost',
  (name) => {
    it('leaves once, or ends as it was to', async () => {
      const random = randomOf(20_270_302);
      fateOf = (one) => (one === name && random() < 0.5 ? 'lost' : undefined);
      const sends = await sendsOf(40);
      const late = await Promise.all([1, 2, 3].map(() => world.send({ dueAt: START - 86_400_000 })));
      start({ batch: 10 });
      await dispatchAll();
      expect(lostNow(name)).toBeGreaterThan(0);
      for (const send of late)
        expect(await world.read(send)).toMatchObject({ state: 'expired', attempts: 0 });
      await expectEachOnce(sends);
      await expectAttemptsTold();
    });
  },
);
