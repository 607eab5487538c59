// An answer about a whole project has the same effect whichever caller gets it: there is one reader, one rate and one block for all
// callers of a push gateway (hand-off.md, "What an answer means").
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { blockProject } from '../../../src/scheduler/push-client/blocks/project-block.store.js';
import { eventually } from '../../support/eventually.js';
import { failure, Gateway, type Answer } from '../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';
import { CALLERS, WORK, type Caller } from './callers.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url, rate_per_second: 100, extensions: ['idempotency-key'] });
  clock = new SteppedClock(START + 10_000);
  gateway.skewMs = clock.now() - Date.now();
  // Like a project that has been called before: its bucket exists and is full.
  await world.insert('project_pace', { service_id: SERVICE, rate: 100, tokens: 25, at: new Date() });
  rig = rigOf(world, clock, { turns: { longestMs: 100, briefMs: 100 } });
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

const work = (caller: Caller) => WORK[caller]({ world, clock, rig });
const project = async () => {
  const [row] = await world.dataSource.query<{
    code: string | null;
    until: string | null;
    rate: number;
    slowed: boolean;
  }>(
    `select blocked_code as code, blocked_until::text as until, rate, slowed_at is not null as slowed
       from project join project_pace using (service_id)`,
  );
  return {
    ...row,
    until: row?.until === 'infinity' ? 'infinity' : Date.parse(row?.until ?? '') - clock.now(),
  };
};
const redirects: Answer = (_, response) => void response.writeHead(302, { location: '/' }).end();

const POLLS: ReadonlySet<Caller> = new Set([
  'a poll',
  'the asking about an uncertain send',
  'a retry of many',
]);

describe.each(CALLERS)('%s', (caller) => {
  it('that gets a 429 for the rate blocks the project for its Retry-After, and halves the rate', async () => {
    gateway.answer = failure(429, '410', { 'retry-after': '30' });
    await work(caller);
    await eventually(async () =>
      expect(await project()).toMatchObject({ code: 'THROTTLE_LIMITED', until: 30_000, slowed: true }),
    );
    expect((await project()).rate).toBeLessThanOrEqual(50);
  });

  it('that gets a 429 for a quota blocks the project until its window, and keeps the rate', async () => {
    gateway.answer = failure(429, '400', { 'retry-after': '3600' });
    await work(caller);
    await eventually(async () =>
      expect(await project()).toMatchObject({ code: 'QUOTA_EXCEEDED', until: 3_600_000, slowed: false }),
    );
  });

  it('whose keys are all refused blocks the project until somebody acts', async () => {
    gateway.keys.clear();
    await work(caller);
    await eventually(async () =>
      expect(await project()).toMatchObject({ code: 'BAD_KEY', until: 'infinity' }),
    );
  });

  it('that is redirected blocks the project until somebody acts', async () => {
    gateway.answer = redirects;
    await work(caller);
    await eventually(async () =>
      expect(await project()).toMatchObject({ code: 'BAD_ADDRESS', until: 'infinity' }),
    );
  });

  it('takes a token of the project’s rate, and makes no call without one', async () => {
    await world.dataSource.query(`update project_pace set tokens = -10000`);
    // Polls have their own share, however many tokens sends have left: it is used up as well.
    if (POLLS.has(caller))
      await world.dataSource.query(`update project_pace set polled_at = now() + interval '1 hour'`);
    await work(caller);
    expect(gateway.asked).toEqual([]);
  });

  it('makes no call while the project is blocked', async () => {
    const block = { code: 'QUOTA_EXCEEDED', until: clock.now() + 60_000, detail: null };
    await blockProject(world.dataSource, SERVICE, block, clock.now());
    await work(caller);
    expect(gateway.asked).toEqual([]);
  });
});
