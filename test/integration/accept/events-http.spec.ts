// POST /v1/events on a whole scheduler: every form of event, per-event verdicts, and what is refused as a whole.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import {
  addProject,
  canceled,
  scheduled,
  SERVICE,
  SOURCE,
  type Json,
} from '../../support/scheduler/intake-world.js';

let database: TestDatabase;
let scheduler: TestScheduler;
let publisher: string;

beforeAll(async () => {
  database = await cloneDatabase();
  // Only the intake: no loop moves what a test has just sent.
  scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_ROLES: 'api' }));
  await eventually(() => scheduler.dataSource.isInitialized);
  await addProject(scheduler.dataSource);
  await addProject(scheduler.dataSource, 'other-app');
  publisher = await scheduler.bearer(['publisher'], [SERVICE]);
});
afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

const now = (): string => new Date().toISOString();
const fresh = (campaignId: string, data: Json = {}, envelope: Json = {}): Json =>
  scheduled(campaignId, data, { time: now(), ...envelope });

interface Verdicts {
  events: {
    verdict: string;
    id: string;
    problems?: { code: string; pointer: string }[];
    warnings?: { code: string; pointer: string }[] | null;
    campaignId?: string;
    eventId?: string;
    rejectionId?: string;
    duplicateOf?: string;
  }[];
}

async function post(
  body: unknown,
  contentType = 'application/cloudevents+json',
  more: Record<string, string> = {},
  authorization = publisher,
) {
  const answer = await scheduler.call('POST', '/v1/events', {
    authorization,
    body,
    headers: { 'content-type': contentType, ...more },
  });
  return { status: answer.status, body: answer.body as Verdicts & { code?: string; detail?: string } };
}

it('writes the tags of an event where lists look for them', async () => {
  const tags = ['sale', 'a "b", {c} \\\\ d'];
  await post([fresh('tagged', { tags }), fresh('untagged')], 'application/cloudevents-batch+json');
  expect(
    await scheduler.dataSource.query(
      `select campaign_id as id, tags from campaign where campaign_id like '%tagged' order by id`,
    ),
  ).toEqual([
    { id: 'tagged', tags },
    { id: 'untagged', tags: [] },
  ]);
  const listed = await scheduler.call('GET', '/v1/campaigns?tag=sale', { authorization: publisher });
  expect(listed.body).toMatchObject({ items: [{ campaignId: 'tagged' }], nextCursor: null });
});

it('is brought by a token that names its source; one of all services alone may name none', async () => {
  const authorization = await scheduler.bearer(['admin']);
  const create = (body: Json) =>
    scheduler.call('POST', '/v1/tokens', {
      authorization,
      body: { name: 'promotions', roles: ['publisher'], serviceIds: [SERVICE], ...body },
    });
  for (const roles of [['publisher'], ['analyst', 'admin']]) {
    expect(await create({ roles })).toMatchObject({
      status: 400,
      body: { problems: [{ pointer: '/sources' }] },
    });
  }
  expect((await create({ name: 'reader', roles: ['analyst', 'operator'] })).status).toBe(201);
  expect((await create({ name: 'all', serviceIds: ['*'] })).status).toBe(201);
  const made = await create({ sources: ['/shop/promotions', '/team/*'] });
  const { token, sources } = made.body as { token: string; sources: string[] };
  expect(sources).toEqual(['/shop/promotions', '/team/*']);
  const from = (source: string, name: string): Json => fresh(name, {}, { source });
  const batch = [
    from('/shop/promotions', 'its-own'),
    from('/team/a', 'by-prefix'),
    from('/shop/promotions/x', 'below'),
    from('/other', 'foreign'),
  ];
  const { body } = await post(batch, 'application/cloudevents-batch+json', {}, `Bearer ${token}`);
  expect(
    body.events.map(
      ({ verdict, problems }) => problems?.map(({ code, pointer }) => [code, pointer]) ?? verdict,
    ),
  ).toEqual([
    'accepted',
    'accepted',
    [['SOURCE_NOT_ALLOWED', '/source']],
    [['SOURCE_NOT_ALLOWED', '/source']],
  ]);
});

