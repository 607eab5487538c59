// What holds a project's calls back, over two replicas: a stop, the shared rate under 429s, faults of one process; and that the API, the
// metrics and the log show all of it.
import { Writable } from 'node:stream';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock, SystemClock, type Clock } from '../../../src/platform/clock.js';
import { Secret } from '../../../src/platform/env.js';
import { createLog } from '../../../src/platform/logging/log.js';
import { Loops } from '../../../src/platform/loops/loops.js';
import { newMasterKey, Sealer } from '../../../src/platform/secrets/sealed.js';
import { projectMetrics } from '../../../src/scheduler/admin/projects/metrics.js';
import { dispatchMetrics } from '../../../src/scheduler/dispatch/metrics.js';
import { readPlanned } from '../../../src/scheduler/store/send/read-work.store.js';
import {
  startProjects,
  stopProjects,
  viewProject,
} from '../../../src/scheduler/admin/projects/project-write.store.js';
import { SECRET } from '../../../src/scheduler/store/project.store.js';
import { eventually } from '../../support/eventually.js';
import {
  ACCESS_KEY,
  failure,
  Gateway,
  SECRET_KEY,
  take,
  type Answer,
} from '../../support/scheduler/gateway.js';
import { roundOf } from '../../support/scheduler/read-ask.js';
import { rigOf, type Limits, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const AN_INSTANT = expect.stringMatching(/^\d{4}-.*Z$/) as string;
let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rigs: Rig[];
let lines: { level: number; msg: string; code?: string }[];

beforeAll(async () => {
  world = await World.open();
  // Only xmin shows which sends one transaction fired.
  await world.dataSource.query(
    `create table public.spec_fired (send uuid);
     create function public.spec_fired() returns trigger language plpgsql as $$
     begin insert into public.spec_fired values (new.id); return null; end $$;
     create trigger spec_fired after update on send for each row
       when (new.state = 'sending' and old.state <> 'sending') execute function public.spec_fired()`,
  );
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.dataSource.query('truncate public.spec_fired');
  gateway = await Gateway.open();
  clock = new SteppedClock(START);
  gateway.skewMs = START - Date.now();
  rigs = [];
  lines = [];
});
afterEach(async () => {
  for (const rig of rigs) await rig.stop();
  await gateway.close();
});

const redirect: Answer = (_, response) => void response.writeHead(302, { location: '/' }).end();
const log = () =>
  createLog(
    'spec',
    'info',
    new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(JSON.parse(chunk.toString('utf8')) as (typeof lines)[number]);
        done();
      },
    }),
  );
const replica = (more: Limits = {}, at: Clock = clock): Rig => {
  const rig = rigOf(world, at, { log: log(), ...more });
  rigs.push(rig);
  return rig;
};
const logged = (text: string) => lines.filter(({ msg }) => msg.startsWith(text));
const view = async () => {
  const found = await viewProject(world.dataSource, SERVICE, new Date(clock.now()));
  if (found === undefined) throw new Error('the project is gone');
  return found;
};
const rounds = async () => {
  for (const rig of rigs) {
    rig.projects.forget();
    await rig.dispatch.runOnce();
  }
};
const metricsOf = async (rig: Rig) => {
  const registry = new Registry();
  const ofProjects = projectMetrics({ database: world.dataSource, clock });
  const ofDispatch = dispatchMetrics(() => rig.dispatch.queues());
  for (const metric of [...ofProjects, ...Object.values(ofDispatch)]) registry.registerMetric(metric);
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('carillon'));
};
/** The sends that the first transaction fired; at the gateway they may come in another order. */
const leftFirst = async (by: 'service_id' | 'campaign') =>
  Object.fromEntries(
    (
      await world.dataSource.query<{ who: string; sends: number }>(
        `select s.${by} as who, count(*)::int as sends from public.spec_fired f join send s on s.id = f.send
          where f.xmin::text::bigint = (select min(xmin::text::bigint) from public.spec_fired) group by 1`,
      )
    ).map(({ who, sends }) => [who, sends]),
  );

