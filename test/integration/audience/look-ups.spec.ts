// Recipients whose clock only the push service knows: a whole scheduler and the real push service, from the event to
// the hour at which each device is reached.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { carillon } from '../../../src/cli/carillon-commands.js';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Client } from '../../contract/push-service/support/client.js';
import { openStage, type Stage } from '../../contract/push-service/support/stage.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually, eventuallyFound } from '../../support/eventually.js';
import { foundExtensions, offBut } from '../../support/scheduler/extensions-used.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';

const START = '2027-03-01T00:00:00.000Z';
const HOUR_S = 3_600;
const PATIENT = { withinMs: 50_000 };

const clock = new SteppedClock(START);
let database: TestDatabase;
let stage: Stage;
let scheduler: TestScheduler;
let token: string;

beforeAll(async () => {
  database = await cloneDatabase();
  stage = await openStage();
  await stage.freeze(START);
  const config = schedulerConfig(database.url, { CARILLON_ROLES: 'api,plan,dispatch', LOOP_IDLE_MS: '50' });
  scheduler = await startScheduler(config, { clock });
  await eventually(() => scheduler.dataSource.isInitialized);
  token = await scheduler.bearer(['admin', 'publisher']);
});
afterAll(async () => {
  await scheduler.close();
  await stage.close();
  await database.drop();
});