describe('an event', () => {
  it('is taken with 202 and the id of its campaign', async () => {
    const event = fresh('one');
    const { status, body } = await post(event);
    expect(status).toBe(202);
    expect(body.events).toMatchObject([{ index: 0, source: SOURCE, id: event['id'], verdict: 'accepted' }]);
    const [row] = await scheduler.dataSource.query<Json>(
      'select c.campaign_id, e.via, e.headers, e.token_id is not null as has_token from campaign c join event e on e.id = c.event where c.id = $1',
      [body.events[0]?.campaignId],
    );
    expect(row).toEqual({
      campaign_id: 'one',
      via: 'http',
      headers: { 'content-type': 'application/cloudevents+json' },
      has_token: true,
    });
  });

  it('is warned of what a dry run finds in it; a batch for each', async () => {
    const option = { tittle: 'Sale' };
    const wrong = (name: string): Json => fresh(name, { message: { default: { content: '', option } } });
    const codesOf = ({ events }: Verdicts) => events.map(({ warnings }) => warnings?.map(({ code }) => code));
    const codes = ['UNKNOWN_OPTION', 'EMPTY_TEXT', 'EMPTY_TEXT'];
    const one = await post(wrong('warned'));
    expect({ status: one.status, codes: codesOf(one.body) }).toEqual({ status: 202, codes: [codes] });
    expect(one.body.events[0]?.warnings?.[0]).toMatchObject({ pointer: '/message/default/option/tittle' });
    const refused = fresh('bad-too', { extra: 1 });
    const batch = await post(
      [wrong('warned-too'), refused, fresh('good'), canceled('warned-too', {}, { time: now() })],
      'application/cloudevents-batch+json',
    );
    expect(codesOf(batch.body)).toEqual([codes, undefined, [], []]);
  });

  it('is taken in the binary form, its attributes in ce- headers', async () => {
    const { data, datacontenttype, ...attributes } = fresh('binary');
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, text]) => [`ce-${name}`, String(text)]),
    );
    expect((await post(data, String(datacontenttype), headers)).body.events).toMatchObject([
      { verdict: 'accepted', id: attributes['id'] },
    ]);
  });

  it('is taken as plain application/json too', async () => {
    expect((await post(fresh('plain'), 'application/json')).body.events).toMatchObject([
      { verdict: 'accepted' },
    ]);
  });

  it('sent again is a duplicate that names the first', async () => {
    const event = fresh('twice');
    const first = await post(event);
    const again = await post(event);
    expect(again.status).toBe(202);
    expect(again.body.events).toMatchObject([
      {
        verdict: 'duplicate',
        duplicateOf: first.body.events[0]?.eventId,
        campaignId: first.body.events[0]?.campaignId,
      },
    ]);
  });

  it('that cannot be taken is answered with every reason and its pointer', async () => {
    const { status, body } = await post(
      fresh('bad', { messageType: 'MAIL', delivery: { at: '2030-01-01T09:00' }, extra: 1 }),
    );
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'NOTHING_TAKEN' });
    expect(body.detail).toContain('/data/messageType');
    expect(body.events[0]?.problems?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/data/messageType WRONG_VALUE',
      '/data/extra UNKNOWN_MEMBER',
      '/data/delivery/at ZONE_MISSING',
    ]);
    expect(body.events[0]?.rejectionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('of a service that the token does not hold is rejected, its words unchanged by whether the service is there', async () => {
    const verdicts = await Promise.all(
      ['other-app', 'nobody'].map((serviceId) => post(fresh('foreign', { serviceId }))),
    );
    expect(verdicts.map(({ body }) => body.events[0]?.problems?.map(({ code }) => code))).toEqual([
      ['SERVICE_NOT_ALLOWED'],
      ['SERVICE_NOT_ALLOWED'],
    ]);
  });

  it('with names that would reach a prototype is rejected with the reason', async () => {
    const text = JSON.stringify(fresh('proto')).replace('"serviceId"', '"__proto__":{"x":1},"serviceId"');
    expect((await post(text)).body.events[0]?.problems).toMatchObject([
      { code: 'FORBIDDEN_MEMBER', pointer: '/data/__proto__' },
    ]);
  });
});

describe('a batch', () => {
  const BATCH = 'application/cloudevents-batch+json';

  it('gets a verdict for each event, in order, one that is wrong not spoiling its neighbours', async () => {
    const event = fresh('batch');
    const { status, body } = await post(
      [event, { nonsense: true }, event, canceled('batch', {}, { time: now() }), 7],
      BATCH,
    );
    expect(status).toBe(202);
    expect(body.events.map(({ verdict }) => verdict)).toEqual([
      'accepted',
      'rejected',
      'duplicate',
      'accepted',
      'rejected',
    ]);
  });

  it('of which nothing is taken is a 422 with every verdict; a duplicate counts as taken', async () => {
    const event = fresh('nothing');
    const refused = await post([{ nonsense: true }, 7], BATCH);
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: 'NOTHING_TAKEN',
        events: [
          { index: 0, verdict: 'rejected' },
          { index: 1, verdict: 'rejected' },
        ],
      },
    });
    await post(event);
    const again = await post([{ nonsense: true }, event], BATCH);
    expect(again.status).toBe(202);
    expect(again.body.events.map(({ verdict }) => verdict)).toEqual(['rejected', 'duplicate']);
  });

  it('keeps each event’s own bytes: a name given twice, a number too long', async () => {
    const twice = JSON.stringify(fresh('bytes'))
      .replace('"name":', '"name":"x","name":')
      .replace('"messageType"', '"name":"a","name":"b","messageType"');
    const { body } = await post(`[ ${twice} , ${JSON.stringify(fresh('after'))} ]`, BATCH);
    expect(body.events).toMatchObject([
      { verdict: 'rejected', problems: [{ code: 'DUPLICATE_MEMBER' }] },
      { verdict: 'accepted' },
    ]);
    const [row] = await scheduler.dataSource.query<{ body: Buffer }>('select body from event where id = $1', [
      body.events[0]?.eventId,
    ]);
    expect(row?.body.toString()).toBe(twice);
  });

  it('larger than one transaction is taken whole', async () => {
    const events = Array.from({ length: 700 }, (_, index) => fresh(`many-${index}`));
    const { body } = await post(events, BATCH);
    expect(body.events.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(700);
  });
});

