// Cancelling one occurrence on a real database: planned, not planned yet, never to come; by hand and by event. The
// campaign goes on with the others.
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { ActOnCampaign, type ActTaken } from '../../../src/scheduler/operate/changes/act-on-campaign.js';
import { readLedger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { fromHttp, intakeOf, outcomeOf, SOURCE } from '../../support/scheduler/intake-world.js';
import { PlanWorld, SERVICE, START, users } from '../../support/scheduler/plan-world.js';

const DAY = 86_400_000;
const FIRST = '2027-03-01T12:00';
const SECOND = '2027-03-08T12:00';
/** The rule's eighth occurrence: planning does not see it yet, nor the seventh. */
const FAR = '2027-04-19T12:00';

let world: PlanWorld;
let byHand: ActOnCampaign;
beforeAll(async () => {
  // Some are planned, and some are not yet.
  world = await PlanWorld.open(35 * DAY);
  byHand = new ActOnCampaign(world.dataSource, world.clock, loadZoneRules());
});
afterAll(async () => world.close());

async function weekly(count = 8): Promise<string> {
  world.clock.set(START);
  return world.accepted({
    audience: users(2),
    delivery: {
      kind: 'wall',
      local: FIRST,
      zone: 'Asia/Seoul',
      recurrence: `FREQ=WEEKLY;BYDAY=MO;COUNT=${count}`,
    },
  });
}

async function planned(count = 8): Promise<string> {
  const id = await weekly(count);
  await world.planDue.runOnce();
  return id;
}

async function cancel(campaign: string, occurrence: string, holds = true): Promise<ActTaken> {
  const who = { who: 'token:ops', holds: () => holds, reason: 'a holiday' };
  const taken = await byHand.run({ act: 'cancel', campaign, occurrence, preview: false, ...who });
  await world.takeBack();
  return taken;
}

/** `occurrence state` of all, in order. */
async function states(campaign: string): Promise<string[]> {
  const rows = await world.rows<{ text: string }>(
    "select occurrence || ' ' || state as text from occurrence where campaign = $1 order by occurrence",
    [campaign],
  );
  return rows.map((row) => row.text);
}

async function sendOf(campaign: string, occurrence: string) {
  const found = (await world.sends(campaign)).find((send) => send.occurrence === occurrence);
  if (found === undefined) throw new Error(`no send of ${occurrence}`);
  return found;
}

/** Plans, sends what is due and closes, a day at a time. */
async function liveThrough(campaign: string, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    world.clock.advance(DAY);
    await world.planDue.runOnce();
    const due = (await world.sends(campaign)).filter(
      (send) => send.state === 'planned' && (send.due_ms ?? 0) <= world.clock.now(),
    );
    for (const send of due) await world.lead(send.id, ['sending', 'accepted', 'sent']);
    await world.closeFinished.runOnce();
  }
}

/** An event of our own source for that campaign, over HTTP. */
async function cancelEvent(campaign: string, occurrence: string): Promise<string> {
  const event = {
    specversion: '1.0',
    id: v7(),
    source: SOURCE,
    type: 'carillon.campaign.canceled.v1',
    subject: `c-${campaign}`,
    time: new Date(world.clock.now()).toISOString(),
    datacontenttype: 'application/json',
    data: { serviceId: SERVICE, occurrence, reason: 'a holiday' },
  };
  const [verdict] = await intakeOf(world.dataSource, world.clock).accept([fromHttp(event)]);
  return outcomeOf(verdict);
}

