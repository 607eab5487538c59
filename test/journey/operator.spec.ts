// Two stories of an operator who has nothing but the command line, on a whole scheduler and the real push service: a zone whose
// reservations fail, from status to proof; and a night on which answers are lost, each send settled by the push service's own list.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../contract/push-service/support/client.js';
import { carillonPush } from '../contract/push-service/support/carillon-push.js';
import { carillon, type Ended } from '../support/compiled.js';
import { eventually } from '../support/eventually.js';
import { scheduled, type Json } from '../support/scheduler/intake-world.js';
import { START, TwoServices } from '../support/scheduler/two-services.js';

const HOUR = 3_600_000;
const PATIENT = { withinMs: 90_000, everyMs: 500 };
const folder = mkdtempSync(join(tmpdir(), 'operator-'));
let world: TwoServices;
let at = START;

beforeAll(async () => {
  world = await TwoServices.open('api,accept,plan,dispatch,follow,publish', {
    ALERT_FAILURES: '1',
    ALERT_UNCERTAIN_SECONDS: '30',
    ALERT_LATE_SECONDS: '86400',
    ALERT_ZONE_RULES_YEARS: '10',
  });
}, 120_000);
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

/** A token lasts an hour, which passes at once here. */
async function run(...args: string[]): Promise<Ended> {
  const bearer = await world.scheduler.bearer(['publisher', 'operator', 'analyst']);
  return carillon(args, {
    CARILLON_URL: world.scheduler.url,
    CARILLON_TOKEN: bearer.slice('Bearer '.length),
  });
}
async function said(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect([args, code, stderr]).toEqual([args, 0, '']);
  return stdout;
}
async function json<Answer>(...args: string[]): Promise<Answer> {
  return JSON.parse(await said(...args, '--json')) as Answer;
}
const pass = (ms: number): Promise<void> => world.moveTo((at += ms));
async function publish(campaignId: string, data: Json): Promise<void> {
  const file = join(folder, `${campaignId}.json`);
  writeFileSync(file, JSON.stringify(scheduled(campaignId, data, { time: new Date(at).toISOString() })));
  await said('publish', file);
}
const sendsOf = async (campaign: string): Promise<Record<string, number>> =>
  (await json<{ sends: Record<string, number> }>('campaigns', 'show', campaign)).sends;
const become = (campaign: string, wanted: Record<string, number>, stepMs = 5_000): Promise<void> =>
  eventually(async () => {
    await pass(stepMs);
    expect(await sendsOf(campaign)).toEqual(wanted);
  }, PATIENT);

describe('a zone whose reservations fail', () => {
  const SEOUL = ['seoul-1', 'seoul-2'];
  let client: Client;
  let campaign: string;
  /** The options that name its sends, as failures prints them. */
  let group: string[];

  it('is seen in status, once it has failed', async () => {
    client = await world.project({ maxTo: 1, reserveHorizonMs: 24 * HOUR });
    const { serviceId } = client;
    for (const userId of SEOUL) await client.register({ userId, deviceToken: `fail-${userId}` });
    await client.register({ userId: 'berlin-1' });
    const segment = (zone: string, to: string[]) => ({ zone, audience: { type: 'USER', to } });
    await publish('breakfast', {
      serviceId,
      audience: undefined,
      delivery: {
        at: '2027-03-01T18:00',
        zone: 'recipient',
        segments: [segment('Asia/Seoul', SEOUL), segment('Europe/Berlin', ['berlin-1'])],
      },
    });
    campaign = `${serviceId}/breakfast`;
    await become(campaign, { reserved: 3 });
    expect(await said('status')).toMatch(/^All is well: /);
    expect(await said('campaigns', 'plan', campaign)).toMatch(/Asia\/Seoul[^]*2 reserved[^]*Europe\/Berlin/);
    await world.moveTo((at = START + 9 * HOUR));
    await become(campaign, { failed: 2, reserved: 1 });
    await eventually(async () => {
      const { code, stdout } = await run('status');
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^1 thing needs you\nwarning FAILURES of /)]);
      expect(stdout).toContain('docs/operate/runbook.md#failures');
    }, PATIENT);
    await eventually(async () => expect(await said('alerts')).toContain(`FAILURES of ${serviceId}`), PATIENT);
  }, 180_000);

  it('is found by its group, with what the push service said', async () => {
    const { items } = await json<{ items: { zone: string; sends: number; retryable: boolean }[] }>(
      'failures',
      '--group-by',
      'code,project,zone',
    );
    expect(items).toEqual([expect.objectContaining({ zone: 'Asia/Seoul', sends: 2, retryable: true })]);
    group = (await said('failures', '--group-by', 'code,project,zone', '-q')).trim().split(' ');
    const ids = (await said('sends', ...group, '-q')).trim().split('\n');
    expect(ids).toHaveLength(2);
    expect(await said('sends', 'show', ids[0] ?? '')).toMatch(
      /: failed \(.*\n[^]*: Asia\/Seoul, reserved, due 2027-03-01 09:00Z, 1 user\nrequest \S+ of the push service\ndevices: 1 targeted, 0 taken/,
    );
  });

  it('is retried after a preview, once its reason is mended', async () => {
    for (const userId of SEOUL) await client.register({ userId, deviceToken: `good-${userId}` });
    const retries = ['retries', 'create', ...group];
    expect(await said(...retries, '--preview')).toMatch(
      /: ready\nfound: 2 sends\nwould be retried: 2 sends\n[^]*due from 2027-03-01 09:[^]*Nothing was changed\.\n$/,
    );
    expect(await sendsOf(campaign)).toEqual({ failed: 2, reserved: 1 });
    expect(await said(...retries, '--yes', '--wait')).toMatch(
      /: done\nfound: 2 sends\nto be retried: 2 sends, 2 so far/,
    );
    await become(campaign, { sent: 2, reserved: 1 });
  }, 120_000);

  it('is proved to have gone, and status is well again', async () => {
    await world.moveTo((at = START + 17 * HOUR));
    await become(campaign, { sent: 3 });
    const report = await json<{ final: boolean; balanced: boolean; totals: { devices: Json } }>(
      'campaigns',
      'report',
      campaign,
    );
    // Each of the two in Seoul has a second device by then, and the first still takes nothing.
    expect(report).toMatchObject({ balanced: true, totals: { devices: { target: 5, sent: 3, failed: 2 } } });
    const taken = await carillonPush(world.stage.target, [
      'messages',
      'list',
      client.serviceId,
      '--from',
      new Date(START).toISOString(),
      '--to',
      new Date(at + HOUR).toISOString(),
    ]);
    // Three reservations, and the two retries.
    expect((JSON.parse(taken.out) as { items: unknown[] }).items).toHaveLength(5);
    await eventually(async () => expect((await run('status')).stdout).toMatch(/^All is well: /), PATIENT);
  }, 120_000);
});

