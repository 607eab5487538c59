// Both services read wall times by the same zone rules: here by a TZDATA_DIR that is like no release and no ICU, in which
// Vancouver goes by Chisinau's clock and Seoul by Taipei's.
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IcuZoneRules } from '../../../src/zone-rules/zone-rules-icu.js';
import type { Client } from '../../contract/push-service/support/client.js';
import { message, send } from '../../contract/push-service/support/stage.js';
import { dataOf, TwoServices, type Plan } from '../../support/scheduler/two-services.js';

const FIXTURE = fileURLToPath(new URL('../../vectors/tzdata-2026f', import.meta.url));
const ZONE = 'America/Vancouver';

let folder = '';
let world: TwoServices;
let service: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-zones-'));
  cpSync(FIXTURE, folder, { recursive: true });
  copyFileSync(join(FIXTURE, 'Europe/Chisinau'), join(folder, ZONE));
  mkdirSync(join(folder, 'Asia'));
  copyFileSync(join(FIXTURE, 'ROC'), join(folder, 'Asia/Seoul'));
  world = await TwoServices.open('api,plan', { TZDATA_DIR: folder });
  service = await world.project();
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

describe('under one TZDATA_DIR', () => {
  // Chisinau: 2 hours ahead of UTC, 3 from 2027-03-28 03:00 until 2027-10-31 04:00.
  it.each([
    ['2027-03-05 09:00', '2027-03-05T07:00:00.000Z'],
    ['2027-07-05 09:00', '2027-07-05T06:00:00.000Z'],
    ['2027-03-28 03:30', '2027-03-28T01:30:00.000Z'],
    ['2027-10-31 03:30', '2027-10-31T00:30:00.000Z'],
  ])('%s is %s to the scheduler and to the push service, though not to ICU', async (local, instant) => {
    const at = local.replace(' ', 'T');
    const previewed = await world.preview(
      dataOf({ serviceId: service.serviceId, delivery: { at, zone: ZONE } }),
    );
    expect([previewed.status, (previewed.body as Plan).items.map(({ dueAt }) => dueAt)]).toEqual([
      200,
      [instant],
    ]);

    const requestId = await send(service, message({ reserveTime: local, reserveTimeZone: ZONE }));
    const taken = (await world.taken()).find((one) => one.requestId === requestId);
    expect(taken?.fireAt?.toISOString()).toBe(instant);

    const shown = new IcuZoneRules().table(ZONE)?.toLocal(Date.parse(instant)) ?? 0;
    expect(new Date(shown).toISOString().slice(0, 16)).not.toBe(at);
  });

  it('schedules and the times of answers go by them as well', async () => {
    const made = await service.post('schedules', {
      scheduleCode: 'DAILY',
      scheduleTimeZone: ZONE,
      scheduleTime: '09:00',
      startDate: '2027-03-05',
    });
    expect(made.status).toBe(201);
    expect(made.field('createTime')).toBe('2027-03-01T08:00:00.000');
    expect((await world.nextFiring('DAILY'))?.toISOString()).toBe('2027-03-05T07:00:00.000Z');
  });

  it('both refuse a zone that they lack, whatever ICU knows', async () => {
    const zone = 'Europe/Berlin';
    const delivery = { at: '2027-03-05T09:00', zone };
    const previewed = await world.preview(dataOf({ serviceId: service.serviceId, delivery }));
    expect(previewed.status).toBe(422);
    const reserved = message({ reserveTime: '2027-03-05 09:00', reserveTimeZone: zone });
    const refused = await service.post('messages', reserved);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('reserveTimeZone: is no name'),
    ]);
  });

  it('both show the release and where it comes from', async () => {
    const zoneRules = { version: '2026f', source: `TZif ${folder}`, yearsBehind: 1 };
    const ready = await world.get('/health/ready');
    expect(ready.body).toMatchObject({ zoneRules });
    expect((await world.stage.management.call('GET', '/health/ready')).json()).toMatchObject({ zoneRules });
  });
});