describe('the cancel of one occurrence', () => {
  it('takes back what has not left of it, leaves every other, and the campaign goes on to its end', async () => {
    const id = await planned(3);
    expect(await cancel(id, SECOND)).toMatchObject({ occurrence: SECOND, state: 'canceling', changed: true });
    expect((await world.sends(id)).map((send) => `${send.occurrence} ${send.state}`).toSorted()).toEqual([
      `${FIRST} planned`,
      `${SECOND} canceled`,
      '2027-03-15T12:00 planned',
    ]);
    await world.closeFinished.runOnce();
    expect(await states(id)).toEqual([`${FIRST} planned`, `${SECOND} canceled`, '2027-03-15T12:00 planned']);
    await liveThrough(id, 20);
    expect(await states(id)).toEqual([
      `${FIRST} completed`,
      `${SECOND} canceled`,
      '2027-03-15T12:00 completed',
    ]);
    expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned', 'running', 'completed']);
  });

  it('waits for what the push service holds, and raises the goal of what is in flight', async () => {
    const id = await planned(3);
    const held = await sendOf(id, SECOND);
    await world.lead(held.id, ['sending', 'reserved']);
    const other = await sendOf(id, FIRST);
    await world.lead(other.id, ['sending']);
    await cancel(id, SECOND);
    await world.closeFinished.runOnce();
    expect((await sendOf(id, SECOND)).state).toBe('canceling');
    expect(await states(id)).toContain(`${SECOND} canceling`);
    const goals = await world.rows('select id, goal from send where campaign = $1 and goal is not null', [
      id,
    ]);
    expect(goals).toEqual([{ id: held.id, goal: 'canceled' }]);
    await world.lead(held.id, ['canceled']);
    await world.closeFinished.runOnce();
    expect(await states(id)).toContain(`${SECOND} canceled`);
    // A reservation that was placed ahead, and canceled, has not begun it.
    expect((await world.campaign(id)).state).toBe('planned');
  });

  it('remembers one that is not planned yet, and planning leaves out that one alone', async () => {
    const id = await planned();
    expect(await cancel(id, FAR)).toMatchObject({ state: 'canceled', changed: true });
    expect(await cancel(id, FAR)).toMatchObject({ state: 'canceled', changed: false });
    await liveThrough(id, 60);
    const all = await states(id);
    expect(all).toHaveLength(8);
    expect(all.filter((text) => !text.endsWith('completed'))).toEqual([`${FAR} canceled`]);
    const sent = (await world.sends(id)).map((send) => send.occurrence).toSorted();
    expect(sent).toHaveLength(7);
    expect(sent).not.toContain(FAR);
    expect((await world.campaign(id)).state).toBe('completed');
  });

  it('of a campaign that was just accepted is heeded by its first planning', async () => {
    const id = await weekly(2);
    await cancel(id, FIRST);
    await world.planDue.runOnce();
    expect(await states(id)).toEqual([`${FIRST} canceled`, `${SECOND} planned`]);
    expect((await world.sends(id)).map((send) => send.occurrence)).toEqual([SECOND]);
  });

  it('of the only one leaves nothing to do: the campaign completes', async () => {
    world.clock.set(START);
    const id = await world.accepted({ delivery: { kind: 'instant', at: START + DAY } });
    await cancel(id, 'once');
    await world.planDue.runOnce();
    await world.closeFinished.runOnce();
    expect(await world.sends(id)).toEqual([]);
    expect((await world.campaign(id)).state).toBe('completed');
  });

  it('writes a command and an audit row each time, and is refused without either', async () => {
    const id = await planned(2);
    await cancel(id, SECOND);
    // Ids of one millisecond have no order.
    world.clock.advance(1);
    expect(await cancel(id, SECOND)).toMatchObject({ changed: false });
    const command = { act: 'cancel', occurrence: SECOND, reason: 'a holiday', given_by: 'token:ops' };
    expect(
      await world.rows('select act, occurrence, reason, given_by from command where campaign = $1', [id]),
    ).toEqual([command, command]);
    expect(
      await world.rows('select action, before, after from audit where target = $1 order by id', [id]),
    ).toMatchObject([
      {
        action: 'occurrence.cancel',
        before: { occurrence: SECOND, state: 'planned' },
        after: { state: 'canceling' },
      },
      { action: 'occurrence.cancel', before: { occurrence: SECOND, state: 'canceling' } },
    ]);
  });

  it.each([
    ['2027-03-02T12:00', 404, 'NOT_FOUND'],
    ['2027-03-15T12:00', 404, 'NOT_FOUND'],
    [`${SECOND}:00`, 404, 'NOT_FOUND'],
    ['once', 404, 'NOT_FOUND'],
    ['2040-03-05T12:00', 409, 'OCCURRENCE_TOO_FAR'],
  ])('refuses %s of a weekly rule of two: %i %s', async (occurrence, status, code) => {
    const id = await planned(2);
    await expect(cancel(id, occurrence)).rejects.toMatchObject({ status, code });
    expect(await world.rows('select id from command where campaign = $1', [id])).toEqual([]);
  });

  it('refuses one that has ended, one of a closed campaign and one of a foreign service', async () => {
    const id = await planned(2);
    await liveThrough(id, 2);
    await expect(cancel(id, FIRST)).rejects.toMatchObject({ status: 409, code: 'OCCURRENCE_CLOSED' });
    await expect(cancel(id, SECOND, false)).rejects.toMatchObject({ status: 404 });
    await liveThrough(id, 8);
    await expect(cancel(id, SECOND)).rejects.toMatchObject({ status: 409, code: 'CAMPAIGN_CLOSED' });
  });

  it('comes as an event too: taken, repeated, refused, and all of it in the ledger', async () => {
    const id = await planned();
    expect(await cancelEvent(id, SECOND)).toBe('accepted');
    expect(await cancelEvent(id, SECOND)).toBe('accepted');
    expect(await cancelEvent(id, FAR)).toBe('accepted');
    expect(await cancelEvent(id, '2027-03-02T12:00')).toBe('UNKNOWN_OCCURRENCE');
    await world.takeBack();
    expect((await sendOf(id, SECOND)).state).toBe('canceled');
    expect((await sendOf(id, FIRST)).state).toBe('planned');
    expect((await world.campaign(id)).state).toBe('planned');
    const commands = await world.rows('select occurrence from command where campaign = $1 order by id', [id]);
    expect(commands).toHaveLength(3);
    expect(commands).toContainEqual({ occurrence: FAR });
    expect(await readLedger(world.dataSource, { serviceIds: null }, world.clock.now())).toMatchObject({
      balanced: true,
    });
  });
});