describe('a stop', () => {
  it('holds back sends that two replicas have looked ahead to already, until the project is started', async () => {
    await world.project({ base_url: gateway.url });
    const campaign = await world.campaign();
    const sends: string[] = [];
    for (let chunk = 0; chunk < 10; chunk += 1) {
      sends.push(await world.send({ campaign, chunk, dueAt: START + 1_500 }));
    }
    const [one, two] = [replica(), replica()];
    expect([await one.dispatch.runOnce(), await two.dispatch.runOnce()]).toEqual([10, 10]);
    await stopProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now: new Date(clock.now()) });
    clock.advance(1_500);
    await eventually(() => {
      for (const { dispatch } of rigs) expect(dispatch.queues()).toMatchObject([{ queued: 0, inFlight: 0 }]);
    });
    await rounds();
    for (const send of sends) expect((await world.read(send)).state).toBe('planned');
    expect(gateway.posts).toEqual([]);
    expect(logged('the project is blocked').length).toBe(2);
    expect(await view()).toMatchObject({ blocked: { code: 'STOPPED', until: null } });
    expect(await metricsOf(one)).not.toContain(expect.stringContaining('carillon_sends_overdue{'));
    expect(await metricsOf(one)).toContain(`carillon_project_blocked{service="${SERVICE}",code="STOPPED"} 1`);

    await startProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now: new Date(clock.now()) });
    clock.advance(2_000);
    expect(await metricsOf(one)).toEqual(
      expect.arrayContaining([
        `carillon_sends_overdue{service="${SERVICE}"} 10`,
        `carillon_sends_overdue_seconds{service="${SERVICE}"} 2`,
      ]),
    );
    await eventually(async () => {
      await rounds();
      for (const send of sends) expect((await world.read(send)).state).toBe('accepted');
    });
    expect(gateway.posts).toHaveLength(10);
    expect(logged('the project is no longer blocked').length).toBe(2);
  });
});

describe('the rate', () => {
  it('is one for two replicas, before and after a 429 halves it', async () => {
    await world.project({ base_url: gateway.url, rate_per_second: 120 });
    const real = new SystemClock();
    gateway.skewMs = 0;
    const loops = new Loops(log());
    for (const name of ['one', 'two']) {
      const rig = replica({ aheadMs: 500 }, real);
      loops.add({ name, runOnce: () => rig.dispatch.runOnce(), idleMs: 50 });
    }
    const first = await world.send({ dueAt: real.now() });
    await world.copies(first, 399);
    const began = performance.now();
    loops.start();
    const sinceLast = (begin: number) => ((gateway.posts.at(-1)?.at ?? 0) - begin) / 1_000;
    await eventually(() => gateway.posts.length === 400, { withinMs: 50_000 });
    const seconds = sinceLast(began);
    // The bucket begins with tokens for a quarter of a second. A busy machine calls less: pace.spec.ts checks the lower bound.
    expect(400).toBeLessThan((30 + 120 * seconds) * 1.1);

    const later = await world.send({ dueAt: real.now() + 3_600_000 });
    await world.copies(later, 129);
    gateway.next = [failure(429, '410', { 'retry-after': '1' })];
    const throttled = await world.send({ dueAt: real.now() });
    await eventually(() => gateway.posts.length > 400);
    const refusedAt = gateway.posts[400]?.at ?? 0;
    await eventually(async () =>
      expect(await world.path(throttled)).toEqual(expect.arrayContaining(['sending>planned'])),
    );
    const due = new Date(real.now());
    await world.dataSource.query('update send set due_at = $1, next_at = $1 where due_at > $1', [due]);
    await eventually(() => gateway.posts.length === 401 + 131, { withinMs: 50_000 });
    await loops.stop();
    // Half, and two calls a second more each second; of the second's rest a quarter second's worth is kept.
    const after = sinceLast(refusedAt);
    expect(131).toBeLessThan((60 * after + after ** 2) * 1.1);
    expect(logged('the push service throttles')).toHaveLength(1);
    const { dispatch } = await view();
    const climbed = () => Math.min(120, 62 + (2 * (performance.now() - refusedAt)) / 1_000);
    expect(dispatch.rate).toBeGreaterThan(60);
    expect(dispatch.rate).toBeLessThanOrEqual(climbed());
    expect(dispatch.slowedAt).not.toBeNull();
    const metrics = await metricsOf(rigs[0] ?? replica());
    expect(metrics).toContain(`carillon_project_rate_limit{service="${SERVICE}"} 120`);
    const shown = Number(
      metrics
        .find((line) => line.startsWith('carillon_project_rate{'))
        ?.split(' ')
        .at(-1),
    );
    expect(shown).toBeGreaterThanOrEqual(dispatch.rate);
    expect(shown).toBeLessThanOrEqual(climbed());
  });

  it('is 0 for a quota that is used up, until its window: logged once, and shown', async () => {
    await world.project({ base_url: gateway.url });
    gateway.answer = failure(429, '400', { 'retry-after': '3600' });
    const campaign = await world.campaign();
    const sends: string[] = [];
    for (let chunk = 0; chunk < 4; chunk += 1) sends.push(await world.send({ campaign, chunk }));
    replica();
    await rounds();
    // An answer that came after the hour would begin a second one.
    await eventually(async () => {
      for (const send of sends) expect((await world.read(send)).state).toBe('planned');
    });
    await eventually(async () =>
      expect((await view()).blocked).toEqual({
        since: AN_INSTANT,
        by: null,
        code: 'QUOTA_EXCEEDED',
        detail: '429/400 429/400',
        until: new Date(START + 3_600_000).toISOString(),
      }),
    );
    await rounds();
    expect(logged('the project is blocked')).toMatchObject([{ code: 'QUOTA_EXCEEDED' }]);
    gateway.answer = failure(403, '100');
    clock.advance(3_600_000);
    await rounds();
    expect(logged('the project is no longer blocked')).toMatchObject([{ code: 'QUOTA_EXCEEDED' }]);
  });
});

