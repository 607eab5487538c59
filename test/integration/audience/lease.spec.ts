// A look-up whose turn takes longer than its lease: while the process lives nobody else takes it, and a process that lost it leaves it
// to the one that has it. And a look-up whose first users always fail: the others are still asked for.
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { LookUpDue } from '../../../src/scheduler/audience/look-up-due.js';
import type { PushAnswer, UserApi } from '../../../src/scheduler/push-client/push-api.js';
import { claimLookup } from '../../../src/scheduler/store/audience-lookup.store.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const DAY = 86_400_000;

let world: World;
let clock: SteppedClock;
let rig: Rig;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.dataSource.query('truncate audience_lookup');
  await world.project({ extensions: ['target-timezone'] });
  clock = new SteppedClock(START);
  rig = rigOf(world, clock);
  return () => rig.stop();
});

/** A campaign that waits to be planned, and its look-up. */
async function waiting(audience: object): Promise<string> {
  const delivery = { kind: 'recipient', local: '2027-03-02T09:00' };
  const campaign = await world.campaign({ state: 'planning', delivery });
  const data = JSON.stringify({ segments: [], audience: { deviceType: null, country: [], ...audience } });
  await world.dataSource.query('update revision set data = data || $2::jsonb where campaign = $1', [
    campaign,
    data,
  ]);
  const [at, end] = [new Date(clock.now()), new Date(clock.now() + DAY)];
  await world.dataSource.query('update campaign set plan_at = $2, revision = 1 where id = $1', [
    campaign,
    end,
  ]);
  const times = { opened_at: at, give_up_at: end, next_at: at };
  await world.insert('audience_lookup', { campaign, service_id: SERVICE, ...times });
  return campaign;
}

/** A turn with a gateway that gives this answer. `passed`: real milliseconds that its calls have taken so far. */
function turn(api: Partial<UserApi>, passed = () => 0): Promise<number> {
  const never = (): never => {
    throw new Error('nobody asks for that');
  };
  const lookUp = new LookUpDue({
    database: world.dataSource,
    userApi: { user: never, timezonesOf: never, timezones: never, channels: never, schedules: never, ...api },
    calls: rig.calls,
    projects: rig.projects,
    clock: {
      now: () => clock.now(),
      elapsed: () => clock.elapsed() + passed(),
      at: (at, fire) => clock.at(at, fire),
    },
    log: pino({ level: 'silent' }),
    offsetCacheMs: 1_000,
  });
  return lookUp.runOnce();
}

const answered = (status: number, body: object): PushAnswer => ({
  kind: 'answered',
  status,
  body: JSON.stringify(body),
});

interface Row {
  asked: number;
  failures: number;
  lease: string | null;
  done: boolean;
}
async function lookUpOf(campaign: string): Promise<Row | undefined> {
  const [row] = await world.dataSource.query<Row>(
    `select asked, failures, lease_until::text as lease, done_at is not null as done from audience_lookup where campaign = $1`,
    [campaign],
  );
  return row;
}

/** As if its lease had been over for a while, another process takes it up. */
async function takenUp(): Promise<void> {
  await world.dataSource.query(
    `update audience_lookup set lease_until = clock_timestamp() - interval '1 second'`,
  );
  expect(await claimLookup(world.dataSource, clock.now())).toBeDefined();
}

describe('a process whose lease of a look-up is over', () => {
  it('leaves it to the one that took it up: its failure ends no lease and counts for nobody', async () => {
    const campaign = await waiting({ type: 'USER', to: ['a'] });
    let taken: Row | undefined;
    const user = async () => {
      await takenUp();
      taken = await lookUpOf(campaign);
      return answered(500, {});
    };
    expect(await turn({ user })).toBe(1);
    // Only answers count towards lookupMax.
    expect(await lookUpOf(campaign)).toEqual(taken);
    expect(await claimLookup(world.dataSource, clock.now())).toBeUndefined();
  });

  it('does not give it up for the other, though it was the last failure', async () => {
    const campaign = await waiting({ type: 'ALL' });
    await world.dataSource.query('update audience_lookup set failures = 4');
    const timezones = async () => {
      await takenUp();
      return answered(500, {});
    };
    await turn({ timezones });
    expect(await lookUpOf(campaign)).toMatchObject({ failures: 4, done: false });
  });

  it('ends it all the same where it knows all', async () => {
    const campaign = await waiting({ type: 'USER', to: ['a'] });
    const user = async () => {
      await takenUp();
      return answered(200, { timezone: 3_600 });
    };
    await turn({ user });
    expect(await lookUpOf(campaign)).toMatchObject({ done: true, lease: null });
  });

  it('asks for no further page', async () => {
    const campaign = await waiting({ type: 'ALL' });
    const pages: number[] = [];
    let passed = 0;
    const timezones = async (_: string, __: string | undefined, page: number) => {
      pages.push(page);
      passed += 181_000;
      await takenUp();
      return answered(200, fullPage(page));
    };
    await turn({ timezones }, () => passed);
    expect(pages).toEqual([0]);
    expect(await lookUpOf(campaign)).toMatchObject({ failures: 0, done: false });
  });
});

/** A thousand offsets of one user each: there are more pages behind it. */
const fullPage = (page: number) =>
  Array.from({ length: 1_000 }, (_, index) => ({ timezone: 1_000 * page + index, users: 1 }));

describe('a process that counts for longer than a lease', () => {
  it('renews it between two pages, so that nobody else makes the same calls', async () => {
    const campaign = await waiting({ type: 'ALL' });
    const leases: (string | null | undefined)[] = [];
    let passed = 0;
    const timezones = async (_: string, __: string | undefined, page: number) => {
      leases.push((await lookUpOf(campaign))?.lease);
      passed += 120_000;
      return answered(200, page < 2 ? fullPage(page) : []);
    };
    await turn({ timezones }, () => passed);
    expect(leases).toHaveLength(3);
    expect(new Set(leases).size).toBe(3);
    expect(await lookUpOf(campaign)).toMatchObject({ done: true });
  });
});

it('asks for those behind users that always fail', async () => {
  const broken = Array.from({ length: 40 }, (_, index) => `broken-${index}`);
  const well = Array.from({ length: 10 }, (_, index) => `well-${index}`);
  const campaign = await waiting({ type: 'USER', to: [...broken, ...well] });
  const user: UserApi['user'] = async (_, userId) =>
    userId.startsWith('well') ? answered(200, { timezone: 3_600 }) : answered(500, {});
  for (let turns = 1; turns <= 20; turns += 1) {
    await turn({ user });
    clock.advance(60_000);
  }
  expect(await lookUpOf(campaign)).toMatchObject({ asked: 10, done: false });
});
