// The intake on a real database: what becomes of every kind of event, alone, in one batch and at the same time.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANNELS } from '../../../src/scheduler/store/channels.js';
import { Client } from 'pg';
import { eventually } from '../../support/eventually.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import {
  addProject,
  canceled,
  fromHttp,
  fromKafka,
  IntakeWorld,
  scheduled,
  SERVICE,
  SOURCE,
  START,
  type Json,
} from '../../support/scheduler/intake-world.js';

let world: IntakeWorld;
beforeEach(async () => {
  world = await IntakeWorld.open();
});
afterEach(() => world.close());

describe('an event that is taken', () => {
  it('becomes a campaign with its first revision, its defaults filled in', async () => {
    const [verdict] = await world.intake().accept([
      fromKafka(
        scheduled('spring', {
          name: 'Spring',
          delivery: { at: '2027-03-02T09:00', zone: 'Asia/Seoul' },
          policy: { night: 'defer' },
        }),
      ),
    ]);
    const [row] = await world.rows(`select c.id, c.state, c.name, c.revision, c.newest_time, c.state_by,
        r.state as revision_state, r.data, r.request, e.verdict, e.service_id, e.via, e.topic, e."offset"
      from campaign c join revision r on r.campaign = c.id join event e on e.id = r.event and e.id = c.event`);
    expect(verdict).toMatchObject({ kind: 'accepted', campaign: row?.['id'] });
    expect(row).toMatchObject({
      state: 'accepted',
      name: 'Spring',
      revision: 1,
      newest_time: new Date(START),
      state_by: `event:${SOURCE}`,
      revision_state: 'planning',
      verdict: 'campaign',
      service_id: SERVICE,
      via: 'kafka',
      topic: 'campaign.events',
      request: { messageType: 'NOTIF', message: { default: { content: 'hello' } } },
      data: {
        serviceId: SERVICE,
        campaignId: 'spring',
        audience: { type: 'CHANNEL', to: ['vip'], country: [], deviceType: null },
        delivery: { kind: 'wall', local: '2027-03-02T09:00', zone: 'Asia/Seoul' },
        policy: {
          night: 'defer',
          dst: { gap: 'forward', overlap: 'first' },
          lateness: { maxMs: 1_800_000, beyond: 'expire' },
          deadline: { months: 0, days: 1, ms: 0 },
        },
      },
    });
    expect(await world.rows('select from_state, to_state from campaign_history')).toEqual([
      { from_state: null, to_state: 'accepted' },
    ]);
  });

  it("takes the project's own default for what the event leaves out, and its own word before it", async () => {
    await addProject(world.dataSource, 'night-app', { night: 'skip' });
    await world
      .intake()
      .accept([
        fromHttp(scheduled('a', { serviceId: 'night-app', messageType: 'AD' }), ['night-app']),
        fromHttp(scheduled('b', { serviceId: 'night-app', messageType: 'AD', policy: { night: 'defer' } }), [
          'night-app',
        ]),
      ]);
    expect(
      await world.rows("select data->'policy'->>'night' as night from revision order by data->>'campaignId'"),
    ).toEqual([{ night: 'skip' }, { night: 'defer' }]);
  });

  it('wakes the planner in the same transaction', async () => {
    const listener = new Client({ connectionString: world.url });
    await listener.connect();
    const notified: string[] = [];
    listener.on('notification', ({ channel }) => notified.push(channel));
    await listener.query(`listen ${CHANNELS.plan}; listen ${CHANNELS.publish}`);
    await world.intake().accept([fromKafka(scheduled('spring')), fromKafka({})]);
    await eventually(() => expect(notified.toSorted()).toEqual([CHANNELS.plan, CHANNELS.publish]));
    await listener.end();
  });

  it('cancels its campaign, and a repeated cancel is taken and changes nothing', async () => {
    const outcomes = await world.outcomes([
      fromKafka(scheduled('spring')),
      fromKafka(canceled('spring', { reason: 'sold out' })),
      fromKafka(canceled('spring')),
    ]);
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await world.rows('select state, code, detail, state_by from campaign')).toEqual([
      { state: 'canceling', code: 'CANCELED_BY_EVENT', detail: 'sold out', state_by: `event:${SOURCE}` },
    ]);
    expect(await world.rows('select act, reason from command order by id')).toHaveLength(2);
    expect(await world.balance()).toMatchObject({
      events: 3,
      campaigns: 1,
      commands: 2,
      rejections: 0,
      keys: 3,
    });
  });
});