describe('a gateway that one replica cannot reach', () => {
  it('is a trouble of that process, in the API and the metrics, until it is reached', async () => {
    await world.project({ base_url: gateway.url });
    const { port } = gateway;
    await gateway.close();
    const campaign = await world.campaign();
    for (let chunk = 0; chunk < 5; chunk += 1) await world.send({ campaign, chunk });
    const rig = replica();
    await rounds();
    await eventually(async () =>
      expect((await view()).dispatch.troubles).toMatchObject([
        { code: 'CIRCUIT_OPEN', detail: 'ECONNREFUSED', processes: 1 },
      ]),
    );
    const metrics = await metricsOf(rig);
    expect(metrics).toContain(
      `carillon_project_trouble_processes{service="${SERVICE}",code="CIRCUIT_OPEN"} 1`,
    );
    expect(metrics).toContain(`carillon_circuit_open{service="${SERVICE}"} 1`);
    expect(logged('the push service cannot be reached')).toHaveLength(1);
    gateway = await Gateway.open(port);
    clock.advance(10_000);
    await eventually(async () => {
      await rounds();
      expect((await view()).dispatch.troubles).toEqual([]);
    });
    expect(logged('the push service can be reached again')).toHaveLength(1);
  });

  it('is no longer shown for a process that died or has ended', async () => {
    await world.project({ base_url: 'http://127.0.0.1:9' });
    const campaign = await world.campaign();
    for (let chunk = 0; chunk < 5; chunk += 1) await world.send({ campaign, chunk });
    const rig = replica();
    await rounds();
    await eventually(async () => expect((await view()).dispatch.troubles).toHaveLength(1));
    await world.dataSource.query(`update project_trouble set seen_at = seen_at - interval '2 minutes'`);
    expect((await view()).dispatch.troubles).toEqual([]);
    await rig.stop();
    expect(await world.dataSource.query('select code from project_trouble')).toEqual([]);
  });
});

describe('a master key that is wrong in one replica', () => {
  it('blocks the project in that replica alone: another sends everything', async () => {
    await world.project({ base_url: gateway.url });
    const sends = await Promise.all(Array.from({ length: 4 }, () => world.send()));
    const wrong = replica({ sealer: new Sealer(new Secret(newMasterKey('spec'))) });
    await wrong.dispatch.runOnce();
    await eventually(async () => {
      expect((await view()).dispatch.troubles).toMatchObject([{ code: 'KEY_UNREADABLE', processes: 1 }]);
      for (const send of sends) expect((await world.read(send)).code).toBe('KEY_UNREADABLE');
    });
    expect((await view()).blocked).toBeNull();
    // Meanwhile it takes no sends from the others.
    expect(await wrong.dispatch.runOnce()).toBe(0);
    const right = replica();
    expect(await right.dispatch.runOnce()).toBe(4);
    await eventually(async () => {
      for (const send of sends) expect((await world.read(send)).state).toBe('accepted');
    });
  });
});

