/* oxlint-disable unicorn/no-thenable -- the contract names a member "then"; no promise meets it */
// POST /v1/plans on a whole scheduler, over HTTP: previews are kept and paged, and an event that names one's planHash is
// planned exactly so or refused. sent-as-previewed.spec checks that a previewed plan is then sent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';
import {
  campaignOf,
  dataOf,
  recipientAt,
  START,
  TwoServices,
  type Cell,
  type Plan,
} from '../../support/scheduler/two-services.js';

const SERVICE = 'shop-app';

let world: TwoServices;

beforeAll(async () => {
  world = await TwoServices.open();
  for (const serviceId of [SERVICE, 'another-app']) await world.project({}, serviceId);
});
afterAll(() => world.close());

const users = (count: number, prefix: string) => ({
  type: 'USER',
  to: Array.from({ length: count }, (_, index) => `${prefix}-${index}`),
});
const segments = (...zones: string[]) => zones.map((zone) => ({ zone, audience: users(3, zone) }));

describe('what is previewed', () => {
  it('comes in pages that end by their size too, none of their cells lost', async () => {
    const names = Array.from({ length: 400 }, (_, index) => String(index).padStart(250, 'c'));
    const data = dataOf({
      audience: { type: 'CHANNEL', to: names },
      delivery: recipientAt('2027-03-02T09:00', { recurrence: 'FREQ=HOURLY;COUNT=30' }),
    });
    const first = (await world.preview(data, '?limit=500')).body as Plan;
    const seen = [...first.items];
    let { nextCursor } = first;
    while (nextCursor !== null) {
      const page = (await world.get(`/v1/plans/${first.planHash}?limit=500&cursor=${nextCursor}`))
        .body as Plan;
      // The last cell of a page may reach beyond 256 KiB: one of these is about 100 KB.
      expect(JSON.stringify(page.items).length).toBeLessThan(500_000);
      seen.push(...page.items);
      nextCursor = page.nextCursor;
    }
    expect(JSON.stringify(first.items).length).toBeLessThan(500_000);
    expect(seen).toHaveLength(Number(first['cells']));
    expect(new Set(seen.map((cell) => JSON.stringify(cell))).size).toBe(seen.length);
    expect(JSON.stringify(seen).length).toBeGreaterThan(2_600_000);
  });

  it('is kept for 24 hours under its hash, and paged', async () => {
    const data = dataOf({
      audience: null,
      delivery: recipientAt('2027-03-02T09:00', {
        segments: segments('Asia/Seoul', 'Asia/Tokyo', 'Europe/Paris', 'Europe/London', 'Asia/Dubai'),
      }),
    });
    const first = (await world.preview(data, '?limit=2')).body as Plan;
    expect(first.items).toHaveLength(2);
    expect(first.nextCursor).not.toBeNull();
    expect(first).toMatchObject({
      cells: 5,
      totals: { requests: 10 },
      refusal: null,
      expiresAt: new Date(world.clock.now() + 86_400_000).toISOString(),
    });

    const whole = (await world.preview(data, '?limit=500')).body as Plan;
    expect(whole.planHash).toBe(first.planHash);
    expect(await world.all<Cell>(`/v1/plans/${first.planHash}`)).toEqual(whole.items);

    const other = await world.scheduler.bearer(['publisher'], ['another-app']);
    expect(
      (await world.scheduler.call('GET', `/v1/plans/${first.planHash}`, { authorization: other })).status,
    ).toBe(404);
    await world.moveTo(START + 86_400_000);
    expect((await world.get(`/v1/plans/${first.planHash}`)).status).toBe(404);
    await world.moveTo(START);
  });

  it('says why it would be refused, as a plan that has no cells', async () => {
    const answer = await world.preview(
      dataOf({
        delivery: { at: '2027-03-14T02:30', zone: 'America/New_York' },
        policy: { dst: { gap: 'reject' } },
      }),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { items: [], refusal: { code: 'DST_GAP', pointer: '/policy/dst/gap' } },
    });
  });

  it('says that its time is over, and the event of it is refused', async () => {
    const data = dataOf({ delivery: { at: '2027-02-28T23:29:00Z' } });
    expect(await world.preview(data)).toMatchObject({
      status: 200,
      body: { items: [], refusal: { code: 'TIME_PASSED', pointer: '/delivery/at' } },
    });
    expect(await world.publish(data)).toMatchObject({
      status: 422,
      body: { events: [{ problems: [{ code: 'TIME_PASSED', pointer: '/data/delivery/at' }] }] },
    });
  });

  it('says first that nothing will leave, and so does the answer to the event', async () => {
    const data = dataOf({
      audience: null,
      delivery: recipientAt('2027-03-01T08:00', { segments: segments('Asia/Seoul', 'Asia/Tokyo') }),
    });
    const warnings = [{ code: 'NOTHING_WILL_LEAVE' }];
    expect(await world.preview(data)).toMatchObject({ status: 200, body: { warnings } });
    expect(await world.publish(data)).toMatchObject({ status: 202, body: { events: [{ warnings }] } });
  });

  it('is refused with every reason where the event would be rejected, and nothing is kept', async () => {
    const answer = await world.preview(
      dataOf({
        delivery: { at: '2027-03-14T02:30' },
        policy: { approval: 'required' },
        audience: { type: 'USER' },
      }),
    );
    expect(answer.status).toBe(422);
    const { problems } = answer.body as { problems: { pointer: string; code: string }[] };
    expect(problems.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/audience/to REQUIRED',
      '/delivery/at ZONE_MISSING',
    ]);
  });

  it('answers 404 for a foreign push project as for an unknown one', async () => {
    const authorization = await world.scheduler.bearer(['publisher'], [SERVICE]);
    for (const serviceId of ['another-app', 'nobody']) {
      expect(
        await world.scheduler.call('POST', '/v1/plans', { authorization, body: dataOf({ serviceId }) }),
      ).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    }
  });
});

