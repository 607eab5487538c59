// Refused events over HTTP: who sees what of them, and their replay into the intake, which never takes one twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import {
  addProject,
  fromKafka,
  scheduled,
  SERVICE,
  type Json,
} from '../../support/scheduler/intake-world.js';

let database: TestDatabase;
let scheduler: TestScheduler;
let publisher: string;
let operator: string;
let everything: string;
let editor: string;
let everyEditor: string;
let stranger: string;

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(
    schedulerConfig(database.url, {
      CARILLON_ROLES: 'api',
      CARILLON_REJECTION_TOPICS: 'shop.*,exact',
    }),
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  await addProject(scheduler.dataSource);
  await addProject(scheduler.dataSource, 'other-app');
  publisher = await scheduler.bearer(['publisher'], [SERVICE]);
  operator = await scheduler.bearer(['operator'], [SERVICE]);
  everything = await scheduler.bearer(['operator']);
  editor = await scheduler.bearer(['operator', 'publisher'], [SERVICE]);
  everyEditor = await scheduler.bearer(['operator', 'publisher']);
  stranger = await scheduler.bearer(['operator'], ['other-app']);
});
afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

const time = (): string => new Date().toISOString();
const fresh = (campaignId: string, data: Json = {}, envelope: Json = {}): Json =>
  scheduled(campaignId, data, { time: time(), ...envelope });

interface Rejection {
  id: string;
  state: string;
  serviceId: string | null;
  problems: { code: string }[];
  replayOf: string | null;
  replay: { eventId: string; campaignId: string | null } | null;
  event: Json | null;
  bodyBase64: string | null;
  changed: boolean;
}

/** From Kafka, whose records have no token. Returns the rejection's id. */
async function refused(event: unknown, headers: Record<string, string> = {}): Promise<string> {
  const raw = { ...fromKafka(event, { topic: `t-${v7()}` }), headers };
  const [verdict] = await scheduler.internals.intake.accept([raw]);
  if (verdict?.kind !== 'rejected') throw new Error(`it was ${verdict?.kind}`);
  return verdict.rejection;
}

const get = async (
  path: string,
  authorization = operator,
): Promise<Rejection & Answer & { items: Rejection[] }> => {
  const answer = await scheduler.call('GET', `/v1/rejections${path}`, { authorization });
  return { ...answer, ...(answer.body as object) } as Rejection & Answer & { items: Rejection[] };
};
const post = async (path: string, body?: unknown, authorization = operator) => {
  const given = { authorization, ...(body !== undefined && { body }) };
  const answer = await scheduler.call('POST', `/v1/rejections/${path}`, given);
  return { status: answer.status, body: answer.body as Rejection & { code?: string; events?: Json[] } };
};
const audited = (id: string) =>
  scheduler.dataSource.query<Json>(
    'select action, who, service_id, after from audit where target = $1 order by id',
    [id],
  );

const bytesOf = (id: string, authorization = operator): Promise<Answer> =>
  scheduler.call('GET', `/v1/rejections/${id}/body`, { authorization });

