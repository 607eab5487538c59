// Every outcome is an event that is written in the transaction of its change, in order, whatever made the change.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { SEND_STATES } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { CloseFinished } from '../../../src/scheduler/plan/close-finished.js';
import { insertRetries } from '../../../src/scheduler/store/send/retry.store.js';
import { outcomeMessages, readOutcome, type OutcomeEvent } from '../../support/events/outcome-events.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
});

async function published(): Promise<OutcomeEvent[]> {
  const messages = await outcomeMessages(world.dataSource);
  return messages.map((message) => {
    expect(message).toMatchObject({
      topic: 'outcomes',
      headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    });
    const event = readOutcome(message.value);
    expect(message.key).toBe(`${SERVICE}/${event.subject}`);
    return event;
  });
}

const move = (send: string, state: string, more = '') =>
  world.dataSource.query(
    `update send set state = $2, changes = changes + 1, state_at = $3, state_by = 'spec' ${more} where id = $1`,
    [send, state, new Date(START + 5_000)],
  );

describe('the outcome of a send', () => {
  it('is a CloudEvent with its change number, written in the transaction of the change', async () => {
    const campaign = await world.campaign();
    const send = await world.send({ campaign, state: 'sending' });
    await move(send, 'accepted', `, request_id = 'r-1'`);
    await move(send, 'sent', ', target_count = 5, sent_count = 4');
    const [accepted, sent] = await published();
    expect(accepted).toMatchObject({
      type: 'carillon.outcome.send.accepted.v1',
      source: `/carillon/${SERVICE}`,
      subject: `c-${campaign}`,
      time: '2027-03-01T00:00:05.000Z',
      datacontenttype: 'application/json',
      sequence: '000000000002',
    });
    expect(accepted?.data).toEqual({
      serviceId: SERVICE,
      campaignId: `c-${campaign}`,
      ourId: campaign,
      revision: 1,
      occurrence: 'once',
      zone: 'UTC',
      cell: 'cell',
      chunk: 0,
      sendId: send,
      retryOf: null,
      from: 'sending',
      state: 'accepted',
      code: null,
      detail: null,
      at: '2027-03-01T00:00:05.000Z',
      dueAt: '2027-03-01T00:00:00.000Z',
      requestId: 'r-1',
      counts: null,
    });
    expect(sent).toMatchObject({
      type: 'carillon.outcome.send.sent.v1',
      sequence: '000000000003',
      data: { from: 'accepted', counts: { target: 5, sent: 4 } },
    });
  });

  it('is published for every state except those of work that goes on', async () => {
    const silent = ['planned', 'sending', 'canceling', 'held'];
    const arrows = await world.dataSource.query<{ from_state: string; to_state: string }>(
      'select distinct on (to_state) * from send_transition',
    );
    for (const { from_state: from, to_state: to } of arrows) {
      const campaign = await world.campaign();
      const send = await world.send({ campaign, state: from as (typeof SEND_STATES)[number] });
      await move(send, to);
    }
    const states = (await published()).map((event) => String(event.data['state']));
    expect(states.toSorted()).toEqual(SEND_STATES.filter((state) => !silent.includes(state)).toSorted());
  });

  it('is not published for a change that was rolled back, nor for a poll that changed nothing', async () => {
    const send = await world.send({ state: 'accepted' });
    await world.dataSource
      .transaction(async (sql) => {
        await sql.query(`update send set state = 'sent', changes = changes + 1 where id = $1`, [send]);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await world.dataSource.query('update send set polls = polls + 1 where id = $1', [send]);
    expect(await published()).toEqual([]);
  });

  it('is published for a send that is inserted as ended', async () => {
    const campaign = await world.campaign();
    await world.insert('send', {
      id: '019d0000-0000-7000-8000-000000000001',
      ended_at: new Date(START),
      service_id: SERVICE,
      campaign,
      revision: 1,
      occurrence: 'once',
      cell: 'cell',
      state: 'skipped',
      code: 'PASSED_ZONE',
      state_at: new Date(START),
      state_by: 'plan',
      mode: 'immediate',
      mode_rule: 'DUE_NOW',
      next_at: new Date(START),
      created_at: new Date(START),
    });
    expect(await published()).toMatchObject([
      {
        type: 'carillon.outcome.send.skipped.v1',
        sequence: '000000000001',
        data: { from: null, code: 'PASSED_ZONE' },
      },
    ]);
  });
});

const close = () => new CloseFinished(world.dataSource, new SteppedClock(START)).runOnce();

describe('the outcomes of a campaign', () => {
  it('are published from accepted to completed, with their own sequence', async () => {
    const campaign = await world.campaign({ state: 'planned' });
    const send = await world.send({ campaign, state: 'accepted' });
    const state = (to: string) =>
      world.dataSource.query(`update campaign set state = $2, state_at = $3 where id = $1`, [
        campaign,
        to,
        new Date(START),
      ]);
    await state('running');
    await move(send, 'sent', ', target_count = 2, sent_count = 2');
    await world.dataSource.query('update campaign set plan_at = null where id = $1', [campaign]);
    await close();
    const events = await published();
    expect(events.map((event) => [event.type, event.sequence])).toEqual([
      ['carillon.outcome.campaign.running.v1', '000000000001'],
      ['carillon.outcome.send.sent.v1', '000000000002'],
      ['carillon.outcome.occurrence.completed.v1', '000000000002'],
      ['carillon.outcome.campaign.completed.v1', '000000000003'],
    ]);
    expect(events.at(-1)?.data).toMatchObject({
      state: 'completed',
      counts: { target: 2, sent: 2 },
      ourId: campaign,
    });
  });

  it('are published in order if all of them happened between two rounds', async () => {
    const campaign = await world.campaign({ state: 'planned' });
    const send = await world.send({
      campaign,
      state: 'accepted',
      columns: { handed_off_at: new Date(START) },
    });
    await world.dataSource.query('update campaign set plan_at = null where id = $1', [campaign]);
    await move(send, 'sent');
    expect(await close()).toBe(1);
    expect((await published()).map((event) => event.type.replace('carillon.outcome.', ''))).toEqual([
      'send.sent.v1',
      'campaign.running.v1',
      'occurrence.completed.v1',
      'campaign.completed.v1',
    ]);
  });

  it('have all problems of a rejected campaign', async () => {
    const campaign = await world.campaign({ state: 'planning' });
    await world.dataSource.transaction(async (sql) => {
      await sql.query(`update campaign set state = 'rejected', code = 'GAP' where id = $1`, [campaign]);
      await sql.query(
        `update revision set state = 'rejected', reasons = '[{"code":"GAP","text":"x","pointer":""},{"code":"ZONE","text":"y","pointer":""}]' where campaign = $1`,
        [campaign],
      );
    });
    expect(await published()).toMatchObject([
      {
        type: 'carillon.outcome.campaign.rejected.v1',
        data: { problems: [{ code: 'GAP' }, { code: 'ZONE' }] },
      },
    ]);
  });

  it('are corrected after a retry of a closed campaign: first the send’s outcome, then the correction', async () => {
    const campaign = await world.campaign({ state: 'completed' });
    await world.dataSource.query(`update occurrence set state = 'expired' where campaign = $1`, [campaign]);
    const send = await world.send({ campaign, state: 'failed' });
    const retry = '019d0000-0000-7000-8000-000000000009';
    await insertRetries(world.dataSource, [{ of: send, id: retry, dueAt: START }], START, 'ops');
    expect(await published()).toEqual([]);
    for (const state of ['sending', 'accepted']) await move(retry, state);
    await close();
    await move(retry, 'sent', ', target_count = 3, sent_count = 2');
    await close();
    expect((await published()).map((event) => event.type.replace('carillon.outcome.', ''))).toEqual([
      'send.accepted.v1',
      'campaign.corrected.v1',
      'send.sent.v1',
      'campaign.corrected.v1',
    ]);
    expect((await published()).at(-1)?.data).toMatchObject({ counts: { target: 3, sent: 2 } });
    await close();
    expect(await published()).toHaveLength(4);
  });
});