describe('a campaign that names a planHash', () => {
  const draft = (): Json =>
    dataOf({
      audience: null,
      delivery: recipientAt('2027-03-01T18:00', { segments: segments('Asia/Seoul', 'Europe/Paris') }),
    });

  it('over HTTP answers 409 with the difference when it would be planned otherwise now, and keeps nothing', async () => {
    await world.moveTo(START);
    const data = draft();
    const { planHash } = (await world.preview(data)).body as Plan;
    // In Seoul 18:00 is over by then.
    await world.moveTo('2027-03-01T09:30:00Z');
    const answer = await world.publish({ ...data, planHash });

    expect(answer).toMatchObject({
      status: 409,
      body: {
        code: 'PLAN_CHANGED',
        difference: {
          known: true,
          cellsChanged: 1,
          cells: [
            { cell: 'Asia/Seoul|given|1|all|all', was: { skipped: null }, is: { skipped: 'PASSED_ZONE' } },
          ],
        },
      },
    });
    expect(await eventsNamed(`c-${world.published}`)).toBe(0);
    await world.moveTo(START);
  });

  it('is taken hours after its preview where nothing decided has changed: it goes now, at a pace', async () => {
    await world.moveTo(START);
    const data = dataOf({
      audience: users(9, 'later'),
      delivery: { now: true },
      policy: { pace: { perMinute: 7 } },
    });
    const { planHash } = (await world.preview(data)).body as Plan;
    await world.moveTo('2027-03-01T02:17:21.987Z');
    const accepted = await world.publish({ ...data, planHash });
    expect(accepted.status).toBe(202);
    expect(await world.planned(campaignOf(accepted))).toMatch(/^(planned|running)$/);
    await world.moveTo(START);
  });

  it('that was taken before is a duplicate, whatever has changed since', async () => {
    await world.moveTo(START);
    const data = draft();
    const { planHash } = (await world.preview(data)).body as Plan;
    const event = scheduled('twice', {}, { data: { ...data, planHash } });
    const post = () =>
      world.scheduler.call('POST', '/v1/events', {
        authorization: world.publisher,
        body: event,
        headers: { 'content-type': 'application/cloudevents+json' },
      });
    const first = await post();
    expect(first.status).toBe(202);
    await world.planned(campaignOf(first));
    await world.moveTo('2027-03-01T09:30:00Z');
    expect(await post()).toMatchObject({ status: 202, body: { events: [{ verdict: 'duplicate' }] } });
    await world.moveTo(START);
  });

  it('in a batch, as over Kafka, is rejected by planning', async () => {
    await world.moveTo(START);
    const data = draft();
    const { planHash } = (await world.preview(data)).body as Plan;
    await world.moveTo('2027-03-01T09:30:00Z');
    const campaign = campaignOf(await world.publish({ ...data, planHash }, true));
    expect(await world.planned(campaign)).toBe('rejected');
    const answer = await world.get(`/v1/campaigns/${campaign}`);
    expect(answer.body).toMatchObject({
      code: 'PLAN_CHANGED',
      detail: 'cells that would be planned otherwise than previewed: 1',
      revisions: [
        {
          state: 'rejected',
          reasons: [{ code: 'PLAN_CHANGED', pointer: '/planHash', difference: { cellsChanged: 1 } }],
        },
      ],
    });
    await world.moveTo(START);
  });

  it.each<[string, Json]>([
    ['lateness', { lateness: { max: 'PT1M', then: 'send' } }],
    ['deadline', { deadline: 'PT2H' }],
    ['night', { night: 'skip' }],
    ['quiet hours', { quietHours: { start: '03:00', end: '04:00', action: 'skip' } }],
    ['jitter', { jitter: 'PT1S' }],
    ['passed zone', { passedZone: 'next-day' }],
    ['dst', { dst: { gap: 'skip' } }],
  ])('of another policy (%s) is refused, though no cell is planned otherwise', async (_name, policy) => {
    await world.moveTo(START);
    const data = { ...draft(), policy: { lateness: { max: 'PT1M', then: 'expire' } } };
    const { planHash } = (await world.preview(data)).body as Plan;
    const answer = await world.publish({ ...data, policy: { ...data.policy, ...policy }, planHash });
    expect(answer).toMatchObject({ status: 409, body: { difference: { known: true, changed: ['policy'] } } });
  });

  it('is refused where two users swapped their offsets meanwhile, and the difference names their cells', async () => {
    await world.moveTo(START);
    const learn = (offsets: Readonly<Record<string, number>>): Promise<unknown> =>
      world.scheduler.dataSource.query(
        `insert into registered_offset (service_id, user_id, offset_seconds, looked_up_at)
         select $1, key, value::int, to_timestamp($3::float8 / 1000) from jsonb_each_text($2::jsonb)
         on conflict (service_id, user_id) do update set offset_seconds = excluded.offset_seconds`,
        [SERVICE, JSON.stringify(offsets), world.clock.now()],
      );
    const hours = 3_600;
    await learn({ 'swap-0': 9 * hours, 'swap-1': 1 * hours, 'swap-2': 9 * hours, 'swap-3': 1 * hours });
    const data = dataOf({ audience: users(4, 'swap'), delivery: recipientAt('2027-03-02T09:00') });
    const { planHash } = (await world.preview(data)).body as Plan;
    await learn({ 'swap-2': 1 * hours, 'swap-3': 9 * hours });
    const answer = await world.publish({ ...data, planHash });
    expect(answer).toMatchObject({
      status: 409,
      body: { difference: { known: true, changed: ['cells'], cellsChanged: 2 } },
    });
    const { cells } = (answer.body as { difference: { cells: { was: Json; is: Json }[] } }).difference;
    for (const { was, is } of cells) expect(was['idsDigest']).not.toBe(is['idsDigest']);
  });

  it('of another message is refused, and of a hash nobody made as well', async () => {
    const data = draft();
    const { planHash } = (await world.preview(data)).body as Plan;
    const other = await world.publish({
      ...data,
      message: { default: { content: 'another text' } },
      planHash,
    });
    expect(other).toMatchObject({
      status: 409,
      body: { difference: { known: true, changed: ['message'], cellsChanged: 0 } },
    });
    const nobodys = await world.publish({ ...data, planHash: 'f'.repeat(64) });
    expect(nobodys).toMatchObject({ status: 409, body: { difference: { known: false } } });
  });
});