describe('a new key or address', () => {
  it.each([
    ['BAD_KEY', 'key', '401/200 401/200', (elsewhere: Gateway) => elsewhere.keys.clear()],
    [
      'BAD_ADDRESS',
      'address',
      '302: it redirects',
      (elsewhere: Gateway) => {
        elsewhere.answer = redirect;
      },
    ],
  ] as const)(
    'ends a rest for %s at once, also in the replica that met it',
    async (code, what, detail, spoil) => {
      const elsewhere = what === 'key' ? gateway : await Gateway.open();
      elsewhere.skewMs = gateway.skewMs;
      await world.project({ base_url: elsewhere.url }, [[ACCESS_KEY, 'the-former-secret']]);
      if (what === 'address') {
        await world.dataSource.query('update project_key set secret_sealed = $1', [
          world.sealer.seal(SECRET_KEY, SECRET, SERVICE, ACCESS_KEY),
        ]);
      }
      spoil(elsewhere);
      const send = await world.send();
      replica();
      await rounds();
      await eventually(async () => {
        expect((await view()).blocked).toEqual({ code, detail, until: null, since: AN_INSTANT, by: null });
        expect(await world.read(send)).toMatchObject({ state: 'planned', code });
      });
      await rounds();
      gateway.keys.set(ACCESS_KEY, SECRET_KEY);
      await world.change(what, gateway.url);
      expect((await view()).blocked).toBeNull();
      const next = await world.send();
      await rounds();
      await eventually(async () => expect((await world.read(next)).state).toBe('accepted'));
      if (elsewhere !== gateway) await elsewhere.close();
    },
  );
});

describe('an answer of the former key or address', () => {
  it.each([
    ['401, once it has another key', 'key', failure(401, '200')],
    ['a redirect, once it has another address', 'address', redirect],
  ] as const)('(%s) blocks nobody, and its send leaves again', async (_, what, answer) => {
    const former = await Gateway.open();
    former.skewMs = gateway.skewMs;
    const secret = what === 'key' ? 'the-former-secret' : SECRET_KEY;
    former.keys.set(ACCESS_KEY, secret);
    let late: (() => void) | undefined;
    former.answer = (asked, response) => void (late = () => void answer(asked, response));
    await world.project({ base_url: former.url }, [[ACCESS_KEY, secret]]);
    const send = await world.send();
    const rig = replica();
    await rounds();
    await eventually(() => expect(late).toBeDefined());
    former.keys.set(ACCESS_KEY, SECRET_KEY);
    former.answer = take;
    await world.change(what, what === 'key' ? former.url : gateway.url);
    late?.();
    await eventually(() => expect(rig.dispatch.inFlight).toBe(0));
    expect((await view()).blocked).toBeNull();
    await eventually(async () => {
      clock.advance(1_000);
      await rounds();
      expect((await world.read(send)).state).toBe('accepted');
    });
    await former.close();
  });
});

describe('a project of weight three', () => {
  const pair = async () => {
    for (const [serviceId, weight] of [
      ['heavy', 3],
      ['light', 1],
    ] as const) {
      await world.project({ service_id: serviceId, base_url: gateway.url, weight, rate_per_second: 2_000 });
      const campaign = await world.campaign({ serviceId });
      await world.copies(await world.send({ serviceId, campaign, dueAt: START + 1_500 }), 199);
    }
  };

  it('is served first in three of four rounds', async () => {
    await pair();
    let heavy = 0;
    for (let round = 0; round < 200; round += 1) {
      const [first] = await readPlanned(world.dataSource, roundOf({ limit: 1, room: 10, round }));
      if (first?.serviceId === 'heavy') heavy += 1;
    }
    // The draw is by hash: the same in every run.
    expect(heavy).toBeGreaterThan(135);
    expect(heavy).toBeLessThan(165);
  });

  it('fires three sends in each turn', async () => {
    await pair();
    const rig = replica({ batch: 40 });
    while ((await rig.dispatch.runOnce()) > 0);
    clock.advance(1_500);
    await eventually(() => gateway.posts.length >= 40);
    expect(await leftFirst('service_id')).toEqual({ heavy: 30, light: 10 });
  });
});

describe('a campaign with far more late sends than the project can send', () => {
  it.each([
    ['due ones', START, 4, 5],
    ['late ones', START - 30_000, 39, 12],
  ])('delays another’s %s neither in the look ahead nor in the queue', async (_, dueAt, copies, first) => {
    await world.project({ base_url: gateway.url, rate_per_second: 100 });
    const late = await world.campaign();
    await world.copies(await world.send({ campaign: late, dueAt: START - 60_000 }), 999);
    const due = await world.campaign();
    await world.copies(await world.send({ campaign: due, dueAt }), copies);
    const rig = replica({ batch: 100 });
    await rig.dispatch.runOnce();
    await eventually(() => gateway.posts.length >= 20);
    // A quarter of a second's worth.
    expect(await leftFirst('campaign')).toEqual({ [due]: first, [late]: 25 - first });
  });
});
