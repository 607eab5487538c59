// Acts on campaigns on a real database: every state that a send can stand in when the act arrives, and acts on top of each other.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { CampaignAct } from '../../../src/scheduler/decide/lifecycle/campaign-act.js';
import { SEND_STATES, type SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { actsOn, askAct, type ActAsk } from '../../../src/scheduler/store/send/act.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { START, World } from '../../support/scheduler/world.js';

const HOUR = 3_600_000;
const AT = START + 1_000;
/** Longer than an act that waits for answers rests. */
const REST = '2 seconds';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
});

const ask = (campaign: string, act: CampaignAct, differs: Partial<ActAsk> = {}) =>
  world.dataSource.transaction((sql) =>
    askAct(sql, {
      act,
      campaign,
      now: new Date(AT),
      by: 'ops',
      code: `${act.toUpperCase()}_BY_SPEC`,
      ...differs,
    }),
  );

const pages = async (): Promise<void> => {
  const acts = new WorkActs({ database: world.dataSource, clock: new SteppedClock(AT) });
  while ((await acts.runOnce()) > 0);
};

const act = async (campaign: string, which: CampaignAct, differs: Partial<ActAsk> = {}) => {
  const answer = await ask(campaign, which, differs);
  await pages();
  return answer;
};

const campaignRow = async (campaign: string) => {
  const [row] = await world.dataSource.query<{ state: string; paused: boolean }>(
    'select state, paused from campaign where id = $1',
    [campaign],
  );
  return row;
};

/** `act occurrence done` of each. */
const standing = async (campaign: string): Promise<string[]> =>
  (await actsOn(world.dataSource, campaign, 10)).map(
    ({ act: which, occurrence, isDone }) => `${which} ${occurrence ?? '*'} ${isDone ? 'done' : 'under way'}`,
  );

/** Of a send in this state: where the act leads it, and its goal afterwards. */
type Leads = Readonly<Partial<Record<SendState, readonly [to: SendState, goal: string | null]>>>;

const CANCEL: Leads = {
  planned: ['canceled', null],
  held: ['canceled', null],
  sending: ['sending', 'canceled'],
  reserved: ['canceling', 'canceled'],
  scheduled: ['canceling', 'canceled'],
  canceling: ['canceling', 'canceled'],
  uncertain: ['uncertain', 'canceled'],
};
const PAUSE: Leads = {
  planned: ['held', null],
  held: ['held', null],
  sending: ['sending', 'held'],
  reserved: ['canceling', 'held'],
  scheduled: ['canceling', 'held'],
  canceling: ['canceling', 'held'],
  uncertain: ['uncertain', 'held'],
};

describe.each([
  ['cancel', CANCEL],
  ['pause', PAUSE],
] as const)('a %s', (which, leads) => {
  it.each(SEND_STATES)('of a send that is %s', async (state) => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({
      campaign,
      state,
      mode: state === 'scheduled' ? 'scheduled' : 'immediate',
    });
    expect(await act(campaign, which)).toEqual({ kind: 'asked' });
    const row = await world.read(send);
    const [to, goal] = leads[state] ?? [state, null];
    expect(row).toMatchObject({ state: to, goal });
    const moved = to !== state;
    expect(row.changes).toBe(moved ? 2 : 1);
    expect(await world.path(send)).toEqual(moved ? [`${state}>${to}`] : []);
    const asked = to === 'canceling' ? new Date(AT) : null;
    expect(row.next_at).toEqual(moved ? asked : new Date(START));
    expect(await standing(campaign)).toEqual([`${which} * done`]);
  });

  it.each(['accepted', 'planning', 'awaiting-approval', 'planned', 'running'])(
    'of a campaign that is %s is taken once',
    async (state) => {
      const campaign = await world.campaign({ state });
      expect(await act(campaign, which)).toEqual({ kind: 'asked' });
      expect(await campaignRow(campaign)).toEqual(
        which === 'cancel' ? { state: 'canceling', paused: false } : { state, paused: true },
      );
      expect(await act(campaign, which)).toEqual({ kind: 'already' });
    },
  );

  it.each(['completed', 'expired', 'canceled', 'rejected'])('leaves a campaign that is %s', async (state) => {
    const campaign = await world.campaign({ state });
    const send = await world.send({ campaign, state: 'accepted' });
    expect(await act(campaign, which)).toEqual({ kind: 'closed' });
    expect((await world.read(send)).state).toBe('accepted');
    expect(await standing(campaign)).toEqual([]);
  });

  it('does not know a campaign that is not there', async () => {
    expect(await ask('00000000-0000-7000-8000-00000000dead', which)).toEqual({ kind: 'closed' });
  });
});

