// The directory of users' zones: what HTTP and Kafka put into it, which zone a campaign then goes by, and where it and the push
// service disagree.
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { deleteGoneZones } from '../../../src/scheduler/store/recipient-zone.store.js';
import { writeOffsets } from '../../../src/scheduler/store/registered-offset.store.js';
import { TakeZones } from '../../../src/scheduler/accept/zones/take-zones.js';
import { fromKafka, type Json } from '../../support/scheduler/intake-world.js';
import { ListWorld, SERVICE } from '../../support/scheduler/list-world.js';

const DAY_MS = 86_400_000;
const PATH = `/v1/recipients/zones?serviceId=${SERVICE}`;

let world: ListWorld;
beforeAll(async () => {
  world = await ListWorld.open();
});
afterAll(() => world.close());

const put = async (body: unknown, headers: Record<string, string> = {}) =>
  world.scheduler.call('PUT', PATH, { authorization: world.publisher, body, headers });
const putRecipients = (zones: Record<string, string | null>) =>
  put({ recipients: Object.entries(zones).map(([userId, zone]) => ({ userId, zone })) });

async function directory(): Promise<Record<string, string | null>> {
  const rows = await world.scheduler.dataSource.query<{ user_id: string; zone: string | null }>(
    'select user_id, zone from recipient_zone order by user_id',
  );
  return Object.fromEntries(rows.map(({ user_id: userId, zone }) => [userId, zone]));
}
const empty = () => world.scheduler.dataSource.query('delete from recipient_zone');

describe('over HTTP', () => {
  it('takes JSON, CSV and NDJSON; null and nothing take a zone away', async () => {
    await empty();
    expect((await putRecipients({ anna: 'Asia/Seoul', ben: 'Europe/Paris', cem: null })).body).toMatchObject({
      rows: 3,
      written: 3,
      deleted: 1,
      older: 0,
      invalidZones: [],
    });
    const csv = gzipSync('userId,zone\nben,\ndora,Asia/Tokyo\n');
    expect((await put(csv, { 'content-type': 'text/csv', 'content-encoding': 'gzip' })).body).toMatchObject({
      rows: 2,
      deleted: 1,
    });
    await put('{"userId":"eve","zone":"Africa/Lagos"}\n', { 'content-type': 'application/x-ndjson' });
    expect(await directory()).toEqual({
      anna: 'Asia/Seoul',
      ben: null,
      cem: null,
      dora: 'Asia/Tokyo',
      eve: 'Africa/Lagos',
    });
  });

  it('tells names that are no zones, and keeps what it had; the last row of a user counts', async () => {
    await empty();
    await putRecipients({ anna: 'Asia/Seoul' });
    const answer = await put('anna,Asia/Soul\nben,Asia/Tokyo\nben,Asia/Seoul\n', {
      'content-type': 'text/csv',
    });
    expect(answer.body).toMatchObject({
      rows: 3,
      written: 1,
      invalidZones: [{ value: 'Asia/Soul', rows: 1, near: 'Asia/Seoul' }],
    });
    expect(await directory()).toEqual({ anna: 'Asia/Seoul', ben: 'Asia/Seoul' });
  });

  it('keeps the pages before a fault, and says so', async () => {
    await empty();
    const rows = Array.from({ length: 30_000 }, (_, index) => `user-${index},Asia/Seoul`);
    const answer = await put(`${rows.join('\n')}\n,Asia/Seoul\n`, { 'content-type': 'text/csv' });
    expect(answer.body).toMatchObject({
      status: 422,
      code: 'INVALID_ROWS',
      detail: expect.stringMatching(/^line 30001: .* rows before it are kept/) as string,
    });
    const kept = Number(/(\d+) rows before/.exec((answer.body as { detail: string }).detail)?.[1]);
    expect(Object.keys(await directory())).toHaveLength(kept);
    expect((await put(rows.join('\n'), { 'content-type': 'text/csv' })).body).toMatchObject({
      written: 30_000,
    });
    await empty();
  });

  it.each([
    ['nobody', { recipients: [] }, 400],
    ['an id that is too long', { recipients: [{ userId: 'x'.repeat(129), zone: null }] }, 400],
    ['a misspelt member', { recipients: [{ userid: 'x', zone: null }] }, 400],
    ['a NUL', { recipients: [{ userId: 'a\0', zone: null }] }, 400],
  ])('refuses %s', async (_what, body, status) => {
    expect((await put(body)).status).toBe(status);
  });
});

