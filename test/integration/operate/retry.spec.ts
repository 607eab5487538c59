// Retrying one send, against real PostgreSQL and a gateway in this process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import {
  RETRYABLE_STATES,
  SEND_STATES,
  type SendState,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { askDelivered } from '../../../src/scheduler/operate/ask-delivered.js';
import { ActOnCampaign } from '../../../src/scheduler/operate/changes/act-on-campaign.js';
import { RetrySend } from '../../../src/scheduler/operate/retry-send.js';
import { failure, Gateway, json, reset } from '../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
let retrySend: RetrySend;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url, max_retries: 2 });
  clock = new SteppedClock(START + 3_600_000);
  gateway.skewMs = clock.now() - Date.now();
  gateway.answer = result(0);
  rig = rigOf(world, clock, { turns: { longestMs: 100, briefMs: 100 } });
  retrySend = new RetrySend({
    database: world.dataSource,
    askDelivered: askDelivered(rig.pushApi, rig.calls, 'retry'),
    clock,
  });
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

const result = (sentCount: number, messageStatusName = 'fail') =>
  json(200, {
    statusCode: '202',
    statusName: 'success',
    messageStatusCode: messageStatusName === 'fail' ? '500' : null,
    messageStatusName,
    targetCount: 5,
    sentCount,
  });
const ask = (send: string, more: { acceptDuplicates?: boolean; holds?: boolean } = {}) =>
  retrySend.run({
    send,
    who: 'token:ops',
    holds: () => more.holds ?? true,
    acceptDuplicates: more.acceptDuplicates ?? false,
  });
const failed = (state: SendState = 'failed', seed: object = {}) =>
  world.send({ state, columns: { request_id: 'r-1', code: 'RESULT_FAILED' }, ...seed });

