// Lists of users over HTTP, on a whole scheduler: what an upload makes of good and bad input, that it is all or nothing, how long a
// version stays, and that a campaign reaches the ids of the version that counted when it was taken.
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepLists } from '../../../src/scheduler/audience/lists/list-sweep.store.js';
import { eventually, eventuallyFound } from '../../support/eventually.js';
import { ListWorld, SERVICE } from '../../support/scheduler/list-world.js';
import type { Json } from '../../support/scheduler/intake-world.js';

const DAY_MS = 86_400_000;
const list = (name: string, more: Json = {}): Json => ({ type: 'USER', list: name, ...more });

let world: ListWorld;
beforeAll(async () => {
  world = await ListWorld.open({ SCHEDULER_REQUEST_TIMEOUT_MS: '1000' });
});
afterAll(() => world.close());

/** Housekeeping of lists until nothing is left to do. */
async function sweep(): Promise<void> {
  const { dataSource } = world.scheduler;
  while ((await sweepLists(dataSource, world.clock.now())) > 0);
  await sweepLists(dataSource, world.clock.now());
}

describe('an upload', () => {
  it('answers with its ids by zone, what was repeated, and what is no zone', async () => {
    const rows =
      'userId,zone\nu1,Asia/Seoul\nu2,Asia/Seoul\nu3,Europe/Paris\nu4\nu1,Europe/Paris\nu5,Asia/Soul\n';
    const uploaded = await world.uploaded('first', rows);
    expect(uploaded).toMatchObject({
      rows: 5,
      duplicates: 1,
      byZone: [
        { zone: 'Asia/Seoul', rows: 2 },
        { zone: null, rows: 1 },
        { zone: 'Europe/Paris', rows: 1 },
      ],
      invalidZones: [{ value: 'Asia/Soul', rows: 1, near: 'Asia/Seoul' }],
      unchanged: false,
      expiresAt: new Date(world.clock.now() + 90 * DAY_MS).toISOString(),
    });
    const { versions, uploads } = await world.list('first');
    expect(versions).toMatchObject([
      { version: uploaded.version, counts: true, rows: 5, duplicates: 1, campaigns: 0 },
    ]);
    expect(uploads).toEqual([]);
    expect(await world.count('audience_page')).toBe(0);
  });

  it('changes nothing where the content is the same, but for its end', async () => {
    const before = await world.uploaded('same', 'a\nb\n', '&expiresInDays=1');
    const packed = await world.put(
      'same',
      gzipSync('a\nb\n'),
      { 'content-encoding': 'gzip' },
      '&expiresInDays=366',
    );
    expect(packed.body).toMatchObject({
      version: before.version,
      unchanged: true,
      expiresAt: new Date(world.clock.now() + 366 * DAY_MS).toISOString(),
    });
    await sweep();
    expect((await world.list('same')).versions).toHaveLength(1);
    // Another list of the same content is another one.
    expect((await world.uploaded('other', 'a\nb\n')).version).not.toBe(before.version);
  });

  it('takes NDJSON, however it is packed', async () => {
    const body = '{"userId":"a","zone":"Asia/Tokyo"}\n"b"\n';
    const type = { 'content-type': 'application/x-ndjson; charset=utf-8' };
    const plain = await world.put('ndjson', body, type);
    expect(plain.body).toMatchObject({ rows: 2, duplicates: 0 });
    const packed = await world.put('ndjson', gzipSync(body), { ...type, 'content-encoding': 'gzip' });
    expect(packed.body).toMatchObject({ unchanged: true });
  });

  it('makes of many rows what they are, each id once', async () => {
    const rows = Array.from(
      { length: 300_000 },
      (_, index) => `user-${index % 200_000},${index % 2 === 0 ? 'Asia/Seoul' : 'Asia/Tokyo'}`,
    );
    const uploaded = await world.uploaded('many', rows.join('\n'));
    expect(uploaded).toMatchObject({ rows: 200_000, duplicates: 100_000 });
    expect(uploaded.byZone).toEqual([
      { zone: 'Asia/Seoul', rows: 100_000 },
      { zone: 'Asia/Tokyo', rows: 100_000 },
    ]);
    const [kept] = await world.scheduler.dataSource.query<{ ids: number }>(
      'select count(distinct i.id)::int as ids from audience_part p, unnest(p.ids) as i(id) where p.version = $1',
      [uploaded.version],
    );
    expect(kept).toEqual({ ids: 200_000 });
  });

  it.each([
    ['a bad row', 'a\nb,Asia/Seoul,x\n', {}, 422, 'INVALID_ROWS', 'line 2'],
    ['a NUL', 'a\0b\n', {}, 422, 'INVALID_ROWS', 'line 1'],
    ['no rows', 'userId,zone\n', {}, 422, 'EMPTY_LIST', 'delete it'],
    [
      'a cut gzip',
      gzipSync('a\nb\n'.repeat(1_000)).subarray(0, 20),
      { 'content-encoding': 'gzip' },
      400,
      'BROKEN_BODY',
      'unpacked',
    ],
    ['no UTF-8', Buffer.from([0x61, 0xff, 0x0a]), {}, 400, 'BROKEN_BODY', 'UTF-8'],
    ['a wrong type', 'a\n', { 'content-type': 'application/pdf' }, 415, 'UNSUPPORTED_MEDIA_TYPE', 'text/csv'],
    ['JSON', '["a"]', { 'content-type': 'application/json' }, 415, 'UNSUPPORTED_MEDIA_TYPE', 'text/csv'],
    [
      'another charset',
      'a\n',
      { 'content-type': 'text/csv; charset=euc-kr' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'UTF-8',
    ],
    ['another packing', 'a\n', { 'content-encoding': 'br' }, 415, 'UNSUPPORTED_MEDIA_TYPE', 'gzip'],
    [
      'no zones',
      Array.from({ length: 1_500 }, (_, row) => `u${row},${row} won`).join('\n'),
      {},
      422,
      'TOO_MANY_ZONES',
      'second column',
    ],
  ])('is refused as a whole: %s', async (_what, body, headers, status, code, why) => {
    await world.uploaded('stays', 'a\n');
    const answer = await world.put('stays', body, headers);
    expect(answer.body).toMatchObject({ status, code, detail: expect.stringContaining(why) as string });
    expect((await world.list('stays')).versions).toMatchObject([{ rows: 1, counts: true }]);
    await sweep();
    expect(await world.count('audience_page')).toBe(0);
    expect(await world.count(`audience_version where name = 'stays'`)).toBe(1);
  });

  it.runIf(Number(process.versions.node.split('.')[0]) < 22)(
    'says that this Node does not unpack zstd',
    async () => {
      const answer = await world.put('zstd', 'a\n', { 'content-encoding': 'zstd' });
      expect(answer.body).toMatchObject({ status: 415, detail: expect.stringContaining('22.15') as string });
    },
  );

  it('is of a project that the token holds, and takes a publisher', async () => {
    const { scheduler } = world;
    const foreign = await scheduler.bearer(['publisher'], ['another-app']);
    const analyst = await scheduler.bearer(['analyst']);
    const path = `/v1/audiences/first?serviceId=${SERVICE}`;
    const put = (authorization: string) =>
      scheduler.call('PUT', path, { authorization, body: 'a\n', headers: { 'content-type': 'text/csv' } });
    expect((await put(foreign)).body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await put(analyst)).body).toMatchObject({ status: 403 });
    expect((await scheduler.call('GET', path, { authorization: foreign })).status).toBe(404);
    expect((await scheduler.call('DELETE', path, { authorization: foreign })).status).toBe(404);
    expect((await world.call('PUT', '/v1/audiences/a%20b?serviceId=shop-app')).status).toBe(400);
  });
});