describe('over Kafka', () => {
  const refused: string[] = [];
  let offset = 0;
  const said = (userId: string, zone: string | null, time: number, more: Json = {}, data: Json = {}) => {
    offset += 1;
    return fromKafka(
      {
        specversion: '1.0',
        id: `zone-${offset}`,
        source: '/shop/crm',
        type: 'carillon.recipient.zone.v1',
        time: new Date(time).toISOString(),
        data: { serviceId: SERVICE, userId, zone, ...data },
        ...more,
      },
      { topic: 'recipient.zones', offset: String(offset) },
    );
  };
  const take = async (...raws: ReturnType<typeof said>[]): Promise<void> => {
    const { dataSource } = world.scheduler;
    const intake = new TakeZones({
      inTransaction: (work) => dataSource.transaction(work),
      clock: world.clock,
      rules: loadZoneRules(),
      log: pino({ level: 'silent' }),
      refused: (code) => void refused.push(code),
    });
    const nothing = () => Promise.resolve();
    await intake.accept(raws, { before: nothing, after: nothing });
  };

  beforeAll(async () => {
    const authorization = await world.scheduler.bearer(['admin']);
    await world.scheduler.call('PATCH', `/v1/projects/${SERVICE}`, {
      authorization,
      body: { sources: ['/shop/*'] },
    });
  });

  it('takes what is newest, however it comes, and an older one never comes back', async () => {
    await empty();
    const now = world.clock.now();
    await take(said('anna', 'Asia/Tokyo', now - 1_000), said('anna', 'Asia/Seoul', now - 2_000));
    await take(said('anna', 'Europe/Paris', now - 3_000));
    expect(await directory()).toEqual({ anna: 'Asia/Tokyo' });
    await take(said('anna', null, now - 500));
    await take(said('anna', 'Europe/Paris', now - 600));
    expect(await directory()).toEqual({ anna: null });
    // By hand it is said now.
    await putRecipients({ anna: 'Asia/Seoul' });
    await take(said('anna', 'Europe/Paris', now - 100));
    expect(await directory()).toEqual({ anna: 'Asia/Seoul' });
    expect(refused).toEqual([]);
  });

  it('passes over what cannot be taken, and takes the others of the chunk', async () => {
    await empty();
    const now = world.clock.now();
    await take(
      said('a', 'Asia/Soul', now),
      said('b', 'Asia/Seoul', now + 600_000),
      said('c', 'Asia/Seoul', now, { source: '/other' }),
      said('d', 'Asia/Seoul', now, {}, { serviceId: 'nobody' }),
      said('e', 'Asia/Seoul', now, { type: 'carillon.campaign.scheduled.v1' }),
      said('f', 'Asia/Seoul', now, {}, { more: 1 }),
      fromKafka(Buffer.from('no json')),
      { ...said('g', 'Asia/Seoul', now), key: Buffer.from(`${SERVICE}/other`) },
      { ...said('h', 'Asia/Seoul', now), key: Buffer.from(`${SERVICE}/h`) },
    );
    expect(await directory()).toEqual({ h: 'Asia/Seoul' });
    expect(refused.splice(0).toSorted()).toEqual(
      [
        'ZONE_UNKNOWN',
        'TIME_AHEAD',
        'SOURCE_NOT_ALLOWED',
        'UNKNOWN_SERVICE',
        'UNKNOWN_TYPE',
        'UNKNOWN_MEMBER',
        'NOT_JSON',
        'KEY_MISMATCH',
      ].toSorted(),
    );
  });
});

