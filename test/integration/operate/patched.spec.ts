// Patches of campaigns: a whole scheduler and the real push service over HTTP, counted in what devices got.
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';
import { eventually } from '../../support/eventually.js';
import { campaignOf, dataOf, START, TwoServices } from '../../support/scheduler/two-services.js';

const HOUR = 3_600_000;
const USERS = ['ann', 'bob', 'cho', 'dan', 'eve'];
const PATIENT = { withinMs: 30_000 };
const MERGE_PATCH = 'application/merge-patch+json';

let world: TwoServices;
let now = START;

beforeAll(async () => {
  world = await TwoServices.open('api,plan,dispatch,follow');
}, 120_000);
afterAll(() => world.close());

const utc = (hours: number): string => new Date(now + hours * HOUR).toISOString().slice(0, 16);
const moveTo = async (instant: number): Promise<void> => {
  now = instant;
  await world.moveTo(instant);
};

const register = async (settings: Json = {}): Promise<string> =>
  (await world.projectOf(USERS, settings)).serviceId;
const data = (service: string, more: Json = {}): Json =>
  dataOf({
    serviceId: service,
    name: 'first',
    audience: { type: 'USER', to: USERS },
    message: { default: { content: 'first' } },
    delivery: { at: utc(12), zone: 'UTC' },
    ...more,
  });
const publish = async (first: Json): Promise<string> => {
  const published = await world.publish(first);
  expect(published).toMatchObject({ status: 202 });
  const campaign = campaignOf(published);
  await world.planned(campaign);
  return campaign;
};
const patch = (
  campaign: string,
  body: unknown,
  query = '',
  {
    headers = {},
    authorization = world.publisher,
  }: { headers?: Record<string, string>; authorization?: string } = {},
) =>
  world.scheduler.call('PATCH', `/v1/campaigns/${encodeURIComponent(campaign)}${query}`, {
    authorization,
    body,
    headers: { 'content-type': MERGE_PATCH, ...headers },
  });
const act = async (path: string, body: Json = {}) =>
  world.scheduler.call('POST', `/v1/campaigns/${path}`, {
    authorization: await world.scheduler.bearer(['operator']),
    body,
  });
const shown = async (campaign: string): Promise<Json> =>
  (await world.get(`/v1/campaigns/${campaign}`)).body as Json;
const view = async (campaign: string, revision: number): Promise<Json> =>
  (await world.get(`/v1/campaigns/${campaign}/revisions/${revision}`)).body as Json;
const settled = (campaign: string, wanted: object): Promise<unknown> =>
  eventually(async () => {
    await moveTo(now + 5_000);
    expect(await shown(campaign)).toMatchObject(wanted);
  }, PATIENT);
const inForce = (campaign: string, revision: number): Promise<unknown> =>
  settled(campaign, { revision, acts: [] });
const contents = async (service: string): Promise<string[]> =>
  (await world.taken())
    .filter((one) => one.service === service && one.state === 'FINISHED')
    .map(({ message }) => message.default.content)
    .sort();
const named = (campaign: string): Promise<unknown> =>
  world.scheduler.dataSource.query('select name, tags from campaign where id = $1', [campaign]);
const second: Json = { message: { default: { content: 'second' } } };
const counted = async (): Promise<unknown> =>
  world.scheduler.dataSource.query(
    `select (select count(*) from event) as events, (select count(*) from revision) as revisions,
            (select count(*) from rejection) as rejections, (select count(*) from send_next) as planned,
            (select count(*) from inbox_key) as keys, (select count(*) from audit where action = 'campaign.revise') as audits`,
  );