describe('rejections', () => {
  it('of long events are shown without their bytes, which are read by themselves and replayed as they came', async () => {
    const to = Array.from({ length: 4_000 }, () => v7());
    const long = fresh('long', { audience: { type: 'USER', to } }, { source: '/unknown' });
    const id = await refused(long);
    const bytes = Buffer.byteLength(JSON.stringify(long));
    expect(bytes).toBeGreaterThan(128 * 1024);
    expect(await get(`/${id}`)).toMatchObject({
      event: null,
      bodyBase64: null,
      bytes,
      seen: { subject: 'long' },
    });
    expect(await bytesOf(id)).toMatchObject({ status: 200, body: JSON.stringify(long) });
    expect((await bytesOf(id, publisher)).status).toBe(403);
    expect((await bytesOf(id, stranger)).status).toBe(404);
    const replayed = await post(`${id}/replay`);
    expect(replayed).toMatchObject({ status: 200, body: { state: 'replayed' } });
    const taken = (await get(`/${id}`)).replay?.eventId;
    const kept = await scheduler.dataSource.query<{ body: Buffer }>('select body from event where id = $1', [
      taken,
    ]);
    expect(kept[0]?.body.toString()).toBe(JSON.stringify(long));
  });

  it('of more than 1 MiB are read page by page', async () => {
    const long = Buffer.from(`{"a":"${'x'.repeat(2_500_000)}"`);
    const id = await refused(long);
    expect(await bytesOf(id, everything)).toMatchObject({ status: 200, body: long.toString() });
  });

  it('are listed newest first, by service, code, state, way and time, in pages', async () => {
    const since = time();
    const [first, second] = [await refused(fresh('a', { extra: 1 })), await refused(fresh('b', { at: 1 }))];
    const foreign = await refused(fresh('c', { serviceId: 'other-app', extra: 1 }));
    const unreadable = await refused(Buffer.from('{'));
    const ids = async (query: string, who = everything) =>
      (await get(`?from=${since}&${query}`, who)).items.map(({ id }) => id);
    expect(await ids('')).toEqual([unreadable, foreign, second, first]);
    expect(await ids(`serviceId=${SERVICE}`)).toEqual([second, first]);
    expect(await ids('code=NOT_JSON')).toEqual([unreadable]);
    expect(await ids('state=replayed')).toEqual([]);
    expect(await ids('via=kafka')).toEqual([unreadable, foreign, second, first]);
    expect(await ids('via=http')).toEqual([]);
    await scheduler.call('POST', '/v1/events', { authorization: publisher, body: fresh('d', { extra: 1 }) });
    expect(await ids('via=http')).toHaveLength(1);
    expect(await ids('via=kafka&limit=1')).toEqual([unreadable]);
    expect(await ids(`to=${since}`)).toEqual([]);
    expect(await ids('via=kafka', publisher)).toEqual([second, first]);
    const page = await get('?limit=1&via=kafka', publisher);
    const next = (page.body as { nextCursor: string }).nextCursor;
    expect((await get(`?limit=1&via=kafka&cursor=${next}`, publisher)).items.map(({ id }) => id)).toEqual([
      first,
    ]);
    expect((await get('?stat=open')).status).toBe(400);
  });

  it('are of the state that was asked for, also when one is settled while the page is read', async () => {
    const since = time();
    const id = await refused(fresh('settled', { extra: 1 }));
    const own = await OwnConnection.beside(scheduler.dataSource);
    try {
      await own.query('begin');
      // A page finds its rejections in their own table, and then reads their events.
      await own.query('lock table event in access exclusive mode');
      const reading = get(`?from=${since}&state=open`);
      await untilLockAwaited((text) => scheduler.dataSource.query(text), {
        like: '%from rejection j join event%',
      });
      await own.query(
        `update rejection set state = 'discarded', settled_at = now(), settled_by = 'spec' where id = $1`,
        [id],
      );
      await own.query('commit');
      const { items } = await reading;
      expect(items.filter(({ state }) => state !== 'open')).toEqual([]);
    } finally {
      await own.release();
    }
    expect((await get(`?from=${since}&state=open`)).items).toEqual([]);
  });

  it('show their bytes to operators alone, and what has no service to tokens for all', async () => {
    const event = fresh('seen', { extra: 1 });
    const id = await refused(event);
    const whole = await get(`/${id}`);
    expect(whole).toMatchObject({ event, problems: [{ code: 'UNKNOWN_MEMBER' }] });
    expect(JSON.parse(Buffer.from(whole.bodyBase64 ?? '', 'base64').toString())).toEqual(event);
    expect(await get(`/${id}`, publisher)).toMatchObject({ event: null, headers: null, bodyBase64: null });
    const unreadable = await refused(Buffer.from('no json'));
    expect((await get(`/${unreadable}`)).status).toBe(404);
    expect(await get(`/${unreadable}`, everything)).toMatchObject({
      status: 200,
      event: null,
      serviceId: null,
    });
  });
});