/** A service of the push service with these users by offset in hours, and the push project that drives it. */
async function project(
  users: Readonly<Record<string, number>>,
  { extensions = [], ...settings }: Json & { readonly extensions?: readonly string[] } = {},
): Promise<Client> {
  const client = await stage.project();
  for (const [userId, hours] of Object.entries(users)) {
    const made = await client.register({ userId, timezone: hours * HOUR_S });
    if (made.status !== 201) throw new Error(made.text);
  }
  const { serviceId, keys } = client;
  const extensionsOff = offBut(extensions);
  const address = { baseUrl: stage.target.url, key: keys, ratePerSecond: 1_000 };
  const body = { serviceId, ...address, extensionsOff, ...settings };
  const made = await scheduler.call('POST', '/v1/projects', { authorization: token, body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  await foundExtensions(scheduler.dataSource, serviceId, extensions);
  return client;
}

function dataFor(serviceId: string, audience: Json, at = '2027-03-01T18:00'): Json {
  return scheduled('x', { serviceId, audience, delivery: { at, zone: 'recipient' } })['data'] as Json;
}
const ids = (...to: string[]) => ({ type: 'USER', to });

interface Shown {
  totals: { provisional: number; fallbackRecipients: number | null; recipients: number | null };
  warnings: { code: string }[];
  items: { cell: string; dueAt: string; recipients: number | null; target: Json }[];
  planHash: string;
}

async function preview(data: Json, query = ''): Promise<Shown> {
  const answer = await scheduler.call('POST', `/v1/plans${query}`, { authorization: token, body: data });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body as Shown;
}

let published = 0;
async function publish(data: Json): Promise<string> {
  published += 1;
  const answer = await scheduler.call('POST', '/v1/events', {
    authorization: token,
    body: scheduled(`look-${published}`, {}, { data }),
    headers: { 'content-type': 'application/cloudevents+json' },
  });
  return (answer.body as { events: { campaignId: string }[] }).events[0]?.campaignId ?? '';
}

async function planned(campaign: string, meanwhile: () => void = () => undefined): Promise<void> {
  await eventually(async () => {
    meanwhile();
    const answer = await scheduler.call('GET', `/v1/campaigns/${campaign}`, { authorization: token });
    return (answer.body as { state: string }).state === 'planned';
  }, PATIENT);
}

async function planOf(campaign: string): Promise<Shown> {
  const [row] = await scheduler.dataSource.query<{ plan: Shown }>(
    'select plan from revision where campaign = $1',
    [campaign],
  );
  if (row === undefined) throw new Error('no plan');
  return row.plan;
}

async function cellsOf(campaign: string): Promise<[cell: string, recipients: number | null][]> {
  const rows = await scheduler.dataSource.query<{ cell: string; recipients: number | null }>(
    'select cell, recipients from cell where campaign = $1 order by cell',
    [campaign],
  );
  return rows.map(({ cell, recipients }) => [cell, recipients]);
}

async function requestIds(campaign: string, count: number): Promise<string[]> {
  return eventuallyFound(async () => {
    const rows = await scheduler.dataSource.query<{ request_id: string }>(
      "select request_id from send where campaign = $1 and state = 'reserved'",
      [campaign],
    );
    return rows.length === count ? rows.map((row) => row.request_id) : undefined;
  }, PATIENT);
}

/** Steps the push service through the day and notes at which instant each user was reached. */
async function reachedAt(
  requests: readonly string[],
  instants: readonly string[],
): Promise<Record<string, string>> {
  const reached: Record<string, string> = {};
  for (const instant of instants) {
    await stage.freeze(instant);
    const expected = await eventuallyFound(async () => {
      const all = (await Promise.all(requests.map((id) => stage.management.deliveries(id)))).flat();
      return all.length > Object.keys(reached).length ? all : undefined;
    }, PATIENT);
    for (const { userId, handedAt } of expected) reached[userId ?? '?'] ??= new Date(handedAt).toISOString();
  }
  await stage.freeze(START);
  return reached;
}

const calls = () => {
  const api = scheduler.internals.pushApi;
  return { user: vi.spyOn(api, 'user'), timezones: vi.spyOn(api, 'timezones') };
};

describe('USER ids whose zone nobody gave', () => {
  it('are looked up once, and each gets it at the hour of the clock they registered', async () => {
    const { serviceId } = await project({ seoul: 9, paris: 1, york: -5 });
    const data = dataFor(serviceId, ids('seoul', 'paris', 'york', 'nobody'));
    const asked = calls();

    const before = await preview(data);
    expect(before.totals).toMatchObject({ provisional: 4, fallbackRecipients: 4 });
    expect(before.items.map(({ cell }) => cell)).toEqual(['Asia/Seoul|fallback|0|all|all']);
    expect(asked.user).not.toHaveBeenCalled();

    const campaign = await publish(data);
    await planned(campaign);
    expect(asked.user).toHaveBeenCalledTimes(4);
    expect(await cellsOf(campaign)).toEqual([
      ['Asia/Seoul|fallback|0|all|all', 1],
      ['UTC+01:00|registered-offset|0|all|all', 1],
      ['UTC+09:00|registered-offset|0|all|all', 1],
      ['UTC-05:00|registered-offset|0|all|all', 1],
    ]);
    const { totals, warnings } = await planOf(campaign);
    expect(totals).toMatchObject({ provisional: 0, fallbackRecipients: 1 });
    expect(warnings).toMatchObject([{ code: 'UNKNOWN_USERS', text: expect.stringMatching(/: 1$/) }]);

    // Offsets that are known now cost no call, neither in a dry run nor for the next campaign.
    const after = await preview(data);
    expect(after.totals).toMatchObject({ provisional: 0, fallbackRecipients: 1 });
    const next = await publish({ ...data, message: { default: { content: 'again' } } });
    await planned(next);
    expect(await cellsOf(next)).toEqual(await cellsOf(campaign));
    expect(asked.user).toHaveBeenCalledTimes(4);

    const requests = await requestIds(campaign, 4);
    expect(
      await reachedAt(requests, ['2027-03-01T09:00:00Z', '2027-03-01T17:00:00Z', '2027-03-01T23:00:00Z']),
    ).toEqual({
      seoul: '2027-03-01T09:00:00.000Z',
      paris: '2027-03-01T17:00:00.000Z',
      york: '2027-03-01T23:00:00.000Z',
    });
  });

  it('are looked up lookupMax at most; the rest is counted in the fallback', async () => {
    const { serviceId } = await project({ a: 1, b: 2, c: 3, d: 4, e: 5 }, { lookupMax: 2 });
    const asked = calls();
    asked.user.mockClear();
    const campaign = await publish(dataFor(serviceId, ids('a', 'b', 'c', 'd', 'e')));
    await planned(campaign);
    expect(asked.user.mock.calls.map(([, userId]) => userId).toSorted()).toEqual(['a', 'b']);
    expect(await cellsOf(campaign)).toEqual([
      ['Asia/Seoul|fallback|0|all|all', 3],
      ['UTC+01:00|registered-offset|0|all|all', 1],
      ['UTC+02:00|registered-offset|0|all|all', 1],
    ]);
    const plan = await planOf(campaign);
    expect(plan.totals).toMatchObject({ provisional: 3, fallbackRecipients: 3 });
    expect(plan.warnings.map(({ code }) => code)).toEqual(['NOT_LOOKED_UP']);
  });

  it('are asked for at half the rate of the project, so that sends keep the other half', async () => {
    const { serviceId } = await project({ only: 1 }, { ratePerSecond: 20 });
    calls().user.mockRestore();
    const { user: original } = scheduler.internals.pushApi;
    const asked = calls();
    const at: number[] = [];
    asked.user.mockImplementation(async (...call) => {
      at.push(performance.now());
      return original(...call);
    });
    const to = ['only', ...Array.from({ length: 11 }, (_, index) => `nobody-${index}`)];
    await planned(await publish(dataFor(serviceId, ids(...to))));
    asked.user.mockImplementation(original);
    expect(at).toHaveLength(to.length);
    // Three at once, and then 300 ms: the last three are the fourth batch of tokens, 900 ms after the first by half
    // the rate and 450 by the whole. A busy machine may be late with the first alone.
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(600);
  });

  it('run as previewed where the event names a planHash: nobody is looked up', async () => {
    const { serviceId } = await project({ paris: 1 });
    const data = dataFor(serviceId, ids('paris'));
    const asked = calls();
    asked.user.mockClear();
    const { planHash } = await preview(data);
    const campaign = await publish({ ...data, planHash });
    await planned(campaign);
    expect(asked.user).not.toHaveBeenCalled();
    expect(await cellsOf(campaign)).toEqual([['Asia/Seoul|fallback|0|all|all', 1]]);
  });

  it('are tried until shortly before the first due: an outage puts nobody on the fallback clock', async () => {
    const { serviceId } = await project({ paris: 1, york: -5 }, { baseUrl: 'http://127.0.0.1:9' });
    const from = clock.now();
    const campaign = await publish(dataFor(serviceId, ids('paris', 'york'), '2027-03-29T09:00'));
    const failures = async (): Promise<number> => {
      const rows = await scheduler.dataSource.query<{ failures: number }>(
        'select failures from audience_lookup where campaign = $1',
        [campaign],
      );
      return rows[0]?.failures ?? 0;
    };
    await eventually(async () => {
      clock.advance(2_000);
      return (await failures()) > 6;
    }, PATIENT);
    const away = await scheduler.call('GET', `/v1/campaigns/${campaign}`, { authorization: token });
    expect(away.body).toMatchObject({ state: 'planning', waitingFor: { toLookUp: 2, byFallback: 0 } });

    await stage.freeze(new Date(clock.now()).toISOString());
    const body = { baseUrl: stage.target.url };
    await scheduler.call('PATCH', `/v1/projects/${serviceId}`, { authorization: token, body });
    // Longer than the longest pause between two rounds, in a few steps.
    await planned(campaign, () => clock.advance(15_000));
    clock.set(from);
    await stage.freeze(START);
    expect(await cellsOf(campaign)).toEqual([
      ['UTC+01:00|registered-offset|0|all|all', 1],
      ['UTC-05:00|registered-offset|0|all|all', 1],
    ]);
    expect((await planOf(campaign)).warnings.map(({ code }) => code)).not.toContain('PROVISIONAL');
    // Nothing was handed over while the push service was away, so none of them is uncertain.
    expect(await requestIds(campaign, 2)).toHaveLength(2);
  });

  it('are asked for by pages where the push service has bulk look-up', async () => {
    const users = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`many-${index}`, index]));
    const { serviceId } = await project(users, { extensions: ['user-timezones'] });
    const asked = calls();
    asked.user.mockClear();
    const pages = vi.spyOn(scheduler.internals.pushApi, 'timezonesOf');
    const nobody = Array.from({ length: 1_000 }, (_, index) => `nobody-${index}`);
    const campaign = await publish(dataFor(serviceId, ids(...Object.keys(users), ...nobody)));
    await planned(campaign);
    expect(asked.user).not.toHaveBeenCalled();
    expect(pages.mock.calls.map(([, page]) => page.length)).toEqual([1_000, 5]);
    expect((await planOf(campaign)).warnings).toMatchObject([
      { code: 'UNKNOWN_USERS', text: expect.stringMatching(/: 1000$/) },
    ]);
    expect(await cellsOf(campaign)).toEqual([
      ['Asia/Seoul|fallback|0|all|all', 1_000],
      ['UTC+00:00|registered-offset|0|all|all', 1],
      ['UTC+01:00|registered-offset|0|all|all', 1],
      ['UTC+02:00|registered-offset|0|all|all', 1],
      ['UTC+03:00|registered-offset|0|all|all', 1],
      ['UTC+04:00|registered-offset|0|all|all', 1],
    ]);
  });

  it.each([[[]], [['user-timezones']]])(
    'are looked up for a preview that asks for it, with extensions %j',
    async (extensions) => {
      const { serviceId } = await project({ paris: 1 }, { extensions });
      const data = dataFor(serviceId, ids('paris'));
      const first = await preview(data);
      expect(first.warnings[0]?.code).toBe('PROVISIONAL');
      const looked = await preview(data, '?lookUp=true');
      expect(looked.items.map(({ cell }) => cell)).toEqual(['UTC+01:00|registered-offset|0|all|all']);
      expect(looked.totals).toMatchObject({ provisional: 0, fallbackRecipients: 0 });
      expect(looked.warnings).toEqual([]);
    },
  );
});