describe('a patch', () => {
  it('changes what it names, by the name of the token, and everybody gets the last message once', async () => {
    const service = await register();
    const dueAt = now + 12 * HOUR;
    const campaign = await publish(data(service, { tags: ['a', 'b'] }));
    await settled(campaign, { sends: { reserved: 3 } });
    const answer = await patch(campaign, { ...second, tags: null });
    expect(answer).toMatchObject({
      status: 202,
      body: { id: campaign, patched: 1, revision: 2, changed: true, preview: null },
    });
    await inForce(campaign, 2);
    expect(await named(campaign)).toEqual([{ name: 'first', tags: [] }]);
    expect(await view(campaign, 2)).toMatchObject({ difference: { requests: { changed: 3, same: 0 } } });
    const audit = await world.scheduler.dataSource.query(
      "select who, before, after from audit where action = 'campaign.revise' and target = $1",
      [campaign],
    );
    expect(audit).toMatchObject([
      {
        who: expect.stringMatching(/^token:/),
        before: { revision: 1 },
        after: { revision: 2, members: ['message', 'tags'] },
      },
    ]);
    const history = await world.scheduler.dataSource.query<{ by: string }>(
      "select distinct state_by as by from send where campaign = $1 and state = 'superseded'",
      [campaign],
    );
    expect(history).toEqual([{ by: expect.stringMatching(/^token:.* \([0-9a-f-]{36}\)$/) }]);
    await moveTo(dueAt);
    await settled(campaign, { state: 'completed' });
    expect(await contents(service)).toEqual(['second', 'second', 'second']);
  });

  it('is previewed as it is done, and a preview keeps nothing', async () => {
    const service = await register();
    const campaign = await publish(data(service));
    await settled(campaign, { sends: { reserved: 3 } });
    const kept = await counted();
    const preview = await patch(campaign, second, '?preview=true');
    expect(preview).toMatchObject({
      status: 202,
      body: {
        patched: 1,
        revision: null,
        changed: false,
        preview: {
          verdict: 'takes-its-place',
          reasons: [],
          difference: { cells: { changed: 1 }, requests: { changed: 3, same: 0, new: 0, gone: 0, late: 0 } },
          atOnce: 0,
          askedOfPushService: 3,
          inFlight: 0,
          tooLate: 0,
        },
      },
    });
    expect(await counted()).toEqual(kept);
    expect(await patch(campaign, second)).toMatchObject({ status: 202, body: { revision: 2 } });
    await inForce(campaign, 2);
    const { difference } = (preview.body as { preview: Json }).preview;
    expect((await view(campaign, 2))['difference']).toEqual(difference);
  });

  it('is previewed as a whole plan by POST /v1/plans?campaign=', async () => {
    const service = await register();
    const campaign = await publish(data(service, { audience: { type: 'USER', to: ['ann'] } }));
    const wider = data(service, { audience: { type: 'USER', to: ['ann', 'bob', 'cho'] } });
    const byId = await world.preview(wider, `?campaign=${campaign}`);
    expect(byId).toMatchObject({
      status: 200,
      body: {
        revision: { verdict: 'takes-its-place', difference: { requests: { changed: 1, new: 1 } } },
      },
    });
    const name = encodeURIComponent(`${service}/c-${world.published}`);
    expect((await world.preview(wider, `?campaign=${name}`)).body).toMatchObject({
      revision: (byId.body as Json)['revision'],
    });
    expect(await world.preview(wider)).toMatchObject({ status: 200, body: { revision: null } });
    expect(await world.preview(wider, `?campaign=${v7()}`)).toMatchObject({ status: 404 });
    const other = data(await register());
    expect(await world.preview(other, `?campaign=${campaign}`)).toMatchObject({ status: 400 });
  });

  it('says beforehand that an audience has begun', async () => {
    const service = await register();
    const policy = { pace: { perMinute: 1 }, handoff: 'hold' };
    const campaign = await publish(data(service, { delivery: { at: utc(1), zone: 'UTC' }, policy }));
    await moveTo(now + HOUR);
    await eventually(
      async () => expect(await shown(campaign)).toMatchObject({ sends: { planned: 2 } }),
      PATIENT,
    );
    const preview = await patch(campaign, { audience: { to: ['ann'] } }, '?preview=true');
    expect(preview.body).toMatchObject({
      preview: { verdict: 'rejected', reasons: [{ code: 'AUDIENCE_FIXED' }], tooLate: 1 },
    });
  });

  it('that changes nothing makes no revision', async () => {
    const service = await register();
    const campaign = await publish(data(service));
    const same = { name: 'first', message: { default: { content: 'first' } }, policy: {} };
    expect(await patch(campaign, same)).toMatchObject({
      status: 202,
      body: { patched: 1, revision: null, changed: false },
    });
    expect(await shown(campaign)).toMatchObject({ revision: 1, revisions: [{ revision: 1 }] });
  });

  it('under an Idempotency-Key is done once', async () => {
    const service = await register();
    const campaign = await publish(data(service));
    const headers = { 'idempotency-key': v7() };
    const first = await patch(campaign, { name: 'second' }, '', { headers });
    expect(first).toMatchObject({ status: 202, body: { revision: 2 } });
    expect(await patch(campaign, { name: 'second' }, '', { headers })).toMatchObject({
      status: 202,
      body: first.body,
    });
    expect(await patch(campaign, { name: 'third' }, '', { headers })).toMatchObject({ status: 422 });
  });
});