describe('a campaign', () => {
  it('goes by the zone that is given, else the directory, else the registered offset, else the fallback', async () => {
    await empty();
    await putRecipients({ anna: 'Europe/Paris', ben: 'Europe/Paris', cem: 'Asia/Tokyo' });
    const offsets = ['ben', 'cem', 'dora'].map((userId) => ({
      userId,
      isUser: true,
      offsetSeconds: -18_000,
    }));
    await writeOffsets(world.scheduler.dataSource, SERVICE, offsets, world.clock.now());
    const wanted = {
      'Europe/Paris|directory|0|all|all': ['ben'],
      'Asia/Tokyo|directory|0|all|all': ['cem'],
      'UTC-05:00|registered-offset|0|all|all': ['dora'],
      'Asia/Seoul|fallback|0|all|all': ['eve'],
    };
    await world.uploaded('mixed', 'anna,Asia/Seoul\nben\ncem\ndora\neve\n');
    const listed = await world.planned(world.data({ audience: { type: 'USER', list: 'mixed' } }));
    const flat = async (id: string) =>
      Object.fromEntries(
        Object.entries(await world.recipients(id)).map(([cell, chunks]) => [cell, chunks.flat()]),
      );
    expect(await flat(listed.id)).toEqual({ ...wanted, 'Asia/Seoul|given|0|all|all': ['anna'] });
    const named = await world.planned(
      world.data({ audience: { type: 'USER', to: ['ben', 'cem', 'dora', 'eve'] } }),
    );
    expect(await flat(named.id)).toEqual(wanted);
    // What is previewed has the same hash as what is planned, also where only the directory has changed between.
    const data = world.data({ audience: { type: 'USER', list: 'mixed' } });
    const plan = (await world.call('POST', '/v1/plans', data)).body as { planHash: string };
    await putRecipients({ ben: 'Asia/Tokyo', cem: 'Europe/Paris' });
    const changed = await world.publish({ ...data, planHash: plan.planHash });
    expect(changed.body).toMatchObject({ code: 'PLAN_CHANGED', difference: { changed: ['cells'] } });
  });

  it('is planned whole where its list has more ids than one statement judges', async () => {
    const rows = Array.from({ length: 250_000 }, (_, index) => `user-${index}`).join('\n');
    await world.uploaded('long', rows);
    await put(Array.from({ length: 50_000 }, (_, index) => `user-${index * 5},Asia/Tokyo`).join('\n'), {
      'content-type': 'text/csv',
    });
    const { id, state } = await world.planned(
      world.data({
        audience: { type: 'USER', list: 'long' },
        delivery: { at: '2027-03-03T09:00', zone: 'recipient' },
      }),
    );
    expect(state).toBe('planned');
    const ids = await world.scheduler.dataSource.query<{ cell: string; ids: number; different: number }>(
      `select s.cell, count(*)::int as ids, count(distinct i.id)::int as different
         from send s join send_recipients r on r.send = s.id cross join lateral unnest(r.recipients) as i(id)
        where s.campaign = $1 group by 1 order by 1`,
      [id],
    );
    expect(ids).toEqual([
      { cell: 'Asia/Seoul|fallback|0|all|all', ids: 200_000, different: 200_000 },
      { cell: 'Asia/Tokyo|directory|0|all|all', ids: 50_000, different: 50_000 },
    ]);
  });
});

describe('drift', () => {
  it('lists users whose zone has another offset now than the push service told', async () => {
    await empty();
    const authorization = await world.scheduler.bearer(['analyst']);
    await putRecipients({
      anna: 'Asia/Seoul',
      ben: 'Asia/Seoul',
      cem: 'Europe/Paris',
      frida: 'Asia/Tokyo',
      eve: null,
    });
    const told = { anna: 32_400, ben: 3_600, cem: 0, eve: 0 };
    const offsets = Object.entries(told).map(([userId, offsetSeconds]) => ({
      userId,
      isUser: true,
      offsetSeconds,
    }));
    await writeOffsets(world.scheduler.dataSource, SERVICE, offsets, world.clock.now());
    const page = async (query = '') =>
      (
        await world.scheduler.call('GET', `/v1/recipients/drift?serviceId=${SERVICE}${query}`, {
          authorization,
        })
      ).body as {
        items: { userId: string }[];
        nextCursor: string | null;
      };
    const all = await page();
    expect(all).toMatchObject({
      items: [
        { userId: 'ben', zone: 'Asia/Seoul', zoneOffsetSeconds: 32_400, registeredOffsetSeconds: 3_600 },
        { userId: 'cem', zone: 'Europe/Paris', zoneOffsetSeconds: 3_600, registeredOffsetSeconds: 0 },
      ],
      nextCursor: null,
    });
    const first = await page('&limit=1');
    expect(first.items.map(({ userId }) => userId)).toEqual(['ben']);
    const second = await page(`&limit=1&cursor=${first.nextCursor}`);
    expect(second.items.map(({ userId }) => userId)).toEqual(['cem']);
  });
});

it('forgets after a month that a zone was taken away', async () => {
  await empty();
  await putRecipients({ anna: null, ben: 'Asia/Seoul' });
  const { dataSource } = world.scheduler;
  expect(await deleteGoneZones(dataSource, new Date(world.clock.now()), 100)).toBe(0);
  expect(await deleteGoneZones(dataSource, new Date(world.clock.now() + DAY_MS), 100)).toBe(1);
  expect(await directory()).toEqual({ ben: 'Asia/Seoul' });
});