describe('a retry', () => {
  it.each(RETRYABLE_STATES)(
    'of a send that is %s is a new send of the same chunk, due now',
    async (state) => {
      const send = await failed(state, { recipients: ['a', 'b'], chunk: 3 });
      const made = await ask(send);
      expect(made).toMatchObject({
        retryOf: send,
        retries: 1,
        state: 'planned',
        newest: true,
        duplicates: 0,
        recipients: 2,
      });
      expect(made).toMatchObject({ dueAt: new Date(clock.now()), intendedAt: new Date(START) });
      expect(await world.read(send)).toMatchObject({ state, changes: 1, next_send: made.id });
      expect(await world.dataSource.query('select chunk, id from send where next_send is null')).toEqual([
        { chunk: 3, id: made.id },
      ]);
      expect(
        await world.dataSource.query('select recipients from send_recipients where send = $1', [made.id]),
      ).toEqual([{ recipients: ['a', 'b'] }]);
      expect(await world.dataSource.query('select who, action, target, after from audit')).toEqual([
        {
          who: 'token:ops',
          action: 'send.retry',
          target: send,
          after: { send: made.id, dueAt: new Date(clock.now()).toISOString(), retries: 1, duplicates: 0 },
        },
      ]);
    },
  );

  it('is made of a send whose id is given in capitals, and audited under the id it has', async () => {
    const send = await failed('failed');
    expect(await ask(send.toUpperCase())).toMatchObject({ retryOf: send });
    expect(await world.dataSource.query('select target from audit')).toEqual([{ target: send }]);
  });

  it.each(SEND_STATES.filter((state) => !RETRYABLE_STATES.includes(state)))(
    'is refused for a send that is %s',
    async (state) => {
      await expect(ask(await failed(state))).rejects.toMatchObject({ status: 409, code: 'NOT_RETRYABLE' });
    },
  );

  it('asks whether anybody got it before a failed or stale one goes again, and no other', async () => {
    await ask(await failed('rejected'));
    await ask(await failed('expired'));
    expect(gateway.asked).toEqual([]);
    await ask(await failed('stale'));
    expect(gateway.asked).toMatchObject([
      { method: 'GET', path: `/push/v2/services/${SERVICE}/messages/r-1` },
    ]);
  });

  it('of one that somebody got needs acceptDuplicates, and says the number', async () => {
    gateway.answer = result(4);
    const send = await failed();
    await expect(ask(send)).rejects.toMatchObject({
      status: 409,
      code: 'DELIVERED_TO_SOME',
      extras: { details: { sentCount: 4 } },
    });
    expect(await ask(send, { acceptDuplicates: true })).toMatchObject({ duplicates: 4, retryOf: send });
  });

  it('waits for a result that is not final, whatever is accepted', async () => {
    gateway.answer = result(0, 'processing');
    await expect(ask(await failed(), { acceptDuplicates: true })).rejects.toMatchObject({
      code: 'RESULT_NOT_FINAL',
    });
  });

  it.each([
    ['an error', failure(500, '900')],
    ['no answer', reset],
  ])('does not go on %s in place of the result', async (_, answer) => {
    gateway.answer = answer;
    const send = await failed();
    await expect(ask(send)).rejects.toMatchObject({ status: 502, code: 'RESULT_UNREAD' });
    expect(await world.dataSource.query('select id, next_send from send')).toEqual([
      { id: send, next_send: null },
    ]);
  });

  it.each([
    [failure(429, '410', { 'retry-after': '30' }), 503, 'THROTTLE_LIMITED', 30],
    [failure(429, '400', { 'retry-after': '3600' }), 503, 'QUOTA_EXCEEDED', 3_600],
    [failure(401, '200'), 409, 'BAD_KEY', undefined],
  ])(
    'of a blocked project is answered with the code, the end and what to do',
    async (answer, status, code, retryAfterSeconds) => {
      gateway.answer = answer;
      const send = await failed();
      const until =
        retryAfterSeconds === undefined
          ? null
          : new Date(clock.now() + retryAfterSeconds * 1_000).toISOString();
      const refusal = {
        status,
        code: 'PROJECT_BLOCKED',
        message: expect.stringContaining(until ?? 'give the project a key'),
        extras: { details: { blocked: { code, until } } },
      };
      await expect(ask(send)).rejects.toMatchObject(refusal);
      // And once more, by the answer of the first time: nobody is asked.
      const again = ask(send);
      await expect(again).rejects.toMatchObject(refusal);
      await expect(again).rejects.toMatchObject({
        extras: retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
      });
      expect(gateway.asked).toHaveLength(1);
    },
  );

  it('waits briefly for its turn of the rate, then says that there is none', async () => {
    await world.insert('project_pace', { service_id: SERVICE, rate: 1, tokens: -10_000, at: new Date() });
    await expect(ask(await failed())).rejects.toMatchObject({
      status: 429,
      code: 'RATE_USED_UP',
      extras: { retryAfterSeconds: 1 },
    });
    expect(gateway.asked).toEqual([]);
  });

  it('goes on where the push service knows of no such request', async () => {
    gateway.answer = failure(404, '300');
    expect(await ask(await failed())).toMatchObject({ duplicates: 0 });
  });

  it('is refused twice, also at the same moment', async () => {
    const send = await failed();
    const outcomes = await Promise.allSettled([ask(send), ask(send), ask(send)]);
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(ask(send)).rejects.toMatchObject({ status: 409, code: 'ALREADY_RETRIED' });
    expect(await world.dataSource.query('select id from send where retry_of = $1', [send])).toHaveLength(1);
  });

  it('is made at most maxRetries times', async () => {
    await expect(ask(await failed('failed', { columns: { retries: 2 } }))).rejects.toMatchObject({
      code: 'MAX_RETRIES',
    });
  });

  it.each(['canceled', 'canceling'])('is refused in a campaign that is %s', async (state) => {
    const campaign = await world.campaign({ state });
    await expect(ask(await failed('failed', { campaign }))).rejects.toMatchObject({
      code: 'CAMPAIGN_CANCELED',
    });
  });

  it.each(['canceled', 'canceling'])('is refused in an occurrence that is %s', async (state) => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await failed('failed', { campaign });
    await world.dataSource.query('update occurrence set state = $2 where campaign = $1', [campaign, state]);
    await expect(ask(send)).rejects.toMatchObject({ status: 409, code: 'OCCURRENCE_CANCELED' });
    expect(await world.dataSource.query('select id from send')).toHaveLength(1);
  });

  it('is made in a completed campaign, which stays completed', async () => {
    const campaign = await world.campaign({ state: 'completed' });
    await ask(await failed('failed', { campaign }));
    expect(await world.dataSource.query('select state from campaign')).toEqual([{ state: 'completed' }]);
  });

  it('knows neither an unknown send nor a foreign one', async () => {
    await expect(ask('00000000-0000-7000-8000-00000000dead')).rejects.toMatchObject({ status: 404 });
    await expect(ask(await failed(), { holds: false })).rejects.toMatchObject({ status: 404 });
  });

  it('leaves, though its first time is long past: its lateness counts from the retry', async () => {
    clock.set(START + 3 * 86_400_000);
    const made = await ask(await failed('expired'));
    gateway.answer = json(202, { requestId: 'r-2', statusName: 'success' });
    await expect
      .poll(async () => {
        await rig.dispatch.runOnce();
        return (await world.read(made.id)).state;
      })
      .toBe('accepted');
  });
});

describe('a cancel by hand', () => {
  const cancel = (campaign: string, holds = true) =>
    new ActOnCampaign(world.dataSource, clock, loadZoneRules()).run({
      act: 'cancel',
      preview: false,
      occurrence: undefined,
      campaign,
      who: 'token:ops',
      holds: () => holds,
      reason: 'wrong price',
    });

  it('moves the campaign, and leaves a command and an audit row', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign });
    expect(await cancel(campaign)).toMatchObject({ id: campaign, state: 'canceling', changed: true });
    await world.takeBack();
    expect(await world.read(send)).toMatchObject({
      state: 'canceled',
      code: 'CANCELED_BY_OPERATOR',
      detail: 'wrong price',
    });
    expect(await world.dataSource.query('select act, reason, given_by, event from command')).toEqual([
      { act: 'cancel', reason: 'wrong price', given_by: 'token:ops', event: null },
    ]);
    expect(await world.dataSource.query('select action, before from audit')).toEqual([
      { action: 'campaign.cancel', before: { state: 'running', paused: false } },
    ]);
    expect(await cancel(campaign)).toMatchObject({ changed: false });
  });

  it('is refused once the campaign has ended, and unknown where it is foreign', async () => {
    await expect(cancel(await world.campaign({ state: 'completed' }))).rejects.toMatchObject({
      status: 409,
      code: 'CAMPAIGN_CLOSED',
    });
    await expect(cancel(await world.campaign(), false)).rejects.toMatchObject({ status: 404 });
  });
});
