// A clock that the gateway refuses is corrected by the gateway's Date: logged once, and again when that changes or ends.
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { createLog } from '../../../src/platform/logging/log.js';
import { viewProject } from '../../../src/scheduler/admin/projects/project-write.store.js';
import { eventually } from '../../support/eventually.js';
import { Gateway } from '../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, World } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
let lines: { msg: string; seconds?: number }[];

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.judgesTime = true;
  await world.project({ base_url: gateway.url });
  clock = new SteppedClock(Date.now());
  lines = [];
  const hears = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(JSON.parse(chunk.toString('utf8')) as (typeof lines)[number]);
      done();
    },
  });
  rig = rigOf(world, clock, { log: createLog('spec', 'info', hears) });
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

/** Sets how far the gateway's clock is ahead of ours from now on: our clock stands, and the gateway's goes with the machine's. */
const setAhead = (ms: number): void => {
  gateway.skewMs = clock.now() - Date.now() + ms;
};
const polls = async (times: number) => {
  for (let poll = 0; poll < times; poll += 1) await rig.pushApi.result(SERVICE, 'r-1');
};
const logged = () =>
  lines.filter(({ msg }) => msg.includes('clock')).map(({ seconds = 0 }) => Math.abs(seconds));
const shown = async () =>
  (await viewProject(world.dataSource, SERVICE, new Date(clock.now())))?.dispatch.troubles ?? [];
const about = (seconds: number) => expect.toSatisfy((each: number) => Math.abs(each - seconds) <= 5);

describe('a clock that is corrected', () => {
  it('is logged once with the difference, again when that changes, and when it ends', async () => {
    setAhead(1_200_000);
    await polls(5);
    expect(logged()).toEqual([about(1_200)]);
    expect(rig.clocks.note?.whole).toMatch(/^shop-app: our clock is 1[12]\d\d s behind its gateway’s/);
    await eventually(async () =>
      expect(await shown()).toMatchObject([{ code: 'CLOCK_CORRECTED', processes: 1 }]),
    );
    setAhead(-600_000);
    await polls(5);
    expect(logged()).toEqual([about(1_200), about(600)]);
    setAhead(0);
    await polls(5);
    expect(logged()).toEqual([about(1_200), about(600), 0]);
    expect(rig.clocks.note).toBeUndefined();
    await eventually(async () => expect(await shown()).toEqual([]));
  });

  it('is not logged for a gateway whose clock differs by a minute only', async () => {
    setAhead(60_000);
    await polls(2);
    expect(logged()).toEqual([]);
  });
});