describe('over HTTP', () => {
  let scheduler: TestScheduler;
  let operator: string;
  let reader: string;
  beforeAll(async () => {
    world.clock.set(START);
    const config = schedulerConfig(world.url, { CARILLON_ROLES: 'api' });
    scheduler = await startScheduler(config, { clock: world.clock });
    await eventually(() => scheduler.dataSource.isInitialized);
    operator = await scheduler.bearer(['operator'], [SERVICE]);
    reader = await scheduler.bearer(['analyst'], [SERVICE]);
  });
  afterAll(async () => scheduler.close());

  const post = (path: string, body?: object, authorization = operator) =>
    scheduler.call('POST', `/v1/${path}`, { authorization, ...(body === undefined ? {} : { body }) });

  it('POST /v1/campaigns/{id}/occurrences/{occ}/cancel cancels that one, once', async () => {
    const id = await planned(3);
    const path = `campaigns/${id}/occurrences/${SECOND}/cancel`;
    const taken = { id, campaignId: `c-${id}`, occurrence: SECOND, state: 'canceling' };
    expect(await post(path, { reason: 'a holiday' })).toMatchObject({
      status: 202,
      body: { ...taken, changed: true },
    });
    expect(await post(path)).toMatchObject({ status: 202, body: { ...taken, changed: false } });
    expect(
      await world.rows('select occurrence, state from occurrence where campaign = $1 and occurrence = $2', [
        id,
        SECOND,
      ]),
    ).toEqual([{ occurrence: SECOND, state: 'canceling' }]);
    expect(
      (await scheduler.call('GET', `/v1/campaigns/${id}`, { authorization: reader })).body,
    ).toMatchObject({
      acts: [{ act: 'cancel', occurrence: SECOND, isDone: false, moved: 0, left: 1 }],
    });
    await world.takeBack();
    expect(
      (await scheduler.call('GET', `/v1/campaigns/${id}`, { authorization: reader })).body,
    ).toMatchObject({
      acts: [{ act: 'cancel', occurrence: SECOND, isDone: true, moved: 1, left: 0 }],
    });
    expect(await sendOf(id, SECOND)).toMatchObject({ state: 'canceled', detail: 'a holiday' });
    expect(await sendOf(id, FIRST)).toMatchObject({ state: 'planned' });
  });

  it('says why not, and asks for an operator of that service', async () => {
    const id = await planned(2);
    const cases: [string, number, string][] = [
      [`campaigns/${id}/occurrences/2027-03-02T12:00/cancel`, 404, 'NOT_FOUND'],
      [`campaigns/${id}/occurrences/2040-03-05T12:00/cancel`, 409, 'OCCURRENCE_TOO_FAR'],
      [`campaigns/${id}/occurrences/${'x'.repeat(65)}/cancel`, 400, 'INVALID_REQUEST'],
    ];
    for (const [path, status, code] of cases) {
      expect(await post(path)).toMatchObject({ status, body: { code } });
    }
    const path = `campaigns/${id}/occurrences/${FIRST}/cancel`;
    const foreign = await scheduler.bearer(['operator'], ['another-app']);
    expect(await post(path, {}, foreign)).toMatchObject({ status: 404 });
    const analyst = await scheduler.bearer(['analyst'], [SERVICE]);
    expect(await post(path, {}, analyst)).toMatchObject({ status: 403 });
    expect(await sendOf(id, FIRST)).toMatchObject({ state: 'planned' });
  });

  it('a failed send of it is not retried any more', async () => {
    const id = await planned(2);
    const { id: send } = await sendOf(id, FIRST);
    await world.lead(send, ['sending', 'accepted', 'failed']);
    await post(`campaigns/${id}/occurrences/${FIRST}/cancel`);
    expect(await post(`sends/${send}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'OCCURRENCE_CANCELED' },
    });
    expect((await world.sends(id)).filter(({ occurrence }) => occurrence === FIRST)).toHaveLength(1);
  });
});