describe('the ids of a list', () => {
  it('are looked up where neither it nor the directory has a zone of them, lookupMax at most', async () => {
    const { serviceId } = await project({ seoul: 9, paris: 1, york: -5, lima: -5 }, { lookupMax: 4 });
    const put = (path: string, body: string) =>
      scheduler.call('PUT', `/v1/${path}?serviceId=${serviceId}`, {
        authorization: token,
        body,
        headers: { 'content-type': 'text/csv' },
      });
    await put('audiences/mixed', 'seoul\nparis\nyork\nlima\nnobody\nrome,Europe/Rome\noslo\n');
    await put('recipients/zones', 'oslo,Europe/Oslo\n');
    const data = dataFor(serviceId, { type: 'USER', list: 'mixed' });
    const asked = calls();
    expect((await preview(data)).totals).toMatchObject({ provisional: 5, recipients: 7 });
    const campaign = await publish(data);
    await planned(campaign);
    expect(asked.user.mock.calls.filter(([service]) => service === serviceId)).toHaveLength(4);
    const cells = await cellsOf(campaign);
    expect(cells).toContainEqual(['Europe/Rome|given|0|all|all', 1]);
    expect(cells).toContainEqual(['Europe/Oslo|directory|0|all|all', 1]);
    expect(cells.reduce((sum, [, recipients]) => sum + (recipients ?? 0), 0)).toBe(7);
    const online = await preview(data, '?lookUp=true');
    expect(online.totals).toMatchObject({ provisional: 0, fallbackRecipients: 1 });
    expect(online.warnings).toMatchObject([{ code: 'UNKNOWN_USERS', text: expect.stringMatching(/: 1$/) }]);
  });
});