it('waits for no connection of another service whose requests are held up in the database', async () => {
  await post(fresh('held'));
  const other = await scheduler.bearer(['publisher'], ['other-app']);
  const own = await OwnConnection.beside(scheduler.dataSource);
  try {
    await own.query('begin');
    await own.query(`select from campaign where campaign_id = 'held' for update`);
    const held = Array.from({ length: 12 }, () => post(canceled('held', {}, { time: now() })));
    await untilLockAwaited((text) => scheduler.dataSource.query(text), { like: '%from campaign c%' });
    const beside = await post(fresh('beside', { serviceId: 'other-app' }), undefined, {}, other);
    expect(beside.status).toBe(202);
    await own.query('commit');
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(held.map(() => 202));
  } finally {
    await own.release();
  }
});

describe('a body that cannot be read as a whole', () => {
  const cases: [what: string, contentType: string, body: string, status: number, code: string][] = [
    ['broken JSON', 'application/cloudevents+json', '{"specversion":', 400, 'NOT_JSON'],
    ['an empty batch', 'application/cloudevents-batch+json', '[]', 400, 'EMPTY_BATCH'],
    ['a batch that is no array', 'application/cloudevents-batch+json', '{}', 400, 'NOT_A_BATCH'],
    [
      'a batch of 1 001',
      'application/cloudevents-batch+json',
      `[${Array(1001).fill('{}').join(',')}]`,
      413,
      'TOO_MANY_EVENTS',
    ],
    [
      'an event above 1 MiB',
      'application/cloudevents+json',
      `{"x":"${'x'.repeat(1024 * 1024)}"}`,
      413,
      'TOO_LARGE',
    ],
    ['text', 'text/x-unknown', 'hello', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['plain text', 'text/plain', '{"specversion":"1.0"}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a form', 'application/x-www-form-urlencoded', 'specversion=1.0', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ];
  it.each(cases)('%s', async (_, contentType, body, status, code) => {
    const before = await scheduler.dataSource.query('select count(*) from event');
    const answer = await post(body, contentType);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(await scheduler.dataSource.query('select count(*) from event')).toEqual(before);
  });

  it('is answered with the content types that are taken', async () => {
    const { body } = await post('{"specversion":"1.0"}', 'text/plain');
    for (const type of ['cloudevents+json', 'cloudevents-batch+json', 'json']) {
      expect(JSON.stringify(body)).toContain(`application/${type}`);
    }
  });

  it('is refused without a token, and to every role but publisher and admin', async () => {
    const asked = (authorization?: string) =>
      scheduler.call('POST', '/v1/events', {
        ...(authorization !== undefined && { authorization }),
        body: fresh('auth'),
        headers: { 'content-type': 'application/cloudevents+json' },
      });
    expect((await asked()).status).toBe(401);
    for (const role of ['analyst', 'operator'] as const) {
      expect((await asked(await scheduler.bearer([role]))).status).toBe(403);
    }
    expect((await asked(await scheduler.bearer(['admin']))).status).toBe(202);
  });
});

it('an Idempotency-Key brings the first answer again', async () => {
  const event = fresh('keyed');
  const key = { 'idempotency-key': 'publish-1' };
  const first = await post(event, 'application/cloudevents+json', key);
  expect(await post(event, 'application/cloudevents+json', key)).toEqual(first);
  expect(first.body.events).toMatchObject([{ verdict: 'accepted' }]);
});

it('a 422 keeps no Idempotency-Key: the corrected event may come under the same', async () => {
  const key = { 'idempotency-key': 'publish-2' };
  const refused = await post(fresh('mended', { extra: 1 }), 'application/cloudevents+json', key);
  expect(refused.status).toBe(422);
  expect((await post(fresh('mended'), 'application/cloudevents+json', key)).status).toBe(202);
});

describe('GET /v1/events: what became of one', () => {
  interface Seen {
    seen: {
      verdict: string;
      serviceId: string | null;
      eventId: string;
      campaignId?: string;
      problems?: { code: string }[];
    }[];
  }
  const find = async (event: Json, authorization = publisher, serviceId?: string): Promise<Seen> => {
    const query = new URLSearchParams({ source: String(event['source']), id: String(event['id']) });
    if (serviceId !== undefined) query.set('serviceId', serviceId);
    const answer = await scheduler.call('GET', `/v1/events?${query.toString()}`, { authorization });
    expect(answer.status).toBe(200);
    return answer.body as Seen;
  };

  it('not seen, taken, a duplicate, refused for other content: each time that it came, newest first', async () => {
    const event = fresh('found');
    expect(await find(event)).toEqual({ source: SOURCE, id: event['id'], seen: [] });
    const taken = (await post(event)).body.events[0];
    const first = { verdict: 'accepted', eventId: taken?.eventId, campaignId: taken?.campaignId };
    expect((await find(event)).seen).toMatchObject([first]);
    const again = (await post(event)).body.events[0];
    const second = { ...first, verdict: 'duplicate', eventId: again?.eventId, duplicateOf: taken?.eventId };
    expect((await find(event)).seen).toMatchObject([second, first]);
    const other = (await post({ ...event, data: fresh('x', { name: 'other' })['data'] })).body.events[0];
    expect((await find(event)).seen).toMatchObject([
      {
        verdict: 'rejected',
        eventId: other?.eventId,
        rejectionId: other?.rejectionId,
        problems: [{ code: 'DUPLICATE_WITH_DIFFERENT_CONTENT' }],
      },
      second,
      first,
    ]);
  });

  it('of one service: others may have published under the same source and id', async () => {
    const event = fresh('shared');
    const theirs = { ...event, data: { ...(event['data'] as Json), serviceId: 'other-app' } };
    const other = await scheduler.bearer(['publisher'], ['other-app']);
    const both = await scheduler.bearer(['publisher']);
    await post(theirs, 'application/cloudevents+json', {}, other);
    await post(event);
    const services = async (authorization: string, serviceId?: string) => {
      const { seen } = await find(event, authorization, serviceId);
      return seen.map((one) => `${one.serviceId} ${one.verdict}`).toSorted();
    };
    expect(await services(publisher)).toEqual([`${SERVICE} accepted`]);
    expect(await services(both)).toEqual(['other-app accepted', `${SERVICE} accepted`]);
    expect(await services(both, 'other-app')).toEqual(['other-app accepted']);
    expect(await services(publisher, 'other-app')).toEqual([]);
  });

  it('of two in one batch the one that was taken came first', async () => {
    for (let round = 0; round < 5; round += 1) {
      const event = fresh(`batched-${round}`);
      await post([event, event, event], 'application/cloudevents-batch+json');
      const verdicts = (await find(event)).seen.map(({ verdict }) => verdict);
      expect(verdicts).toEqual(['duplicate', 'duplicate', 'accepted']);
    }
  });

  it('refused, with every reason; of a command its campaign', async () => {
    const wrong = fresh('refused', { extra: 1, name: '' });
    await post(wrong);
    expect((await find(wrong)).seen.map(({ problems }) => problems?.map(({ code }) => code))).toEqual([
      ['TOO_SHORT', 'UNKNOWN_MEMBER'],
    ]);
    const taken = (await post(fresh('to-cancel'))).body.events[0];
    const cancel = canceled('to-cancel', {}, { time: now() });
    await post(cancel);
    expect((await find(cancel)).seen).toMatchObject([{ verdict: 'accepted', campaignId: taken?.campaignId }]);
  });

  it('not of a service that the token does not hold, and of none at all with every service', async () => {
    const other = await scheduler.bearer(['publisher'], ['other-app']);
    const all = await scheduler.bearer(['operator']);
    const event = fresh('mine');
    const refused = fresh('mine too', { extra: 1 });
    const nobodys = fresh('nobody', { serviceId: 7 });
    for (const one of [event, refused, nobodys]) await post(one);
    for (const one of [event, refused, nobodys]) {
      expect((await find(one, other)).seen).toEqual([]);
      expect((await find(one, all)).seen).toHaveLength(1);
    }
    expect((await find(nobodys)).seen).toEqual([]);
    const analyst = await scheduler.bearer(['analyst'], [SERVICE]);
    const query = `/v1/events?source=a&id=${String(event['id'])}`;
    expect((await scheduler.call('GET', query, { authorization: analyst })).status).toBe(403);
    expect((await scheduler.call('GET', query)).status).toBe(401);
    expect((await scheduler.call('GET', '/v1/events?id=1', { authorization: publisher })).status).toBe(400);
  });
});