/** An upload whose sender takes its time. */
function slowly(name: string) {
  const { url } = world.scheduler;
  let answer: { status: number; body: unknown } | undefined;
  const sent = request(`${url}/v1/audiences/${name}?serviceId=${SERVICE}`, {
    method: 'PUT',
    headers: { authorization: world.publisher, 'content-type': 'text/csv' },
  });
  sent.on('error', () => undefined);
  sent.on('response', (response) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('end', () => {
      answer = {
        status: response.statusCode ?? 0,
        body: JSON.parse(Buffer.concat(pieces).toString()) as unknown,
      };
    });
  });
  sent.write('userId,zone\nslow-1,Asia/Seoul\n');
  return { sent, answer: () => eventuallyFound(() => Promise.resolve(answer), { withinMs: 50_000 }) };
}

describe('an upload under way', () => {
  const underWay = (name: string) =>
    eventually(
      async () => (await world.count(`audience_version where name = '${name}' and state = 'loading'`)) === 1,
    );

  it('may take longer than other requests, is shown, and keeps another of its name out', async () => {
    const { sent, answer } = slowly('slow');
    await underWay('slow');
    // Longer than SCHEDULER_REQUEST_TIMEOUT_MS, and than Node waits between two looks.
    const since = performance.now();
    await eventually(() => performance.now() - since > 3_500);
    sent.write('slow-2\n');
    await eventually(async () => Number((await world.list('slow')).uploads[0]?.['rows']) === 2);
    expect((await world.list('slow')).uploads).toMatchObject([
      { rows: 2, bytes: expect.any(Number) as number },
    ]);
    const other = await world.put('slow', 'x\n');
    // The turn of its service is taken.
    expect([409, 503, 429]).toContain(other.status);
    sent.end('slow-3');
    expect(await answer()).toMatchObject({ status: 200, body: { rows: 3 } });
  });

  it('leaves nothing where its sender goes away', async () => {
    const { sent } = slowly('gone');
    await underWay('gone');
    sent.destroy();
    await eventually(async () => {
      await sweep();
      return (await world.count(`audience_version where name = 'gone'`)) === 0;
    });
    expect(await world.count('audience_page')).toBe(0);
    expect((await world.call('GET', `/v1/audiences/gone?serviceId=${SERVICE}`)).status).toBe(404);
  });

  it('is called off by a delete of its list', async () => {
    const { sent, answer } = slowly('off');
    await underWay('off');
    const deleted = await world.call('DELETE', `/v1/audiences/off?serviceId=${SERVICE}`);
    expect(deleted.body).toMatchObject({ versions: 1, keptBy: 0 });
    sent.end('slow-2\n');
    expect(await answer()).toMatchObject({ status: 409, body: { code: 'UPLOAD_CALLED_OFF' } });
  });

  it('is swept after a crash, and does not keep the next one out', async () => {
    const { dataSource } = world.scheduler;
    await dataSource.query(
      `insert into audience_version (version, service_id, name, uploaded_by, begun_at, beat_at)
       values (gen_random_uuid(), $1, 'crashed', 'spec', now(), clock_timestamp() - interval '2 minutes')`,
      [SERVICE],
    );
    expect(await world.uploaded('crashed', 'a\n')).toMatchObject({ rows: 1 });
    await sweep();
    expect(await world.count(`audience_version where name = 'crashed'`)).toBe(1);
  });
});

