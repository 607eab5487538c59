// A database that has lost commits, as after a failover or a restore: sends that were sent do not leave again, and their answers are
// written again. Two whole processes on their own PostgreSQL, whose data folder is replaced by an old copy.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { OldCopy } from '../../../support/postgres/old-copy.js';
import { Gateway, take, type Asked } from '../../../support/scheduler/gateway.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../../support/scheduler/running-scheduler.js';
import { World } from '../../../support/scheduler/world.js';

const PATIENT = { withinMs: 150_000 };
/** How many sends are answered, and how many in flight, when the commits are lost. */
const ANSWERED = 12;
const ON_WIRE = 6;

let old: OldCopy;
let world: World;
let gateway: Gateway;
const running: TestScheduler[] = [];

beforeEach(async () => {
  old = await OldCopy.start();
  world = await World.migrated(await old.postgres.ensureDatabase('carillon'));
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url, in_flight: 50, rate_per_second: 1_000 });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
  await gateway.close();
  await world.close();
  await old.remove();
});

async function start(roles = 'dispatch,follow'): Promise<TestScheduler> {
  // So long that on a busy machine, too, nobody is taken for dead.
  const settings = {
    CARILLON_MASTER_KEY: world.masterKey,
    CARILLON_ROLES: roles,
    REPLICA_SILENT_SECONDS: '60',
  };
  const scheduler = await startScheduler(schedulerConfig(world.url, settings));
  running.push(scheduler);
  await eventually(() => scheduler.dataSource.isInitialized, PATIENT);
  return scheduler;
}

const userOf = ({ body }: Asked): string =>
  (JSON.parse(body) as { target: { to: string[] } }).target.to[0] ?? '';

async function rows() {
  const found = await world.dataSource.query<{
    id: string;
    state: string;
    code: string | null;
    request_id: string | null;
  }>('select id, state, code, request_id from send');
  return found
    .map(({ id, ...send }) => ({ user: world.usersOf.get(id)?.[0] ?? '', ...send }))
    .toSorted((a, b) => (a.user < b.user ? -1 : 1));
}

it('if fires and answers are lost, no send leaves twice, and every answer is written again', async () => {
  const campaign = await world.campaign({ target: { type: 'USER' } });
  const users = Array.from({ length: ANSWERED + ON_WIRE }, (_, index) =>
    index < ANSWERED ? `answered-${index}` : `flying-${index}`,
  );
  for (const [chunk, user] of users.entries())
    await world.send({ campaign, chunk, recipients: [user], dueAt: Date.now() });
  await old.take();
  const answers: (() => void)[] = [];
  gateway.answer = (asked, response) => {
    if (userOf(asked).startsWith('answered')) return take(asked, response);
    answers.push(() => void take(asked, response));
  };
  await start();
  await start();
  await eventually(() => expect(gateway.posts).toHaveLength(users.length), PATIENT);
  await eventually(async () => {
    const accepted = (await rows()).filter(({ state }) => state === 'accepted');
    expect(accepted).toHaveLength(ANSWERED);
  }, PATIENT);

  await old.putBack();
  // It is due in the old copy as well, and was not sent yet.
  await eventually(
    () => world.send({ campaign, chunk: 100, recipients: ['later'], dueAt: Date.now() }),
    PATIENT,
  );
  gateway.answer = take;
  await eventually(async () => {
    const all = await rows();
    expect(all.filter(({ state }) => state === 'planned')).toEqual([]);
    expect(all.find(({ user }) => user === 'later')).toMatchObject({ state: 'accepted' });
  }, PATIENT);
  const lost = (await rows()).filter(({ user }) => user.startsWith('flying'));
  expect(new Set(lost.map(({ state, code }) => `${state} ${code}`))).toEqual(
    new Set(['uncertain COMMIT_LOST']),
  );
  for (const answer of answers) answer();
  await eventually(async () => {
    expect((await rows()).filter(({ state }) => state !== 'accepted')).toEqual([]);
  }, PATIENT);
  const asked = new Map(gateway.posts.map((one) => [userOf(one), one.requestId]));
  expect(gateway.posts).toHaveLength(users.length + 1);
  expect(new Map((await rows()).map(({ user, request_id: id }) => [user, id]))).toEqual(asked);
}, 600_000);
