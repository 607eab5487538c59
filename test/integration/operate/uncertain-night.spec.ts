// A night on which answers are lost: a whole scheduler and the real push service over HTTP. The push service's keys prove what became of
// each request; nobody gets a message twice, and nothing is lost.
import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../contract/push-service/support/client.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/scheduler/intake-world.js';
import { campaignOf, dataOf, START, TwoServices } from '../../support/scheduler/two-services.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PATIENT = { withinMs: 40_000 };
const USERS = ['ann', 'bob', 'cho', 'dan', 'eve', 'fay'];

let world: TwoServices;
let client: Client;
let push: Postgres;
let at = START;

beforeAll(async () => {
  world = await TwoServices.open('api,plan,dispatch,follow');
  push = new Postgres({ connectionString: world.stage.target.databaseUrl, options: '-c search_path=push' });
  await push.connect();
}, 120_000);
afterAll(async () => {
  await push.end();
  await world.close();
});
beforeEach(async () => {
  client = await world.projectOf(USERS, { maxTo: 1, extensions: ['idempotency-key', 'close-key'] });
  return () => world.stage.management.clearFaults();
});

const pass = (ms: number): Promise<void> => world.moveTo((at += ms));
const operator = async (method: string, path: string, body?: Json) =>
  world.scheduler.call(method, path, { authorization: await world.scheduler.bearer(['operator']), body });
const sends = async (campaign: string): Promise<Record<string, number>> =>
  ((await world.get(`/v1/campaigns/${campaign}`)).body as { sends: Record<string, number> }).sends;
const become = (campaign: string, wanted: Record<string, number>, stepMs = 5_000): Promise<void> =>
  eventually(async () => {
    if (stepMs > 0) await pass(stepMs);
    expect(await sends(campaign)).toEqual(wanted);
  }, PATIENT);
const fault = (kind: string, count: number): Promise<void> =>
  world.stage.management.addFault({ kind, operation: 'sendMessage', count, serviceId: client.serviceId });

async function publish(more: Json = { delivery: { now: true } }): Promise<string> {
  const audience = { type: 'USER', to: USERS };
  const published = await world.publish(dataOf({ serviceId: client.serviceId, audience, ...more }));
  expect(published.status).toBe(202);
  return campaignOf(published);
}

/** How many messages the push service took, and how often devices got one. */
async function counted(): Promise<{ taken: number; handed: number }> {
  const { rows } = await push.query<{ taken: number; handed: number }>(
    `select (select count(*)::int from message where service_id = $1 and kind <> 'closed') as taken,
            (select count(*)::int from delivery d join firing f on f.id = d.firing_id join message m on m.id = f.message_id
              where m.service_id = $1) as handed`,
    [client.serviceId],
  );
  return rows[0] ?? { taken: 0, handed: 0 };
}

describe('requests whose answers are lost', () => {
  it('are followed where they were taken, and sent where they were not', async () => {
    await fault('answerLost', 3);
    await fault('reset', 3);
    const campaign = await publish();
    await become(campaign, { sent: USERS.length });
    expect(await counted()).toEqual({ taken: USERS.length, handed: USERS.length });
    const proved = await world.scheduler.dataSource.query<{ code: string }>(
      `select distinct code from send_note where to_state = 'planned' and code is not null`,
    );
    expect(proved).toEqual([{ code: 'PROVED_NOT_SENT' }]);
  }, 90_000);

  it('are failed and can be retried, where it is proved too late that they were not taken', async () => {
    await fault('reset', USERS.length);
    const campaign = await publish();
    await become(campaign, { uncertain: USERS.length }, 0);
    await become(campaign, { failed: USERS.length }, 31 * MINUTE);
    const { body } = await operator('GET', `/v1/campaigns/${campaign}/sends?limit=1`);
    const [send] = (body as { items: { id: string; code: string }[] }).items;
    expect(send?.code).toBe('PROVED_NOT_SENT');
    expect(await counted()).toEqual({ taken: 0, handed: 0 });
    expect((await operator('POST', `/v1/sends/${send?.id}/retry`)).status).toBe(201);
    await eventually(async () => {
      await pass(5_000);
      expect(await counted()).toEqual({ taken: 1, handed: 1 });
    }, PATIENT);
  }, 90_000);

  it('are taken back where the campaign was canceled meanwhile', async () => {
    await fault('answerLost', 2);
    await fault('reset', 2);
    const delivery = { at: new Date(at + 12 * HOUR).toISOString().slice(0, 16), zone: 'UTC' };
    const campaign = await publish({ delivery });
    await become(campaign, { uncertain: 4, reserved: 2 }, 0);
    expect((await operator('POST', `/v1/campaigns/${campaign}/cancel`, {})).status).toBe(202);
    await become(campaign, { canceled: USERS.length });
    const { rows } = await push.query(
      `select kind, state, count(*)::int from message where service_id = $1 group by 1, 2 order by 1`,
      [client.serviceId],
    );
    expect(rows).toEqual([
      { kind: 'closed', state: 'CANCELED', count: 2 },
      { kind: 'reserved', state: 'CANCELED', count: 4 },
    ]);
  }, 90_000);

  it('wait for a person where the push service was restored since', async () => {
    await fault('answerLost', USERS.length);
    const campaign = await publish();
    await become(campaign, { uncertain: USERS.length }, 0);
    // As a restore of an older backup leaves it: the messages are gone, and another transaction wrote the rows.
    await push.query('delete from message where service_id = $1', [client.serviceId]);
    await push.query('update database_epoch set began_at = began_at');
    await eventually(async () => {
      await pass(5_000);
      const { body } = await operator('GET', `/v1/campaigns/${campaign}/sends`);
      const { items } = body as { items: { state: string; code: string }[] };
      expect(new Set(items.map(({ state, code }) => `${state} ${code}`))).toEqual(
        new Set(['uncertain NOT_PROVABLE']),
      );
    }, PATIENT);
    await pass(HOUR);
    expect(await counted()).toEqual({ taken: 0, handed: 0 });
  }, 90_000);
});