describe('idempotency by source and id', () => {
  it('the same event again is a duplicate, over Kafka and HTTP alike, and changes nothing', async () => {
    const event = scheduled('spring');
    expect(await world.outcomes([fromKafka(event), fromKafka(event)])).toEqual(['accepted', 'duplicate']);
    expect(
      await world.outcomes([fromHttp({ ...event, time: '2027-02-28T23:00:00Z', traceparent: '00-x' })]),
    ).toEqual(['duplicate']);
    expect(await world.balance()).toMatchObject({
      events: 3,
      campaigns: 1,
      duplicates: 2,
      keys: 1,
      rejections: 0,
    });
    expect(
      await world.rows('select distinct d.of_event = c.event as same from duplicate d, campaign c'),
    ).toEqual([{ same: true }]);
  });

  it('the same key with other content is rejected, the first stands', async () => {
    const event = scheduled('spring');
    const other = { ...event, subject: 'autumn' };
    expect(await world.outcomes([fromKafka(event), fromKafka(other)])).toEqual([
      'accepted',
      'DUPLICATE_WITH_DIFFERENT_CONTENT',
    ]);
    expect(await world.outcomes([fromKafka(other)])).toEqual(['DUPLICATE_WITH_DIFFERENT_CONTENT']);
    expect(await world.balance()).toMatchObject({ campaigns: 1, rejections: 2, keys: 1 });
  });

  it('keys are of a service: what another service has published takes none of them', async () => {
    await addProject(world.dataSource, 'other-app');
    const event = scheduled('spring', { name: 'ours' });
    const squatter = { ...event, data: { ...(event['data'] as Json), serviceId: 'other-app' } };
    expect(await world.outcomes([fromHttp(squatter, ['other-app'])])).toEqual(['accepted']);
    expect(await world.outcomes([fromHttp(event), fromKafka(event)])).toEqual(['accepted', 'duplicate']);
    expect(await world.outcomes([fromHttp(squatter, ['other-app'])])).toEqual(['duplicate']);
    // An event that names no service, or a service that its token does not hold, holds no key.
    const nobodys = { ...event, id: 'nobodys', data: { ...(event['data'] as Json), serviceId: 7 } };
    await world.outcomes([fromHttp(nobodys), fromHttp({ ...event, id: 'nobodys' }, ['other-app'])]);
    expect(await world.outcomes([fromHttp({ ...event, id: 'nobodys', subject: 'summer' })])).toEqual([
      'accepted',
    ]);
    expect(await world.balance()).toMatchObject({ keys: 3, campaigns: 3, duplicates: 2 });
  });

  it('a rejected event holds no key: corrected, it comes again under the same id', async () => {
    const event = canceled('spring', { occurrence: 'twice' });
    const first = fromKafka(scheduled('spring'));
    expect(await world.outcomes([first, fromKafka(event)])).toEqual(['accepted', 'UNKNOWN_OCCURRENCE']);
    expect(await world.balance()).toMatchObject({ keys: 1 });
    const corrected = { ...event, data: { serviceId: SERVICE, occurrence: 'once' } };
    expect(await world.outcomes([fromKafka(corrected)])).toEqual(['accepted']);
  });

  it('a rejected event and its correction in one batch', async () => {
    const wrong = scheduled('spring', { extra: 1 });
    const corrected = scheduled('spring', {}, { id: wrong['id'] });
    expect(await world.outcomes([fromKafka(wrong), fromKafka(corrected), fromKafka(corrected)])).toEqual([
      'UNKNOWN_MEMBER',
      'accepted',
      'duplicate',
    ]);
    expect(await world.rows('select k.event = c.event as same from inbox_key k, campaign c')).toEqual([
      { same: true },
    ]);
  });

  it('the same event from eight sides at once becomes one campaign', async () => {
    const event = scheduled('spring');
    const sides = await Promise.all(
      Array.from({ length: 8 }, (_, side) =>
        world.outcomes([side % 2 === 0 ? fromHttp(event) : fromKafka(event, { topic: `t${side}` })]),
      ),
    );
    expect(sides.flat().toSorted()).toEqual(['accepted', ...Array<string>(7).fill('duplicate')]);
    expect(await world.balance()).toMatchObject({ events: 8, campaigns: 1, duplicates: 7, keys: 1 });
  });

  it('different events for one new campaign at once: one makes it, the others see it', async () => {
    const sides = await Promise.all(
      Array.from({ length: 8 }, () => world.outcomes([fromHttp(scheduled('spring'))])),
    );
    expect(sides.flat().toSorted()).toEqual([...Array<string>(7).fill('SUPERSEDED'), 'accepted']);
    expect(await world.balance()).toMatchObject({ events: 8, campaigns: 1, rejections: 7, keys: 1 });
  });

  it('a campaign that another transaction makes between the look and the insert is looked at again', async () => {
    const other = await OwnConnection.beside(world.dataSource);
    await other.query('begin');
    await other.query(
      `insert into campaign (id, service_id, campaign_id, event, state, newest_time, state_at, state_by, created_at)
       values (gen_random_uuid(), $1, 'spring', gen_random_uuid(), 'accepted', $2, $2, 'spec', $2)`,
      [SERVICE, new Date(START)],
    );
    const taking = world.outcomes([fromHttp(scheduled('spring')), fromHttp(scheduled('autumn'))]);
    await untilLockAwaited((sql) => world.rows(sql), { like: '%campaign%' });
    await other.query('commit');
    await other.release();
    expect(await taking).toEqual(['SUPERSEDED', 'accepted']);
    expect(await world.balance()).toMatchObject({ events: 2, campaigns: 2, rejections: 1, keys: 1 });
  });

  it('many batches over the same campaigns and keys at once neither deadlock nor lose any', async () => {
    const events = Array.from({ length: 40 }, (_, index) => scheduled(`c${index}`));
    const batches = Array.from({ length: 6 }, (_, side) => (side % 2 === 0 ? events : events.toReversed()));
    await Promise.all(batches.map((batch) => world.intake().accept(batch.map((event) => fromHttp(event)))));
    expect(await world.balance()).toMatchObject({ events: 240, campaigns: 40, duplicates: 200, keys: 40 });
  });
});