describe('a night on which answers are lost', () => {
  const USERS = ['ann', 'bob', 'cho'];
  let client: Client;
  let taken: Map<string, string>;

  it('leaves sends uncertain, where the push service cannot prove by keys what it took', async () => {
    // Another gateway, as it were: without keys nothing settles itself.
    client = await world.project({ maxTo: 1, extensions: [] });
    const { serviceId } = client;
    for (const userId of USERS) await client.register({ userId });
    const fault = (kind: string, count: number) =>
      world.stage.management.addFault({ kind, operation: 'sendMessage', count, serviceId });
    await fault('answerLost', 2);
    await fault('reset', 1);
    for (const userId of USERS) {
      await publish(`night-${userId}`, {
        serviceId,
        audience: { type: 'USER', to: [userId] },
        message: { default: { content: `Good night ${userId}` } },
      });
      await become(`${serviceId}/night-${userId}`, { uncertain: 1 }, 0);
    }
    await pass(60_000);
    await eventually(
      async () => expect((await run('status')).stdout).toMatch(/warning UNCERTAIN of /),
      PATIENT,
    );
    expect(await said('uncertain', '--service', serviceId)).toMatch(/^ID +CAMPAIGN +SINCE /);
    expect((await said('uncertain', '--service', serviceId, '-q')).trim().split('\n')).toHaveLength(3);
  }, 180_000);

  it('is settled send by send from the push service’s own list', async () => {
    const { out } = await carillonPush(world.stage.target, [
      'messages',
      'list',
      client.serviceId,
      '--from',
      new Date(at - HOUR).toISOString(),
      '--to',
      new Date(at + HOUR).toISOString(),
    ]);
    const { items } = JSON.parse(out) as { items: { requestId: string; text: string }[] };
    taken = new Map(items.map(({ text, requestId }) => [text, requestId]));
    expect(taken.size).toBe(2);
    const { items: lost } = await json<{ items: { id: string; campaignId: string }[] }>(
      'uncertain',
      '--service',
      client.serviceId,
    );
    for (const { id, campaignId } of lost) {
      const requestId = taken.get(`Good night ${campaignId.replace('night-', '')}`);
      const fate = requestId === undefined ? ['--not-sent'] : ['--sent', '--request-id', requestId];
      await said('sends', 'resolve', id, ...fate, '--reason', 'by the list of the push service');
      if (requestId === undefined) await said('sends', 'retry', id);
    }
    expect(await said('uncertain', '--service', client.serviceId)).toBe('nothing is uncertain\n');
  }, 60_000);

  it('ends with one message for everybody', async () => {
    for (const userId of USERS) await become(`${client.serviceId}/night-${userId}`, { sent: 1 });
    const { taken: messages, handed } = (await world.counts()).get(client.serviceId) ?? {};
    expect({ messages, handed }).toEqual({ messages: 3, handed: 3 });
    expect((await run('uncertain')).stdout).toBe('nothing is uncertain\n');
  }, 180_000);
});