describe('carillon plan --online', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('shows the plan of the scheduler, with the zones that the push service knows', async () => {
    const { serviceId } = await project({ paris: 1, york: -5 });
    const folder = mkdtempSync(join(tmpdir(), 'carillon plan '));
    const file = join(folder, 'data.json');
    writeFileSync(file, JSON.stringify(dataFor(serviceId, ids('paris', 'york', 'nobody'))));
    vi.stubEnv('CARILLON_URL', scheduler.url);
    vi.stubEnv('CARILLON_TOKEN', token.replace('Bearer ', ''));
    let printed = '';
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      printed += String(chunk);
      return true;
    });
    await carillon().parseAsync(['node', 'carillon', 'plan', file, '--online']);
    write.mockRestore();
    rmSync(folder, { recursive: true });
    expect(printed).toContain(`by the scheduler, for its push project ${serviceId}`);
    expect(printed).toContain('UTC+01:00 (registered-offset)');
    expect(printed).toContain('UTC-05:00 (registered-offset)');
    expect(printed).toContain('3 cells, 3 requests, 3 recipients (1 of them by fallback)');
    expect(printed).not.toContain('ZONES NOT KNOWN');
  });
});

describe('GET /v1/campaigns/{id} of a campaign that waits', () => {
  const waitingFor = async (campaign: string) => {
    const answer = await scheduler.call('GET', `/v1/campaigns/${campaign}`, { authorization: token });
    return answer.body as { state: string; waitingFor: Record<string, unknown> | null };
  };

  it('says how many ids are looked up and still to be, and until when it waits', async () => {
    const { serviceId } = await project({}, { baseUrl: 'http://127.0.0.1:9' });
    const campaign = await publish(dataFor(serviceId, ids('d', 'e', 'f')));
    // The clock stands, so there is no second round.
    const shown = await eventuallyFound(async () => {
      const answer = await waitingFor(campaign);
      return answer.waitingFor?.['failedRounds'] === 1 ? answer : undefined;
    }, PATIENT);
    expect(shown).toMatchObject({
      state: 'planning',
      waitingFor: {
        what: 'USER_OFFSETS',
        ids: 3,
        lookedUp: 0,
        toLookUp: 3,
        byFallback: 0,
        since: START,
        // Ten minutes before 18:00 in UTC+14, where one of them may live.
        until: '2027-03-01T03:50:00.000Z',
      },
    });
  });

  it('says that it waits for the counts of offsets', async () => {
    const settings = { baseUrl: 'http://127.0.0.1:9', extensions: ['target-timezone'] };
    const { serviceId } = await project({}, settings);
    const campaign = await publish(dataFor(serviceId, { type: 'ALL' }));
    const shown = await eventuallyFound(async () => (await waitingFor(campaign)).waitingFor, PATIENT);
    expect(shown).toMatchObject({ what: 'OFFSET_COUNTS', ids: null, lookedUp: null, toLookUp: null });
  });

  it('says null once it is planned', async () => {
    const { serviceId } = await project({ seoul: 9 });
    const campaign = await publish(dataFor(serviceId, ids('seoul')));
    await planned(campaign);
    expect((await waitingFor(campaign)).waitingFor).toBeNull();
  });

  it('stands in the OpenAPI document', async () => {
    const { body } = await scheduler.call('GET', '/openapi.json', { authorization: token });
    const { schemas } = (body as { components: { schemas: Json } }).components;
    const shown = JSON.stringify(schemas['CampaignWithRevisions']);
    for (const member of ['waitingFor', 'toLookUp', 'byFallback', 'until']) expect(shown).toContain(member);
  });
});