describe('what is no patch', () => {
  it.each([
    ['an array', [], 400, 'NOT_A_MERGE_PATCH', ''],
    ['a scalar', 'name', 400, 'NOT_A_MERGE_PATCH', ''],
    ['null', null, 400, 'NOT_A_MERGE_PATCH', ''],
    ['serviceId', { serviceId: 'other' }, 400, 'NOT_A_MERGE_PATCH', '/serviceId'],
    ['campaignId', { campaignId: 'other' }, 400, 'NOT_A_MERGE_PATCH', '/campaignId'],
    ['an unknown member', { mesage: {} }, 422, 'EVENT_REJECTED', '/mesage'],
    ['no message any more', { message: null }, 422, 'EVENT_REJECTED', '/message'],
    [
      'a zone that there is not',
      { delivery: { zone: 'Mars/Base' } },
      422,
      'EVENT_REJECTED',
      '/delivery/zone',
    ],
    [
      'a list that there is not',
      { audience: { to: null, list: 'none' } },
      422,
      'EVENT_REJECTED',
      '/audience/list',
    ],
  ])('%s: a clear answer, and nothing is kept', async (_what, body, status, code, pointer) => {
    const campaign = await publish(data(await register()));
    const kept = await counted();
    for (const query of ['', '?preview=true']) {
      expect(await patch(campaign, body, query)).toMatchObject({
        status,
        body: { code, problems: [{ pointer }] },
      });
    }
    expect(await counted()).toEqual(kept);
  });

  it('another content type is a 415, and no body a 415 too', async () => {
    const campaign = await publish(data(await register()));
    for (const type of ['application/json', 'application/json-patch+json', 'text/plain'])
      expect(await patch(campaign, {}, '', { headers: { 'content-type': type } })).toMatchObject({
        status: 415,
      });
    const authorization = world.publisher;
    expect(await world.scheduler.call('PATCH', `/v1/campaigns/${campaign}`, { authorization })).toMatchObject(
      {
        status: 415,
      },
    );
  });

  it('a closed campaign takes none', async () => {
    const campaign = await publish(data(await register()));
    await act(`${campaign}/cancel`);
    await settled(campaign, { state: 'canceled' });
    for (const query of ['', '?preview=true'])
      expect(await patch(campaign, second, query)).toMatchObject({
        status: 409,
        body: { code: 'CAMPAIGN_CLOSED', state: 'canceled' },
      });
    expect(await world.preview(data(await register()), `?campaign=${campaign}`)).toMatchObject({
      status: 409,
    });
  });

  it('an operator and a publisher of another service may not', async () => {
    const campaign = await publish(data(await register()));
    const operator = await world.scheduler.bearer(['operator']);
    expect(await patch(campaign, second, '', { authorization: operator })).toMatchObject({ status: 403 });
    const foreign = await world.scheduler.bearer(['publisher'], [await register()]);
    expect(await patch(campaign, second, '', { authorization: foreign })).toMatchObject({ status: 404 });
  });
});