describe('a resume', () => {
  const RESUME: Leads = {
    held: ['planned', null],
    sending: ['sending', null],
    uncertain: ['uncertain', null],
    canceling: ['canceling', 'held'],
  };

  it.each(SEND_STATES)('of a paused campaign whose send is %s', async (state) => {
    const campaign = await world.campaign({ state: 'running' });
    await act(campaign, 'pause');
    const waits = ['sending', 'uncertain', 'canceling'].includes(state);
    const send = await world.send({
      campaign,
      state,
      columns: { request_id: 'r-1', goal: waits ? 'held' : null },
    });
    expect(await act(campaign, 'resume')).toEqual({ kind: 'asked' });
    expect(await campaignRow(campaign)).toEqual({ state: 'running', paused: false });
    const [to, goal] = RESUME[state] ?? [state, null];
    const row = await world.read(send);
    expect(row).toMatchObject({ state: to, goal, request_id: state === 'held' ? null : 'r-1' });
    expect(await standing(campaign)).toEqual(state === 'canceling' ? ['resume * under way'] : []);
  });

  it('waits for the push service, and then releases what was asked back', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'reserved' });
    await act(campaign, 'pause');
    await act(campaign, 'resume');
    expect(await world.read(send)).toMatchObject({ state: 'canceling', goal: 'held' });
    await world.dataSource.query(
      "update send set state = 'held', changes = changes + 1, state_at = $2, state_by = 'cancel' where id = $1",
      [send, new Date(AT)],
    );
    await world.dataSource.query(`update campaign_act set page_at = page_at - interval '${REST}'`);
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'planned', goal: null, request_id: null });
    expect(await standing(campaign)).toEqual([]);
  });

  it('plans a reservation again with the lead that its cell has', async () => {
    const campaign = await world.campaign();
    const due = START + 48 * HOUR;
    await world.dataSource.query('update cell set due_at = $2, hand_off_at = $3 where campaign = $1', [
      campaign,
      new Date(due),
      new Date(due - 40 * HOUR),
    ]);
    const send = await world.send({
      campaign,
      mode: 'reserved',
      dueAt: due + 60_000,
      handOffAt: due - 40 * HOUR,
    });
    await act(campaign, 'pause');
    expect(await world.read(send)).toMatchObject({ state: 'held', next_at: null });
    await act(campaign, 'resume');
    expect(await world.read(send)).toMatchObject({
      state: 'planned',
      next_at: new Date(due + 60_000 - 40 * HOUR),
      due_at: new Date(due + 60_000),
    });
  });

  it('is nothing to a campaign that is not paused', async () => {
    const campaign = await world.campaign();
    expect(await ask(campaign, 'resume')).toEqual({ kind: 'already' });
  });
});