describe("a project's policy defaults", () => {
  it('are shown with the project, hold for its campaigns, and are listed in preview and plan', async () => {
    await world.moveTo(START);
    const admin = await world.scheduler.bearer(['admin']);
    const policyDefaults = {
      dst: { overlap: 'second' },
      night: 'defer',
      quietHours: { start: '12:00', end: '13:30', action: 'defer' },
      passedZone: 'floor:Europe/London',
      deadline: 'P1DT12H',
      lateness: { max: 'PT1H' },
      handoff: 'hold',
      pace: { perMinute: 1 },
      jitter: 'PT0S',
      split: ['deviceType'],
    };
    const path = '/v1/projects/another-app';
    expect(
      await world.scheduler.call('PATCH', path, { authorization: admin, body: { policyDefaults } }),
    ).toMatchObject({ status: 200 });
    expect((await world.scheduler.call('GET', path, { authorization: admin })).body).toMatchObject({
      policyDefaults,
    });

    const data = dataOf({
      serviceId: 'another-app',
      audience: null,
      delivery: recipientAt('2027-03-01T12:15', {
        segments: [{ zone: 'Asia/Seoul', audience: { type: 'ALL' } }],
      }),
      policy: { lateness: { then: 'send' }, deadline: 'P2D' },
    });
    const effective = {
      ...policyDefaults,
      dst: { gap: 'forward', overlap: 'second' },
      deadline: 'P2D',
      lateness: { max: 'PT1H', then: 'send' },
      jitter: null,
      approval: 'none',
      testTo: [],
    };
    const foreseen = (await world.preview(data)).body as Plan;
    expect(foreseen['policy']).toEqual(effective);
    expect(foreseen.items).toMatchObject([
      { cell: 'Asia/Seoul|given|1|GCM|all', dueAt: '2027-03-01T04:31:00.000Z', rule: 'HELD_BY_POLICY' },
      { cell: 'Asia/Seoul|given|1|APNS|all', dueAt: '2027-03-01T04:30:00.000Z', rule: 'HELD_BY_POLICY' },
    ]);

    const campaign = campaignOf(await world.publish(data));
    expect(await world.planned(campaign)).toBe('planned');
    const stored = await world.get(`/v1/campaigns/${campaign}/plan`);
    expect(stored.body).toMatchObject({ policy: effective });
    const cells = await world.all<Cell>(`/v1/campaigns/${campaign}/plan`);
    expect(cells.map(({ cell, dueAt }) => `${cell} ${dueAt}`).toSorted()).toEqual(
      foreseen.items.map(({ cell, dueAt }) => `${cell} ${dueAt}`).toSorted(),
    );
    await world.moveTo(START);
  });

  it('of quiet hours and pace are switched off by none, and by null no more than by silence', async () => {
    const data = (policy: Json): Json =>
      dataOf({
        serviceId: 'another-app',
        audience: users(5, 'off'),
        delivery: { at: '2027-03-01T12:15', zone: 'Asia/Seoul' },
        policy: { deadline: 'P2D', split: [], ...policy },
      });
    const duesOf = async (policy: Json) => {
      const { items, policy: shown } = (await world.preview(data(policy))).body as Plan & { policy: Json };
      return [items[0]?.dueAt, items[0]?.verdicts['lastDueAt'], shown['quietHours'] === null, shown['pace']];
    };
    const byDefault = ['2027-03-01T04:30:00.000Z', '2027-03-01T04:32:00.000Z', false, { perMinute: 1 }];
    expect(await duesOf({})).toEqual(byDefault);
    expect(await duesOf({ quietHours: null, pace: null })).toEqual(byDefault);
    expect(await duesOf({ quietHours: 'none' })).toEqual([
      '2027-03-01T03:15:00.000Z',
      '2027-03-01T03:17:00.000Z',
      true,
      { perMinute: 1 },
    ]);
    expect(await duesOf({ quietHours: 'none', pace: 'none' })).toEqual([
      '2027-03-01T03:15:00.000Z',
      '2027-03-01T03:15:00.000Z',
      true,
      null,
    ]);
  });
});

async function eventsNamed(subject: string): Promise<number> {
  const [row] = (await world.scheduler.dataSource.query(
    'select count(*)::int as count from event where subject = $1',
    [subject],
  )) as { count: number }[];
  return row?.count ?? -1;
}
