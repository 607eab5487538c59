// POST /v1/projects/{id}/check against the real push service: whether it answers, takes the key, and agrees with our clock.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { startTarget, type Target } from '../../contract/push-service/support/target.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  callJson,
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

interface Report {
  ok: boolean;
  checks: { name: string; ok: boolean; text: string }[];
}

const clock = new SteppedClock(Date.now());
let target: Target;
let key: { accessKey: string; secretKey: string };
let database: TestDatabase;
let scheduler: TestScheduler;
let admin: string;

beforeAll(async () => {
  target = await startTarget();
  await eventually(async () => {
    const made = await callJson(`${target.managementUrl}/v1/services`, 'POST', {
      authorization: `Bearer ${target.managementToken}`,
      body: { serviceId: 'shop' },
    });
    if (made.status !== 201) return false;
    ({ key } = made.body as { key: typeof key });
    return true;
  });
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url), { clock });
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
  await target.close();
});

const asAdmin = (method: string, path: string, body?: unknown) =>
  scheduler.call(method, path, { authorization: admin, ...(body !== undefined && { body }) });

/** As our clock stands so far ahead of the machine's, by which the push service goes. */
async function check(serviceId: string, aheadMs = 0): Promise<Record<string, { ok: boolean; text: string }>> {
  clock.set(Date.now() + aheadMs);
  const answer = await asAdmin('POST', `/v1/projects/${serviceId}/check`);
  expect(answer.status).toBe(200);
  const { ok, checks } = answer.body as Report;
  expect(ok).toBe(checks.every((each) => each.ok));
  return Object.fromEntries(checks.map(({ name, ...rest }) => [name, rest]));
}

describe('POST /v1/projects/{id}/check', () => {
  it('finds all well with the right key', async () => {
    await asAdmin('POST', '/v1/projects', { serviceId: 'shop', baseUrl: target.url, key });
    expect(await check('shop')).toMatchObject({
      reachability: { ok: true },
      signature: { ok: true },
      clock: { ok: true },
    });
  });

  it('finds our clock wrong before the gateway refuses it', async () => {
    const found = await check('shop', 2 * 60_000);
    expect(found['clock']).toMatchObject({ ok: false, text: expect.stringMatching(/1[12]\d s ahead of/) });
    expect(found['signature']).toMatchObject({ ok: true });
  });

  it('takes a Date for the whole of its second, which it has no part of', async () => {
    const second = Math.floor(Date.now() / 1_000) * 1_000;
    const gateway = createServer((_request, response) => {
      response.setHeader('date', new Date(second).toUTCString());
      response.end();
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    try {
      const { port } = gateway.address() as AddressInfo;
      await asAdmin('POST', '/v1/projects', { serviceId: 'dated', baseUrl: `http://127.0.0.1:${port}`, key });
      const shown = async (now: number): Promise<string | undefined> => {
        clock.set(now);
        const { body } = await asAdmin('POST', '/v1/projects/dated/check');
        return (body as Report).checks.find(({ name }) => name === 'clock')?.text;
      };
      expect(await shown(second)).toBe('our clock agrees with the gateway’s');
      expect(await shown(second + 999)).toBe('our clock agrees with the gateway’s');
      expect(await shown(second + 1_000)).toBe('our clock is 1 s ahead of the gateway’s');
      expect(await shown(second - 1)).toBe('our clock is 1 s behind the gateway’s');
    } finally {
      gateway.close();
    }
  });

  it('corrects a clock that the gateway refuses: shown in the project and in health, until it is mended', async () => {
    const shown = async () => {
      const { body } = await asAdmin('GET', '/v1/projects/shop');
      const { troubles } = (body as { dispatch: { troubles: { code: string; detail: string }[] } }).dispatch;
      return troubles.map(({ code, detail }) => `${code}: ${detail}`);
    };
    const note = async () => {
      const { body } = await asAdmin('GET', '/health/ready');
      const { checks } = body as { checks: { name: string; note?: true; text: string }[] };
      return checks.find(({ name }) => name === 'gateway clocks');
    };
    const TWENTY_MINUTES = 20 * 60_000;
    expect(await check('shop', TWENTY_MINUTES)).toMatchObject({ signature: { ok: false } });
    expect(await check('shop', TWENTY_MINUTES)).toMatchObject({ signature: { ok: true } });
    const text = expect.stringMatching(/our clock is (1199|1200|1201) s ahead of its gateway’s/);
    await eventually(async () => expect(await shown()).toEqual([text]));
    await eventually(async () => expect(await note()).toMatchObject({ note: true, text }));
    expect(await check('shop')).toMatchObject({ signature: { ok: false } });
    expect(await check('shop')).toMatchObject({ signature: { ok: true } });
    await eventually(async () => expect(await shown()).toEqual([]));
    await eventually(async () => expect(await note()).toMatchObject({ ok: true, text: 'ok' }));
  });

  it('finds a wrong secret', async () => {
    const wrong = { accessKey: key.accessKey, secretKey: 'not-the-secret' };
    await asAdmin('POST', '/v1/projects', { serviceId: 'wrong-secret', baseUrl: target.url, key: wrong });
    expect(await check('wrong-secret')).toMatchObject({
      reachability: { ok: true },
      signature: { ok: false, text: expect.stringContaining('refuses the key') },
    });
  });

  it('finds a project without a key', async () => {
    await asAdmin('POST', '/v1/projects', { serviceId: 'keyless', baseUrl: target.url });
    expect(await check('keyless')).toMatchObject({
      signature: { ok: false, text: expect.stringContaining('no key') },
    });
  });

  it('finds a gateway that is not there, and one without TLS', async () => {
    await asAdmin('POST', '/v1/projects', { serviceId: 'nowhere', baseUrl: 'http://push.invalid', key });
    expect(await check('nowhere')).toMatchObject({
      reachability: { ok: false, text: expect.stringContaining('does not answer') },
      signature: { ok: false },
      tls: { ok: false },
    });
  });
});