describe('a campaign', () => {
  it('goes to the ids of its list, in their zones, in requests of maxTo', async () => {
    await world.uploaded(
      'vip',
      'a,Asia/Seoul\nb,Asia/Seoul\nc,Asia/Seoul\nd,Europe/Paris\ne\nf,Nowhere/Land\n',
    );
    const { id, state } = await world.planned(world.data({ audience: list('vip') }));
    expect(state).toBe('planned');
    const cells = await world.recipients(id);
    expect(
      Object.fromEntries(Object.entries(cells).map(([cell, chunks]) => [cell, chunks.flat().toSorted()])),
    ).toEqual({
      'Asia/Seoul|given|0|all|all': ['a', 'b', 'c'],
      'Europe/Paris|given|0|all|all': ['d'],
      'Asia/Seoul|fallback|0|all|all': ['e', 'f'],
    });
    expect(cells['Asia/Seoul|given|0|all|all']?.map((ids) => ids.length)).toEqual([2, 1]);
    const plan = (await world.call('GET', `/v1/campaigns/${id}/plan`)).body as Json;
    expect(plan).toMatchObject({
      totals: { recipients: 6, fallbackRecipients: 2, invalidZones: { 'Nowhere/Land': 1 } },
    });
    expect(await world.count('audience_known')).toBe(0);
  });

  it.each([
    ['now', { delivery: { now: true } }, ['Asia/Seoul|project|0|all|all']],
    [
      'on one clock',
      { delivery: { at: '2027-03-02T09:00', zone: 'Asia/Tokyo' } },
      ['Asia/Tokyo|delivery|0|all|all'],
    ],
    [
      'split by device type',
      { delivery: { now: true }, policy: { split: ['deviceType'] } },
      ['Asia/Seoul|project|0|APNS|all', 'Asia/Seoul|project|0|GCM|all'],
    ],
    [
      'again and again',
      { delivery: { at: '2027-03-02T09:00', zone: 'Asia/Tokyo', recurrence: 'FREQ=DAILY;COUNT=2' } },
      ['Asia/Tokyo|delivery|0|all|all'],
    ],
  ])('reaches every id %s', async (_what, more, names) => {
    await world.uploaded('everybody', 'a,Asia/Seoul\nb,Europe/Paris\nc\n');
    const { id } = await world.planned(world.data({ audience: list('everybody'), ...more }));
    const cells = await world.recipients(id);
    expect(Object.keys(cells)).toEqual(names);
    for (const chunks of Object.values(cells))
      expect([...new Set(chunks.flat())].toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('keeps the version that counted when it was taken, until seven days after its end', async () => {
    const first = await world.uploaded('pinned', 'a\nb\n');
    const { id } = await world.planned(world.data({ audience: list('pinned') }));
    const second = await world.uploaded('pinned', 'c\n');
    await world.moveTo(world.clock.now() + 2 * DAY_MS);
    await sweep();
    const { versions } = await world.list('pinned');
    expect(versions).toMatchObject([
      { version: second.version, counts: true, campaigns: 0 },
      { version: first.version, counts: false, campaigns: 1 },
    ]);
    expect((await world.recipients(id))['Asia/Seoul|fallback|0|all|all']?.flat().toSorted()).toEqual([
      'a',
      'b',
    ]);
    const { dataSource } = world.scheduler;
    await dataSource.transaction(async (sql) => {
      await sql.query("set local session_replication_role = 'replica'");
      const ended = new Date(world.clock.now());
      await sql.query(`update campaign set state = 'completed', state_at = $2 where id = $1`, [id, ended]);
    });
    await world.moveTo(world.clock.now() + 6 * DAY_MS);
    await sweep();
    expect((await world.list('pinned')).versions).toHaveLength(2);
    await world.moveTo(world.clock.now() + 2 * DAY_MS);
    await sweep();
    expect((await world.list('pinned')).versions).toHaveLength(1);
    expect(await world.count(`audience_part where version = '${first.version}'`)).toBe(0);
  });

  it('is refused where its list is unknown, has expired, or stands beside segments', async () => {
    const problems = async (data: Json): Promise<unknown> => {
      const published = (await world.publish(data)).body as {
        events: { problems: { code: string; pointer: string }[] }[];
      };
      const previewed = (await world.call('POST', '/v1/plans', data)).body as {
        problems: { code: string }[];
      };
      const codes = published.events[0]?.problems.map(({ code, pointer }) => `${code} ${pointer}`);
      expect(previewed.problems.map(({ code }) => code)).toEqual(codes?.map((one) => one.split(' ')[0]));
      return codes;
    };
    expect(await problems(world.data({ audience: list('nobody') }))).toEqual([
      'UNKNOWN_LIST /data/audience/list',
    ]);
    await world.uploaded('short', 'a\n', '&expiresInDays=1');
    await world.moveTo(world.clock.now() + DAY_MS);
    expect(await problems(world.data({ audience: list('short') }))).toEqual([
      'LIST_EXPIRED /data/audience/list',
    ]);
    await sweep();
    expect(
      await world.count(`audience_part p join audience_version v using (version) where v.name = 'short'`),
    ).toBe(0);
    expect(await problems(world.data({ audience: list('short') }))).toEqual([
      'LIST_EXPIRED /data/audience/list',
    ]);
    await world.moveTo(world.clock.now() + 31 * DAY_MS);
    await sweep();
    expect(await problems(world.data({ audience: list('short') }))).toEqual([
      'UNKNOWN_LIST /data/audience/list',
    ]);
    const at = { at: new Date(world.clock.now() + DAY_MS).toISOString().slice(0, 16), zone: 'recipient' };
    const segments = [{ zone: 'Asia/Seoul', audience: list('vip') }];
    expect(await problems(world.data({ audience: null, delivery: { ...at, segments } }))).toEqual([
      'AUDIENCE_UNCLEAR /data/delivery/segments/0/audience/list',
    ]);
  });

  it('runs the plan that was previewed, or none where the list has changed', async () => {
    await world.uploaded('previewed', 'a,Asia/Seoul\nb\n');
    const at = new Date(world.clock.now() + DAY_MS).toISOString().slice(0, 16);
    const data = world.data({ audience: list('previewed'), delivery: { at, zone: 'recipient' } });
    const plan = (await world.call('POST', '/v1/plans', data)).body as { planHash: string; totals: Json };
    expect(plan.totals).toMatchObject({ recipients: 2, requests: 2 });
    expect((await world.planned({ ...data, planHash: plan.planHash })).state).toBe('planned');
    await world.uploaded('previewed', 'a,Asia/Seoul\nc\n');
    const changed = await world.publish({ ...data, planHash: plan.planHash });
    expect(changed.body).toMatchObject({
      code: 'PLAN_CHANGED',
      difference: { changed: ['audience', 'cells'] },
    });
  });
});

describe('lists', () => {
  it('are listed by name, and gone when deleted', async () => {
    const names = async (): Promise<string[]> =>
      (
        (await world.call('GET', `/v1/audiences?serviceId=${SERVICE}&limit=500`)).body as {
          items: { name: string }[];
        }
      ).items.map(({ name }) => name);
    await world.uploaded('to-delete', 'a\n');
    expect(await names()).toContain('to-delete');
    const audited = await world.scheduler.dataSource.query<{ action: string }>(
      `select action from audit where target = $1`,
      [`${SERVICE}/to-delete`],
    );
    expect(audited).toEqual([{ action: 'list.put' }]);
    expect((await world.call('DELETE', `/v1/audiences/to-delete?serviceId=${SERVICE}`)).status).toBe(200);
    expect(await names()).not.toContain('to-delete');
    await sweep();
    expect(await world.count(`audience_version where name = 'to-delete'`)).toBe(0);
    expect((await world.call('DELETE', `/v1/audiences/to-delete?serviceId=${SERVICE}`)).status).toBe(404);
  });
});