describe('a Kafka record read again after a crash', () => {
  it.each<[string, Json]>([
    ['one that was taken', scheduled('spring')],
    ['one that was rejected', { not: 'an event' }],
  ])('%s leaves nothing behind', async (_, event) => {
    const record = fromKafka(event);
    await world.intake().accept([record]);
    const before = await world.balance();
    expect(await world.outcomes([record, fromKafka(scheduled('autumn'))])).toEqual([
      'read-before',
      'accepted',
    ]);
    expect(await world.balance()).toMatchObject({
      events: 2,
      rejections: before['rejections'],
      letters: before['letters'],
      duplicates: 0,
    });
  });

  it('but another record at the same place is new: the topic was made anew', async () => {
    await world.intake().accept([fromKafka(scheduled('spring'), { offset: '0' })]);
    expect(await world.outcomes([fromKafka(scheduled('autumn'), { offset: '0' })])).toEqual(['accepted']);
    expect(await world.outcomes([fromKafka({}, { offset: '0' })])).toEqual([
      'REQUIRED REQUIRED REQUIRED REQUIRED REQUIRED REQUIRED',
    ]);
  });
});

describe('what only the database knows', () => {
  it.each(['completed', 'rejected', 'canceled'])('a campaign that is %s never opens again', async (state) => {
    await world.outcomes([fromKafka(scheduled('spring'))]);
    const path =
      {
        completed: ['planning', 'planned', 'completed'],
        rejected: ['planning', 'rejected'],
        canceled: ['canceling', 'canceled'],
      }[state] ?? [];
    for (const step of path) await world.rows('update campaign set state = $1', [step]);
    expect(await world.outcomes([fromKafka(scheduled('spring'))])).toEqual(['CAMPAIGN_CLOSED']);
    const cancel = await world.outcomes([fromKafka(canceled('spring'))]);
    expect(cancel).toEqual([state === 'canceled' ? 'accepted' : 'CAMPAIGN_CLOSED']);
  });

  it('sources: exact, by prefix, and none other over Kafka', async () => {
    const from = (source: string) => fromKafka(scheduled(`c-${source.replaceAll('/', '.')}`, {}, { source }));
    const outcomes = await world.outcomes([
      from('/shop/promotions'),
      from('/team/a/b'),
      from('/team'),
      from('/teamwork/x'),
      from('/shop/promotions/x'),
      from('/other'),
    ]);
    expect(outcomes).toEqual(['accepted', 'accepted', ...Array<string>(4).fill('SOURCE_NOT_ALLOWED')]);
    expect(await world.outcomes([fromHttp(scheduled('d', {}, { source: '/other' }))])).toEqual(['accepted']);
  });

  it('an unknown service, and one that the token does not hold, which a publisher may not distinguish', async () => {
    expect(await world.outcomes([fromKafka(scheduled('a', { serviceId: 'nobody' }))])).toEqual([
      'UNKNOWN_SERVICE',
    ]);
    const foreign = await world
      .intake()
      .accept([
        fromHttp(scheduled('a'), ['other-app']),
        fromHttp(scheduled('a', { serviceId: 'nobody' }), ['other-app']),
      ]);
    const reasons = foreign.map((verdict) =>
      verdict.kind === 'rejected' ? verdict.reasons.map(({ code, pointer }) => `${pointer} ${code}`) : [],
    );
    expect(reasons).toEqual([
      ['/data/serviceId SERVICE_NOT_ALLOWED'],
      ['/data/serviceId SERVICE_NOT_ALLOWED'],
    ]);
    // The service's own people do not see what a stranger's token publishes about it.
    expect(await world.rows("select service_id from event where via = 'http'")).toEqual([
      { service_id: null },
      { service_id: null },
    ]);
    // Nor do its dead letters have the key of the service's own campaign.
    const letters = await world.rows<{ key: string | null; value: Buffer }>(
      'select key, value from outbox order by position offset 1',
    );
    expect(letters.map(({ key }) => key)).toEqual(
      letters.map(({ value }) => (JSON.parse(String(value)) as { id: string }).id),
    );
    expect(letters.map(({ value }) => JSON.parse(String(value)) as unknown)).toMatchObject([
      { source: '/carillon', data: { serviceId: null } },
      { source: '/carillon', data: { serviceId: null } },
    ]);
  });

  it("a project's default that is not valid is a reason; never ignored", async () => {
    await addProject(world.dataSource, 'odd-app', { jitter: 5 });
    const events = ['odd-app'].map((serviceId) => fromHttp(scheduled('a', { serviceId }), [serviceId]));
    expect(await world.outcomes(events)).toEqual(['POLICY_DEFAULTS_INVALID']);
  });
});