describe('acts on top of each other', () => {
  it('a cancel takes the place of a pause, and raises its goals', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const held = await world.send({ campaign });
    const asked = await world.send({ campaign, state: 'reserved', chunk: 1 });
    await act(campaign, 'pause', { detail: 'wait' });
    await act(campaign, 'cancel', { detail: 'wrong price' });
    expect(await world.read(held)).toMatchObject({ state: 'canceled', detail: 'wrong price' });
    expect(await world.read(asked)).toMatchObject({
      state: 'canceling',
      goal: 'canceled',
      code: 'CANCEL_BY_SPEC',
      detail: 'wrong price',
    });
    expect(await standing(campaign)).toEqual(['cancel * done']);
    expect(await act(campaign, 'resume')).toEqual({ kind: 'closed' });
    expect(await act(campaign, 'pause')).toEqual({ kind: 'closed' });
  });

  it('a pause takes the place of a resume that is under way', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign, state: 'reserved' });
    const planned = await world.send({ campaign, chunk: 1 });
    await act(campaign, 'pause');
    await act(campaign, 'resume');
    expect(await act(campaign, 'pause')).toEqual({ kind: 'asked' });
    expect(await world.read(send)).toMatchObject({ state: 'canceling', goal: 'held' });
    expect(await world.read(planned)).toMatchObject({ state: 'held' });
    expect(await standing(campaign)).toEqual(['pause * done']);
  });

  it('one occurrence stays paused when the campaign goes on, and the other way round', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign });
    const occurrence = 'once';
    expect(await act(campaign, 'pause', { occurrence })).toEqual({ kind: 'asked' });
    expect(await act(campaign, 'pause', { occurrence })).toEqual({ kind: 'already' });
    await act(campaign, 'pause');
    await act(campaign, 'resume');
    expect(await world.read(send)).toMatchObject({ state: 'held' });
    await act(campaign, 'pause');
    await act(campaign, 'resume', { occurrence });
    expect(await world.read(send)).toMatchObject({ state: 'held' });
    await act(campaign, 'resume');
    expect(await world.read(send)).toMatchObject({ state: 'planned' });
    expect(await standing(campaign)).toEqual([]);
  });

  it('what is read before its page goes where the act wants it, and does not leave', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign });
    await ask(campaign, 'pause', { detail: 'wait' });
    const order = {
      id: send,
      revision: 1,
      attempts: 0,
      mode: 'immediate',
      modeRule: 'DUE_NOW',
      dueAt: START,
      at: AT,
    } as const;
    const fired = await fireSends(world.dataSource, [order], { now: AT, by: 'dispatch', replica: send });
    expect(fired).toEqual([]);
    expect(await world.read(send)).toMatchObject({ state: 'held', detail: 'wait', next_at: null });
    await act(campaign, 'resume');
    expect(await world.read(send)).toMatchObject({ state: 'planned', next_at: new Date(START) });
    expect(
      await fireSends(world.dataSource, [order], { now: AT, by: 'dispatch', replica: send }),
    ).toHaveLength(1);
  });
});

describe('a page that fails every time', () => {
  it('holds up no other act, and is done once it can be', async () => {
    const [bad, ...others] = await Promise.all(
      ['a', 'b', 'c'].map(async () => {
        const campaign = await world.campaign({ state: 'running' });
        return { campaign, send: await world.send({ campaign }) };
      }),
    );
    await world.dataSource.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before update on send for each row when (new.campaign = '${bad?.campaign}') execute function refuse()`);
    const acts = new WorkActs({ database: world.dataSource, clock: new SteppedClock(START) });
    const states = () =>
      Promise.all([bad, ...others].map(async (one) => (await world.read(one?.send ?? '')).state));
    try {
      for (const { campaign = '' } of [bad ?? {}, ...others]) await ask(campaign, 'cancel');
      await expect(acts.runOnce()).rejects.toThrow('refused');
      // A page of each of the others.
      for (let page = 0; page < 2; page += 1) expect(await acts.runOnce()).toBe(1);
      expect(await states()).toEqual(['planned', 'canceled', 'canceled']);
      await expect(acts.runOnce()).rejects.toThrow('refused');
    } finally {
      await world.dataSource.query('drop trigger refuse on send; drop function refuse()');
    }
    while ((await acts.runOnce()) > 0);
    expect(await states()).toEqual(['canceled', 'canceled', 'canceled']);
  });
});