describe('a replay', () => {
  it('is taken once its cause is gone, as a new event linked to the rejection; again it changes nothing', async () => {
    const event = fresh('late', { serviceId: 'new-app' });
    const id = await refused(event);
    expect((await post(`${id}/replay`, undefined, everything)).body).toMatchObject({
      code: 'NOTHING_TAKEN',
      events: [{ verdict: 'rejected', problems: [{ code: 'UNKNOWN_SERVICE' }] }],
    });
    expect(await get(`/${id}`, everything)).toMatchObject({ state: 'open', replay: null });
    await addProject(scheduler.dataSource, 'new-app');
    const done = await post(`${id}/replay`, undefined, everything);
    expect(done).toMatchObject({ status: 200, body: { state: 'replayed', changed: true } });
    const { replay } = done.body;
    const again = await post(`${id}/replay`, undefined, everything);
    expect(again).toMatchObject({ status: 200, body: { replay, changed: false } });
    const events = await scheduler.dataSource.query<Json>(
      'select verdict, replay_of from event where service_id = $1 order by received_at, id',
      ['new-app'],
    );
    expect(events).toEqual([
      { verdict: 'rejected', replay_of: null },
      { verdict: 'rejected', replay_of: id },
      { verdict: 'campaign', replay_of: id },
    ]);
    expect(await audited(id)).toMatchObject([
      { action: 'rejection.replay', after: { state: 'open', verdict: 'rejected' } },
      { action: 'rejection.replay', after: { state: 'replayed', verdict: 'accepted', edited: false } },
    ]);
  });

  it('takes an edited event in its place, once, however many ask at the same time', async () => {
    const id = await refused(fresh('edit', { extra: 1 }));
    const edits = [1, 2, 3, 4].map((n) => ({ event: fresh('edit', { name: `${n}` }) }));
    const answers = await Promise.all(edits.map((edit) => post(`${id}/replay`, edit, editor)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    const taken = await scheduler.dataSource.query(
      `select from campaign where campaign_id = 'edit' and service_id = $1`,
      [SERVICE],
    );
    expect(taken).toHaveLength(1);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await post(`${id}/replay`, edits[winner], editor)).toMatchObject({
      status: 200,
      body: { changed: false },
    });
    const loser = await post(`${id}/replay`, edits[(winner + 1) % 4], editor);
    expect(loser.body.code).toBe('REJECTION_CLOSED');
  });

  it('edited is of who may publish too, and of the same service and campaign; its audit says what was changed', async () => {
    const audience = { type: 'USER', to: ['user-1', 'user-2'] };
    const came = fresh('edited', { audience, extra: 1, name: 'as it came' });
    const id = await refused(came);
    const { extra: _, name: __, ...data } = came['data'] as Json;
    const mended = { ...came, data: { ...data, audience: { type: 'USER', to: ['user-9'] } } };
    // An operator who may not publish replays an event as it came, and may not edit it.
    expect(await post(`${id}/replay`, { event: mended })).toMatchObject({
      status: 403,
      body: { code: 'ROLE_MISSING' },
    });
    const others = [
      { ...mended, subject: 'another' },
      { ...mended, data: { ...mended.data, serviceId: 'other-app' } },
      { ...mended, data: 7 },
    ];
    const pointers: unknown[] = [];
    for (const event of others) {
      const { status, body } = await post(`${id}/replay`, { event }, everyEditor);
      expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
      pointers.push(body.problems.map((one) => (one as { pointer?: string }).pointer));
    }
    expect(pointers).toEqual([['/event/subject'], ['/event/data/serviceId'], ['/event/data/serviceId']]);
    expect(await get(`/${id}`)).toMatchObject({ state: 'open' });
    expect((await post(`${id}/replay`, { event: mended }, editor)).status).toBe(200);
    const [audit] = await audited(id);
    expect(audit).toMatchObject({
      action: 'rejection.replay',
      after: {
        edited: true,
        difference: {
          changes: [
            { pointer: '/data/audience/to', before: '2 entries', after: '1 entries' },
            { pointer: '/data/extra', before: '1' },
            { pointer: '/data/name', before: '"as it came"' },
          ],
          more: 0,
        },
      },
    });
    expect(JSON.stringify(audit)).not.toContain('user-');
  });

  it('puts right a campaignId that none can have, and a service that could not be read', async () => {
    const id = await refused(fresh('no such id'));
    expect((await post(`${id}/replay`, { event: fresh('such-an-id') }, editor)).status).toBe(200);
    const unread = await refused(Buffer.from('{'));
    expect((await post(`${unread}/replay`, { event: fresh('unread') }, everyEditor)).status).toBe(200);
    expect(await audited(unread)).toMatchObject([
      { after: { difference: { changes: [{ pointer: '', after: expect.stringContaining('unread') }] } } },
    ]);
  });

  it('edited so deep that it could not be written again is answered 400, and changes nothing', async () => {
    const id = await refused(fresh('deep', { extra: 1 }));
    const levels = 50_000;
    const body = `{"event":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    expect(await post(`${id}/replay`, body)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
    expect(await get(`/${id}`)).toMatchObject({ state: 'open', replay: null });
  });

  it('is of no publisher, and of no operator of another service', async () => {
    const id = await refused(fresh('cross', { extra: 1 }));
    expect((await post(`${id}/replay`, undefined, publisher)).status).toBe(403);
    expect((await post(`${id}/replay`, undefined, stranger)).status).toBe(404);
  });

  it('reads the attributes of Kafka’s binary form as they were', async () => {
    const { data, datacontenttype, ...attributes } = fresh('binary-%41', {}, { source: '/strange%41' });
    const headers = Object.fromEntries(
      Object.entries({ ...attributes, subject: 'binary' }).map(([name, text]) => [`ce_${name}`, text]),
    );
    const id = await refused(data, { ...headers, 'content-type': String(datacontenttype) });
    expect((await post(`${id}/replay`)).body).toMatchObject({
      state: 'replayed',
      seen: { source: '/strange%41' },
    });
    const sources = await scheduler.dataSource.query('select source from event where replay_of = $1', [id]);
    expect(sources).toEqual([{ source: '/strange%41' }]);
  });
});

it('a project may name a topic of its own for what is refused, but none of ours', async () => {
  const authorization = await scheduler.bearer(['admin']);
  const patch = (rejectionsTopic: string | null) =>
    scheduler.call('PATCH', `/v1/projects/${SERVICE}`, { authorization, body: { rejectionsTopic } });
  expect((await patch('shop.rejections')).body).toMatchObject({ rejectionsTopic: 'shop.rejections' });
  await refused(fresh('told', { extra: 1 }));
  const topics = await scheduler.dataSource.query<Json>(
    'select topic from outbox order by position desc limit 2',
  );
  expect(topics.map(({ topic }) => topic)).toEqual(['shop.rejections', 'campaign.events.dead']);
  expect((await patch('campaign.events')).body).toMatchObject({
    problems: [{ pointer: '/rejectionsTopic' }],
  });
  expect((await patch('exact')).status).toBe(200);
  expect((await patch('exactly')).body).toMatchObject({ problems: [{ pointer: '/rejectionsTopic' }] });
  // An admin of only this service may not name a topic, because it belongs to the broker, but may remove it.
  const own = await scheduler.bearer(['admin'], [SERVICE]);
  const byOwn = (rejectionsTopic: string | null) =>
    scheduler.call('PATCH', `/v1/projects/${SERVICE}`, { authorization: own, body: { rejectionsTopic } });
  expect(await byOwn('shop.rejections')).toMatchObject({
    status: 403,
    body: { code: 'ALL_SERVICES_NEEDED' },
  });
  expect((await byOwn(null)).body).toMatchObject({ rejectionsTopic: null });
});

it('a rejection is discarded with a reason, once; it is not replayed any more', async () => {
  const id = await refused(fresh('gone', { extra: 1 }));
  const reason = 'sent by a test';
  expect(await post(`${id}/discard`, { reason })).toMatchObject({
    status: 200,
    body: { state: 'discarded', changed: true, reason },
  });
  expect(await post(`${id}/discard`)).toMatchObject({ status: 200, body: { changed: false, reason } });
  expect((await post(`${id}/replay`)).body.code).toBe('REJECTION_CLOSED');
  expect(await audited(id)).toMatchObject([
    { action: 'rejection.discard', service_id: SERVICE, after: { state: 'discarded', reason } },
  ]);
  const replayed = await refused(fresh('kept', {}, { source: '/unknown' }));
  expect((await post(`${replayed}/replay`)).status).toBe(200);
  expect((await post(`${replayed}/discard`)).body.code).toBe('REJECTION_CLOSED');
});