describe('two at once', () => {
  it('one of two patches of the same revision is told that the other came', async () => {
    const campaign = await publish(data(await register()));
    const answers = await Promise.all(['ann', 'bob'].map((name) => patch(campaign, { name }, '?revision=1')));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['202', '409']);
    expect(answers.find(({ status }) => status === 409)).toMatchObject({
      body: { code: 'REVISION_CHANGED' },
    });
    expect((await shown(campaign))['revisions']).toHaveLength(2);
  });

  it('patches of nobody’s revision are done one after the other, and none is lost', async () => {
    const campaign = await publish(data(await register()));
    const answers = await Promise.all([
      patch(campaign, { name: 'second' }),
      patch(campaign, { tags: ['t'] }),
    ]);
    expect(answers).toMatchObject([{ status: 202 }, { status: 202 }]);
    await inForce(campaign, 3);
    expect(await named(campaign)).toEqual([{ name: 'second', tags: ['t'] }]);
  });

  it('an approval of what was looked at, and a patch: what leaves is what was approved', async () => {
    const service = await register();
    const campaign = await publish(data(service, { policy: { approval: 'required' } }));
    const dueAt = now + 12 * HOUR;
    expect(await shown(campaign)).toMatchObject({ state: 'awaiting-approval' });
    const [{ hash } = { hash: '' }] = (await shown(campaign))['revisions'] as { hash: string }[];
    const [approved, patched] = await Promise.all([
      act(`${campaign}/approve`, { revision: 1, hash }),
      patch(campaign, second, '?revision=1'),
    ]);
    expect(patched).toMatchObject({ status: 202 });
    expect([202, 409]).toContain(approved.status);
    await eventually(async () => {
      expect(await view(campaign, 2)).toMatchObject({ state: 'awaiting-approval' });
    }, PATIENT);
    await moveTo(dueAt);
    await eventually(async () => {
      await moveTo(now + 5_000);
      const sent = await contents(service);
      expect(sent).toEqual(approved.status === 202 ? ['first', 'first', 'first'] : []);
    }, PATIENT);
  });
});

it('a draft is changed by patches, and its publisher releases it', async () => {
  const service = await register();
  const dueAt = now + 12 * HOUR;
  const campaign = await publish(data(service, { policy: { approval: 'required' } }));
  const preview = await patch(campaign, second, '?preview=true');
  expect(preview.body).toMatchObject({ preview: { verdict: 'awaits-approval' } });
  expect(await patch(campaign, second)).toMatchObject({ status: 202, body: { revision: 2 } });
  await settled(campaign, { revision: 2, state: 'awaiting-approval' });
  const revisions = (await shown(campaign))['revisions'] as { revision: number; hash: string }[];
  const [old, draft] = revisions;
  const approve = (body: Json) =>
    world.scheduler.call('POST', `/v1/campaigns/${campaign}/approve`, {
      authorization: world.publisher,
      body,
    });
  expect(await approve({ revision: 1, hash: old?.hash })).toMatchObject({
    status: 409,
    body: { code: 'REVISION_CHANGED' },
  });
  expect(await approve({ revision: 2, hash: draft?.hash })).toMatchObject({ status: 202 });
  await moveTo(dueAt);
  await settled(campaign, { state: 'completed' });
  expect(await contents(service)).toEqual(['second', 'second', 'second']);
});

it('an older event is superseded by a patch, and a newer one comes after it', async () => {
  const service = await register();
  const campaign = await publish(data(service));
  const subject = `c-${world.published}`;
  const before = new Date(now - 120_000).toISOString();
  await moveTo(now + 60_000);
  expect(await patch(campaign, { name: 'second' })).toMatchObject({ status: 202 });
  const event = (time: string) =>
    world.scheduler.call('POST', '/v1/events', {
      authorization: world.publisher,
      body: scheduled(subject, {}, { data: data(service, { name: 'third' }), time }),
      headers: { 'content-type': 'application/cloudevents+json' },
    });
  expect(await event(before)).toMatchObject({
    status: 422,
    body: { events: [{ problems: [{ code: 'SUPERSEDED' }] }] },
  });
  await moveTo(now + 60_000);
  expect(await event(new Date(now).toISOString())).toMatchObject({ status: 202 });
  await inForce(campaign, 3);
  expect(await shown(campaign)).toMatchObject({ name: 'third' });
});