describe('everybody, where the push service has target-timezone', () => {
  it('is a cell for each registered offset, counted once, and reached at the hour of each', async () => {
    const { serviceId } = await project(
      { seoul: 9, busan: 9, paris: 1 },
      { extensions: ['target-timezone'] },
    );
    const data = dataFor(serviceId, { type: 'ALL' });
    const asked = calls();
    asked.timezones.mockClear();
    const before = await preview(data);
    expect(before.warnings.map(({ code }) => code)).toContain('OFFSETS_NOT_LOOKED_UP');
    expect(asked.timezones).not.toHaveBeenCalled();

    const campaign = await publish(data);
    await planned(campaign);
    expect(asked.timezones.mock.calls).toEqual([[serviceId, undefined, 0]]);
    expect(await cellsOf(campaign)).toEqual([
      ['UTC+01:00|registered-offset|0|all|all', 1],
      ['UTC+09:00|registered-offset|0|all|all', 2],
    ]);
    const after = await preview(data);
    expect(after.items.map(({ cell, target }) => [cell, target])).toEqual(
      expect.arrayContaining([
        ['UTC+01:00|registered-offset|0|all|all', { type: 'ALL', timezone: [HOUR_S] }],
        ['UTC+09:00|registered-offset|0|all|all', { type: 'ALL', timezone: [9 * HOUR_S] }],
      ]),
    );
    expect(after.warnings.map(({ code }) => code)).toEqual(['REGISTERED_OFFSETS_MOVE']);
    expect(asked.timezones).toHaveBeenCalledTimes(1);

    const requests = await requestIds(campaign, 2);
    expect(await reachedAt(requests, ['2027-03-01T09:00:00Z', '2027-03-01T17:00:00Z'])).toEqual({
      seoul: '2027-03-01T09:00:00.000Z',
      busan: '2027-03-01T09:00:00.000Z',
      paris: '2027-03-01T17:00:00.000Z',
    });
  });

  it('asks for the offsets of one channel alone', async () => {
    const client = await project({ outside: 3 }, { extensions: ['target-timezone'] });
    await client.post('channels', { channelName: 'vip' });
    await client.register({ userId: 'inside', timezone: -7 * HOUR_S, channelName: 'vip' });
    const campaign = await publish(dataFor(client.serviceId, { type: 'CHANNEL', to: ['vip'] }));
    await planned(campaign);
    expect(await cellsOf(campaign)).toEqual([['UTC-07:00|registered-offset|0|all|all', 1]]);
  });
});
