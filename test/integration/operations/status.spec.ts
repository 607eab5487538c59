// GET /v1/status and carillon status over a running scheduler: one sentence, what needs a person, and how each project stands.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { AlertView } from '../../../src/scheduler/alerts/alert-view.js';
import type { Status } from '../../../src/scheduler/alerts/status/status.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const OTHER = 'another-app';
let world: World;
let clock: SteppedClock;
let scheduler: TestScheduler;
let all: string;
let shop: string;

beforeAll(async () => {
  world = await World.open();
  clock = new SteppedClock(START);
  scheduler = await startScheduler(
    schedulerConfig(world.url, {
      CARILLON_ROLES: 'api',
      CARILLON_MASTER_KEY: world.masterKey,
      ALERT_ZONE_RULES_YEARS: '10',
    }),
    { clock },
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  all = await scheduler.bearer(['admin']);
  shop = await scheduler.bearer(['operator'], [SERVICE]);
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});
beforeEach(async () => {
  await world.clear();
  await world.dataSource.query('truncate alert cascade');
  await world.project();
  await world.project({ service_id: OTHER });
});

/** One that was read after now. */
async function status(authorization = all): Promise<Status> {
  clock.advance(1);
  return eventually(async () => {
    const { status: code, body } = await scheduler.call('GET', '/v1/status', { authorization });
    expect(code).toBe(200);
    const found = body as Status;
    return Date.parse(found.asOf) === clock.now() && found;
  });
}
const statusOf = ({ projects }: Status, serviceId = SERVICE) =>
  projects.find((project) => project.serviceId === serviceId);
const stop = (reason?: string) =>
  scheduler.call('POST', `/v1/projects/${SERVICE}/stop`, { authorization: shop, body: { reason } });

describe('the status', () => {
  it('says that all is well, and what is due', async () => {
    await world.copies(await world.send({ dueAt: clock.now() + 1_800_000 }), 2);
    await world.send({ state: 'reserved', mode: 'reserved', dueAt: clock.now() + 1_200_000 });
    const found = await status();
    expect(found).toMatchObject({
      well: true,
      sentence: 'All is well: 4 due in the next hour, 0 late',
      needs: [],
      notes: [],
    });
    expect(statusOf(found)).toMatchObject({
      state: 'running',
      dueNextHour: { value: 4, atLeast: false },
      held: { reservations: { value: 1, atLeast: false }, next: expect.any(String) as string },
      lateness: { sends: 0, p99Ms: null },
    });
  });

  it('says since when, by whom and why a project is stopped, which nobody has to act on', async () => {
    const { body } = await stop('the template is wrong');
    expect(body).toMatchObject({ blocked: { code: 'STOPPED', detail: 'the template is wrong' } });
    const found = await status();
    expect(found).toMatchObject({ well: true, notes: [{ cause: 'STOPPED', serviceId: SERVICE }] });
    expect(statusOf(found)).toMatchObject({
      state: 'stopped',
      stopped: { reason: 'the template is wrong', by: expect.stringMatching(/^token:operator/) as string },
      blocked: null,
    });
    await scheduler.call('POST', `/v1/projects/${SERVICE}/start`, { authorization: shop });
    expect(statusOf(await status())).toMatchObject({ state: 'running', stopped: null });
  });

  it('counts what needs a person, the most severe first, each with its next step and the page that says more', async () => {
    await world.dataSource.query(
      `update project set blocked_until = 'infinity', blocked_code = 'BAD_KEY' where service_id = $1`,
      [SERVICE],
    );
    await world.copies(
      await world.send({ serviceId: OTHER, state: 'failed', columns: { ended_at: new Date(clock.now()) } }),
      11,
    );
    const found = await status();
    expect(found).toMatchObject({
      well: false,
      sentence: '2 things need you',
      needs: [
        {
          cause: 'KEY_REFUSED',
          serviceId: SERVICE,
          severity: 'critical',
          runbook: 'docs/operate/runbook.md#key_refused',
        },
        { cause: 'FAILURES', serviceId: OTHER, severity: 'warning', figure: 12 },
      ],
    });
    expect(statusOf(found)).toMatchObject({ state: 'blocked', blocked: { code: 'BAD_KEY', until: null } });
    expect(statusOf(found, OTHER)).toMatchObject({ failed: { sends: { value: 12, atLeast: false } } });
  });

  it('shows the holder of one service that service, and nothing of others', async () => {
    await world.dataSource.query(
      `update project set blocked_until = 'infinity', blocked_code = 'BAD_KEY' where service_id = $1`,
      [OTHER],
    );
    const found = await status(shop);
    expect(found).toMatchObject({ well: true, needs: [] });
    expect(found.projects.map(({ serviceId }) => serviceId)).toEqual([SERVICE]);
  });

  it('is refused to a publisher', async () => {
    const authorization = await scheduler.bearer(['publisher']);
    expect(await scheduler.call('GET', '/v1/status', { authorization })).toMatchObject({ status: 403 });
  });
});

describe('an alert', () => {
  type Page = { items: z.output<typeof AlertView>[]; nextCursor: string | null };
  const list = async (query = '', authorization = all): Promise<Page['items']> => {
    const { body } = await scheduler.call('GET', `/v1/alerts${query}`, { authorization });
    return (body as Page).items;
  };

  it('is listed, acknowledged once, and audited; status says that somebody has taken it up', async () => {
    await world.dataSource.query(
      `update project set blocked_until = 'infinity', blocked_code = 'BAD_KEY' where service_id = $1`,
      [SERVICE],
    );
    const [alert] = await eventually(
      async () => {
        const items = await list('?state=open');
        expect(items).toHaveLength(1);
        return items;
      },
      { withinMs: 60_000 },
    );
    expect(alert).toMatchObject({
      cause: 'KEY_REFUSED',
      serviceId: SERVICE,
      acknowledged: null,
      endedAt: null,
    });
    const path = `/v1/alerts/${alert?.id ?? ''}/acknowledge`;
    const { body } = await scheduler.call('POST', path, { authorization: shop });
    expect(body).toMatchObject({ acknowledged: { by: expect.stringMatching(/^token:operator/) as string } });
    expect(await scheduler.call('POST', path, { authorization: all })).toMatchObject({ status: 200, body });
    expect(await status()).toMatchObject({
      sentence: '1 thing needs you, 1 of them acknowledged',
      needs: [{ alertId: alert?.id }],
    });
    expect(await list('?state=ended')).toEqual([]);
    expect(await list(`?serviceId=${OTHER}`)).toEqual([]);
    const audit = await scheduler.call('GET', '/v1/audit?action=alert.acknowledge', { authorization: all });
    expect(audit.body).toMatchObject({ items: [{ serviceId: SERVICE }, { serviceId: SERVICE }] });
  });

  it('of a foreign service is answered like an unknown one', async () => {
    await world.dataSource.query(
      `insert into alert (id, cause, service_id, since, last_seen_at, detail)
       values ('018f0000-0000-7000-8000-000000000009', 'BLOCKED', $1, now(), now(), 'x')`,
      [OTHER],
    );
    const path = '/v1/alerts/018f0000-0000-7000-8000-000000000009/acknowledge';
    expect(await scheduler.call('POST', path, { authorization: shop })).toMatchObject({ status: 404 });
    expect(await list('', shop)).toEqual([]);
  });
});