describe('a rejected event', () => {
  it('is kept byte for byte, with every reason, and goes to the dead letters', async () => {
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    const raw = {
      ...fromKafka(body, { offset: '77' }),
      key: Buffer.from('shop-app/x'),
      headers: { 'x-trace': 'a\u0000b' },
    };
    const [verdict] = await world.intake().accept([raw]);
    const [row] = await world.rows(
      'select e.body, e.headers, e."offset", r.id, r.reasons, r.state from rejection r join event e on e.id = r.event',
    );
    expect(row).toMatchObject({
      offset: '77',
      headers: { 'x-trace': 'a\uFFFDb' },
      state: 'open',
      reasons: [{ pointer: '', code: 'NOT_UTF8' }],
    });
    expect(row?.['body']).toEqual(body);
    const [letter] = await world.rows<{ topic: string; key: string; value: Buffer }>(
      'select topic, key, value from outbox',
    );
    expect(letter).toMatchObject({ topic: 'campaign.events.dead', key: 'shop-app/x' });
    expect(JSON.parse(String(letter?.value))).toMatchObject({
      specversion: '1.0',
      id: row?.['id'],
      type: 'carillon.event.rejected.v1',
      data: {
        rejectionId: row?.['id'],
        offset: '77',
        bodyBase64: body.toString('base64'),
        byReference: false,
        reasons: [{ code: 'NOT_UTF8' }],
      },
    });
    expect(verdict).toMatchObject({ kind: 'rejected', rejection: row?.['id'] });
  });

  it('above 900 KiB goes to the dead letters by reference', async () => {
    await world
      .intake()
      .accept([fromKafka(Buffer.alloc(900 * 1024 + 1, 0x20)), fromKafka(Buffer.alloc(900 * 1024, 0x20))]);
    const letters = await world.rows<{ value: Buffer }>('select value from outbox order by position');
    const data = letters.map(({ value }) => (JSON.parse(String(value)) as { data: Json }).data);
    expect(data).toMatchObject([
      { byReference: true, bodyBase64: null, bytes: 900 * 1024 + 1 },
      { byReference: false },
    ]);
    expect(Math.max(...letters.map(({ value }) => value.length))).toBeLessThan(2 * 1024 * 1024);
    expect(await world.rows('select octet_length(body) as bytes from event order by id')).toHaveLength(2);
  });

  // To hash a key for its partition takes kafkajs a quarter of a second for 100 000 bytes, and minutes for 2 MB.
  it('with a key that no campaign can have goes to the dead letters under its campaign’s, or under its own id', async () => {
    const key = Buffer.alloc(1024 * 1024, 'k');
    await world.intake().accept([
      { ...fromKafka({ broken: true }), key },
      { ...fromKafka(scheduled('spring')), key },
    ]);
    const letters = await world.rows<{ key: string | null; value: Buffer }>(
      'select key, value from outbox order by position',
    );
    // The id of the letter.
    const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string;
    expect(letters.map((letter) => letter.key)).toEqual([id, 'shop-app/spring']);
    for (const { value } of letters) {
      const { data } = JSON.parse(String(value)) as { data: { key: string } };
      expect(data.key).toMatch(/^k{1024}$/);
    }
  });

  it('goes by reference where its headers, written as JSON, are too large for a record', async () => {
    const headers = { 'x-control': '\u0001'.repeat(500_000) };
    await world.intake().accept([{ ...fromKafka({ broken: true }), headers }]);
    const [letter] = await world.rows<{ value: Buffer }>('select value from outbox');
    expect(letter?.value.length).toBeLessThan(2 * 1024 * 1024);
    expect(JSON.parse(String(letter?.value))).toMatchObject({ data: { byReference: true, headers: null } });
  });

  it('that no statement takes is named alone, and costs the others nothing', async () => {
    // A fault that no check of ours foresees: the database itself refuses one campaign of the batch.
    await world.rows("alter table campaign add constraint poison check (campaign_id <> 'poison')");
    const names = ['a', 'b', 'poison', 'c', 'd'];
    const outcomes = await world.outcomes(names.map((name) => fromKafka(scheduled(name))));
    expect(outcomes).toEqual(['accepted', 'accepted', 'COULD_NOT_BE_TAKEN', 'accepted', 'accepted']);
    expect(await world.balance()).toMatchObject({
      events: 5,
      campaigns: 4,
      rejections: 1,
      keys: 4,
      letters: 1,
    });
  });
});

it('a batch of 500 mixed events balances: each has exactly one counterpart', async () => {
  const events = Array.from({ length: 500 }, (_, index) => {
    if (index % 5 === 1) return fromKafka({ broken: index });
    if (index % 5 === 2) return fromKafka(canceled(`c${index - 2}`));
    return fromKafka(scheduled(`c${index}`));
  });
  await world.intake().accept(events);
  expect(await world.balance()).toMatchObject({
    events: 500,
    campaigns: 300,
    commands: 100,
    rejections: 100,
    duplicates: 0,
    letters: 100,
  });
});
