// Revisions on a real database: every state in which the send of a chunk can stand when its revision comes, what may not be changed any
// more, and revisions beside other acts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Campaign, Delivery } from '../../../src/scheduler/decide/plan/campaign.js';
import { policyDefaults } from '../../../src/scheduler/decide/timing/campaign-policy.js';
import type { CampaignAct } from '../../../src/scheduler/decide/lifecycle/campaign-act.js';
import {
  ENDED_STATES,
  SEND_STATES,
  type SendState,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { all, PlanWorld, START, users } from '../../support/scheduler/plan-world.js';

const HOUR = 3_600_000;
const at = (hours: number): Delivery => ({ kind: 'instant', at: START + hours * HOUR });
const bye: Partial<Campaign> = { message: { default: { content: 'bye' } } };

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 2');
});
afterAll(() => world.close());
beforeEach(() => world.clock.set(new Date(START).toISOString()));

interface Row {
  id: string;
  cell: string;
  chunk: number;
  state: SendState;
  goal: string | null;
  code: string | null;
  revision: number;
  next_send: string | null;
  recipients: string[] | null;
  due: number | null;
  released: number | null;
}

/** In order of chunk and revision. */
const sends = (campaign: string) =>
  world.rows<Row>(
    `select s.id, s.occurrence, s.cell, s.chunk, s.state, s.goal, s.code, s.revision, s.next_send, r.recipients,
            extract(epoch from s.due_at)::float8 * 1000 as due, s.released
       from send s left join send_recipients r on r.send = s.id where s.campaign = $1
      order by s.occurrence, s.cell, s.chunk, s.revision, s.id`,
    [campaign],
  );

const path = async (send: string): Promise<string[]> =>
  (
    await world.rows<{ to_state: string }>(
      'select to_state from send_history where send = $1 order by sequence',
      [send],
    )
  ).map(({ to_state: state }) => state);

const revisions = async (campaign: string): Promise<string[]> =>
  (
    await world.rows<{ state: string; code: string | null }>(
      "select state, reasons #>> '{0,code}' as code from revision where campaign = $1 order by revision",
      [campaign],
    )
  ).map(({ state, code }) => (code === null ? state : `${state} ${code}`));

const row = async (campaign: string) =>
  (
    await world.rows<{ revision: number; revises: number | null; replans: boolean; plan_at: Date | null }>(
      'select revision, revises, replans, plan_at from campaign where id = $1',
      [campaign],
    )
  )[0];

const acts = async (campaign: string): Promise<string[]> =>
  (
    await world.rows<{ act: string; mark: string; goal: string | null }>(
      'select act, mark, goal from campaign_act where campaign = $1 order by mark',
      [campaign],
    )
  ).map(({ act, mark, goal }) => `${mark} ${act} ${goal ?? 'releases'}`);

const rested = () =>
  world.rows(
    "update campaign_act set page_at = least(page_at, clock_timestamp()) where page_at < 'infinity'",
  );

/** Plans the revision, and works off what can be. */
const work = async (): Promise<void> => {
  await world.planDue.runOnce();
  await world.takeBack();
  await rested();
  await world.takeBack();
};

const act = async (campaign: string, which: CampaignAct): Promise<void> => {
  await world.dataSource.transaction((sql) =>
    askAct(sql, { act: which, campaign, now: new Date(world.clock.now()), by: 'ops', code: which }),
  );
};

/** Brings a send into a state as if it had always been in it. */
const stands = (send: string, state: SendState, columns = ''): Promise<void> =>
  world.damage(
    `update send set state = $2, ended_at = case when $2 = any($3::text[]) then $4::timestamptz else 'infinity' end
            ${columns} where id = $1`,
    [send, state, ENDED_STATES, new Date(world.clock.now())],
  );

const moves = (send: string, ...states: SendState[]) => world.lead(send, states);

/** The push service confirms that it has cancelled what was asked back. */
const confirm = (campaign: string) =>
  world.rows(
    `update send set state = coalesce(goal, 'canceled'), changes = changes + 1, state_at = state_at + interval '1 second', goal = null
      where campaign = $1 and state = 'canceling'`,
    [campaign],
  );

/** Nobody is in two requests that may have gone, or may go; everybody of the last revision is in one, but for `left`. */
const everybodyOnce = async (campaign: string, expected: readonly string[]): Promise<void> => {
  const rows = (await sends(campaign)).filter(
    ({ next_send, state }) => next_send === null && state !== 'superseded',
  );
  const open = rows.flatMap(({ recipients }) => recipients ?? []);
  expect(open.toSorted()).toEqual(expected.toSorted());
  expect(new Set(open).size).toBe(open.length);
  const cells = await world.rows<{ chunks: number; sends: number }>(
    `select c.chunks, (select count(*)::int from send s where s.campaign = c.campaign and s.occurrence = c.occurrence and s.cell = c.cell
                         and s.next_send is null and s.state <> 'superseded') as sends from cell c where c.campaign = $1`,
    [campaign],
  );
  for (const cell of cells) expect(cell.sends).toBe(cell.chunks);
};

const four = ['user-0', 'user-1', 'user-2', 'user-3'];
const planned = (delivery: Delivery = at(12), more: object = {}) =>
  world.planned({ audience: users(4), delivery, ...more });

/** What becomes of the send of a chunk, and whether another takes its place: at once, and once an answer came. */
const BECOMES: Readonly<Record<SendState, readonly [state: SendState, replaced: boolean]>> = {
  planned: ['superseded', true],
  held: ['superseded', true],
  sending: ['sending', false],
  reserved: ['canceling', false],
  scheduled: ['canceling', false],
  canceling: ['canceling', false],
  accepted: ['accepted', false],
  uncertain: ['uncertain', false],
  sent: ['sent', false],
  failed: ['failed', false],
  empty: ['empty', false],
  stale: ['stale', false],
  rejected: ['rejected', false],
  canceled: ['canceled', false],
  expired: ['expired', false],
  skipped: ['skipped', false],
  superseded: ['superseded', false],
};

describe('life-of-a-send.md: another message, for a send that is', () => {
  it.each(SEND_STATES.filter((state) => state !== 'superseded'))('%s', async (state) => {
    const {
      id,
      sends: [first = '', second = ''],
    } = await planned();
    await stands(first, state);
    await world.revised(id, bye);
    await work();
    const after = await sends(id);
    const [becomes, replaced] = BECOMES[state];
    const waits = ['sending', 'canceling'].includes(becomes);
    expect(after.find((one) => one.id === first)).toMatchObject({
      state: becomes,
      goal: waits ? 'held' : state === 'uncertain' ? 'superseded' : null,
    });
    expect(after.filter(({ chunk, revision }) => chunk === 0 && revision === 2)).toHaveLength(
      replaced ? 1 : 0,
    );
    // The other chunk is replaced whatever becomes of this one.
    expect(after.filter(({ chunk }) => chunk === 1)).toMatchObject([
      { id: second, state: 'superseded', code: 'REVISED', recipients: null },
      { state: 'planned', revision: 2, recipients: ['user-2', 'user-3'] },
    ]);
    expect(await acts(id)).toEqual(waits ? ['revision revise superseded'] : []);
    expect(await revisions(id)).toEqual(waits ? ['in-force', 'planning'] : ['superseded', 'in-force']);
  });

  it.each([
    ['sending', ['held'], true],
    ['sending', ['accepted'], false],
    ['sending', ['rejected'], false],
    ['sending', ['uncertain'], false],
    ['reserved', ['held'], true],
    ['reserved', ['reserved', 'accepted'], false],
    ['scheduled', ['held'], true],
    ['canceling', ['held'], true],
    ['canceling', ['canceled'], false],
  ] as const)('%s, and then %j: replaced is %s', async (state, answers, replaced) => {
    const {
      id,
      sends: [first = ''],
    } = await planned();
    await stands(first, state);
    await world.revised(id, bye);
    await work();
    await moves(first, ...answers);
    await rested();
    await world.takeBack();
    const of = (await sends(id)).filter(({ chunk }) => chunk === 0);
    expect(of.map((one) => one.state)).toEqual(replaced ? ['superseded', 'planned'] : [answers.at(-1)]);
    expect(await revisions(id)).toEqual(['superseded', 'in-force']);
    expect(of[0]?.next_send ?? undefined).toBe(replaced ? of[1]?.id : undefined);
    expect((await path(first)).includes('superseded')).toBe(replaced);
    const [difference] = await world.rows<{ late: number }>(
      "select (difference ->> 'tooLate')::int as late from revision where campaign = $1 and revision = 2",
      [id],
    );
    expect(difference?.late).toBe(replaced ? 0 : 1);
  });
});

it('a send that is proved not sent after a revision ends superseded, and its cell has one request less', async () => {
  const {
    id,
    sends: [first = ''],
  } = await planned();
  await stands(first, 'uncertain');
  await world.revised(id, bye);
  await work();
  await moves(first, 'planned', 'superseded');
  expect((await sends(id)).map((one) => [one.chunk, one.state, one.next_send === null])).toEqual([
    [0, 'superseded', true],
    [1, 'superseded', false],
    [1, 'planned', true],
  ]);
  expect(await world.rows('select chunks from cell where campaign = $1', [id])).toEqual([{ chunks: 1 }]);
});

describe('what stays', () => {
  it('are reserved sends whose due, message, audience and policy are as before', async () => {
    const { id, sends: ids } = await planned();
    for (const send of ids) await moves(send, 'sending', 'reserved');
    await world.revised(id, { name: 'other', tags: ['x'] });
    await work();
    expect((await sends(id)).map((one) => [one.id, one.state, one.revision])).toEqual(
      ids.map((send) => [send, 'reserved', 1]),
    );
    expect(await revisions(id)).toEqual(['superseded', 'in-force']);
    expect(await row(id)).toMatchObject({ revision: 2, revises: null, replans: false });
  });

  it('are the chunks of an audience that is longer now', async () => {
    const { id, sends: ids } = await planned();
    for (const send of ids) await moves(send, 'sending', 'reserved');
    await world.revised(id, { audience: users(6) });
    await work();
    expect((await sends(id)).map((one) => [one.state, one.revision])).toEqual([
      ['reserved', 1],
      ['reserved', 1],
      ['planned', 2],
    ]);
    await everybodyOnce(id, [...four, 'user-4', 'user-5']);
  });
});

describe('an audience', () => {
  it('that is shorter takes its chunks back, and no cell is without a send', async () => {
    const { id } = await planned();
    await world.revised(id, { audience: users(2) });
    await work();
    expect((await sends(id)).map((one) => [one.chunk, one.state])).toEqual([
      [0, 'planned'],
      [1, 'superseded'],
    ]);
    await everybodyOnce(id, ['user-0', 'user-1']);
  });

  it.each(['accepted', 'sent', 'uncertain', 'skipped'] as const)(
    'is fixed once a send is %s: the revision is rejected, and what stood stands',
    async (state) => {
      const {
        id,
        sends: [first = '', second = ''],
      } = await planned();
      await moves(second, 'sending', 'reserved');
      await stands(first, state);
      await world.revised(id, { audience: users(6) });
      await work();
      expect(await revisions(id)).toEqual(['in-force', 'rejected AUDIENCE_FIXED']);
      expect((await sends(id)).map((one) => [one.state, one.revision])).toEqual([
        [state, 1],
        ['reserved', 1],
      ]);
      expect(await acts(id)).toEqual([]);
      expect(await row(id)).toMatchObject({ revision: 1, revises: null, replans: false });
    },
  );

  it('is fixed if a send goes while the revision looks: what was held is released', async () => {
    const {
      id,
      sends: [first = '', second = ''],
    } = await planned();
    await moves(first, 'sending', 'reserved');
    await world.revised(id, { audience: users(4, 'other') });
    await work();
    expect(await acts(id)).toEqual(['revision revise held']);
    expect((await sends(id)).map((one) => one.state)).toEqual(['canceling', 'held']);
    await moves(first, 'reserved', 'accepted');
    await rested();
    await world.takeBack();
    await rested();
    await world.takeBack();
    expect((await sends(id)).map((one) => [one.id, one.state])).toEqual([
      [first, 'accepted'],
      [second, 'planned'],
    ]);
    expect(await revisions(id)).toEqual(['in-force', 'rejected AUDIENCE_FIXED']);
    expect(await acts(id)).toEqual([]);
  });

  it('is replaced once the push service has given everything back', async () => {
    const {
      id,
      sends: [first = ''],
    } = await planned();
    await moves(first, 'sending', 'reserved');
    await world.revised(id, { audience: users(4, 'other') });
    await work();
    await confirm(id);
    await rested();
    await world.takeBack();
    await rested();
    await world.takeBack();
    expect(await revisions(id)).toEqual(['superseded', 'in-force']);
    await everybodyOnce(id, ['other-0', 'other-1', 'other-2', 'other-3']);
  });
});

describe('another time', () => {
  it('after a part has gone is for the rest only', async () => {
    const {
      id,
      sends: [first = ''],
    } = await planned();
    await stands(first, 'sent');
    await world.revised(id, { delivery: at(20) });
    await work();
    const after = await sends(id);
    expect(after.map((one) => [one.chunk, one.state, one.due])).toEqual([
      [0, 'sent', START + 12 * HOUR],
      [1, 'superseded', START + 12 * HOUR],
      [1, 'planned', START + 20 * HOUR],
    ]);
    expect(await revisions(id)).toEqual(['superseded', 'in-force']);
  });

  it('on another kind of clock after a part has gone is refused', async () => {
    const {
      id,
      sends: [first = ''],
    } = await planned();
    await stands(first, 'sent');
    await world.revised(id, { delivery: { kind: 'wall', local: '2027-03-02T09:00', zone: 'Asia/Seoul' } });
    await work();
    expect(await revisions(id)).toEqual(['in-force', 'rejected AUDIENCE_FIXED']);
  });

  it('on another kind of clock before anything has gone replaces the cells', async () => {
    const { id } = await planned();
    await world.revised(id, { delivery: { kind: 'wall', local: '2027-03-02T09:00', zone: 'Asia/Seoul' } });
    await work();
    await everybodyOnce(id, four);
    expect(await world.rows('select zone from cell where campaign = $1', [id])).toEqual([
      { zone: 'Asia/Seoul' },
    ]);
    expect(await revisions(id)).toEqual(['superseded', 'in-force']);
  });

  it('of a channel replaces its one send', async () => {
    const { id } = await world.planned({ audience: all, delivery: at(12) });
    await world.revised(id, { delivery: at(13) });
    await work();
    expect((await sends(id)).map((one) => [one.state, one.due])).toEqual([
      ['superseded', START + 12 * HOUR],
      ['planned', START + 13 * HOUR],
    ]);
  });
});

describe('beside other acts', () => {
  it('a paused campaign gets held sends, and a resume releases them', async () => {
    const { id } = await planned();
    await act(id, 'pause');
    await world.takeBack();
    await world.revised(id, bye);
    await work();
    const newest = async () =>
      (await sends(id)).filter(({ next_send }) => next_send === null).map((one) => [one.state, one.revision]);
    expect(await newest()).toEqual([
      ['held', 2],
      ['held', 2],
    ]);
    await act(id, 'resume');
    await world.takeBack();
    await rested();
    await world.takeBack();
    expect(await newest()).toEqual([
      ['planned', 2],
      ['planned', 2],
    ]);
    await everybodyOnce(id, four);
  });

  it('a resume waits for the revision that looks', async () => {
    const {
      id,
      sends: [first = ''],
    } = await planned();
    await moves(first, 'sending', 'reserved');
    await act(id, 'pause');
    await world.takeBack();
    await world.revised(id, { audience: users(4, 'other') });
    await work();
    await act(id, 'resume');
    await world.takeBack();
    expect((await sends(id)).map((one) => one.state)).toEqual(['canceling', 'held']);
    await confirm(id);
    for (let pass = 0; pass < 4; pass += 1) {
      await rested();
      await world.takeBack();
    }
    await everybodyOnce(id, ['other-0', 'other-1', 'other-2', 'other-3']);
    expect(await acts(id)).toEqual([]);
    expect((await sends(id)).filter(({ revision }) => revision === 2).map((one) => one.state)).toEqual([
      'planned',
      'planned',
    ]);
  });

  it.each(['before it is planned', 'while it waits for an answer'])(
    'a cancel %s is stricter',
    async (when) => {
      const {
        id,
        sends: [first = ''],
      } = await planned();
      await moves(first, 'sending', 'reserved');
      await world.revised(id, bye);
      if (when !== 'before it is planned') await work();
      await act(id, 'cancel');
      await work();
      await confirm(id);
      await rested();
      await world.takeBack();
      const open = (await sends(id)).filter(({ state }) => !ENDED_STATES.includes(state));
      expect(open).toEqual([]);
      await world.closeFinished.runOnce();
      expect(await world.campaign(id)).toMatchObject({ state: 'canceled' });
      expect(await revisions(id)).toEqual(['in-force', 'rejected CAMPAIGN_CANCELED']);
      expect(await world.count(`send_next where campaign = '${id}'`)).toBe(0);
    },
  );

  it('of two revisions the later one counts', async () => {
    const { id } = await planned();
    await world.revised(id, bye);
    await world.revised(id, { message: { default: { content: 'ciao' } } });
    await work();
    expect(await revisions(id)).toEqual(['superseded', 'superseded', 'in-force']);
    await everybodyOnce(id, four);
  });

  it('a revision that comes while another takes its place waits for it, and then counts', async () => {
    const {
      id,
      sends: [first = ''],
    } = await planned();
    await moves(first, 'sending', 'reserved');
    await world.revised(id, bye);
    await work();
    await world.revised(id, { message: { default: { content: 'ciao' } } });
    await work();
    expect(await revisions(id)).toEqual(['in-force', 'planning', 'planning']);
    await confirm(id);
    await rested();
    await world.takeBack();
    expect(await revisions(id)).toEqual(['superseded', 'in-force', 'planning']);
    await work();
    expect(await revisions(id)).toEqual(['superseded', 'superseded', 'in-force']);
    await everybodyOnce(id, four);
  });

  it('of a campaign that was never planned it is planned in place of the first', async () => {
    const id = await world.accepted({ audience: users(4), delivery: at(12) });
    await world.revised(id, { audience: users(2) });
    await work();
    expect(await revisions(id)).toEqual(['superseded', 'in-force']);
    expect((await sends(id)).map((one) => [one.state, one.revision])).toEqual([['planned', 2]]);
  });

  it('one that planning refuses leaves the one in force', async () => {
    const { id } = await planned();
    await world.revised(id, {
      delivery: { kind: 'wall', local: '2027-03-14T02:30', zone: 'America/New_York' },
      policy: { ...policyDefaults, dst: { gap: 'reject', overlap: 'first' } },
    });
    await work();
    expect(await revisions(id)).toEqual(['in-force', 'rejected DST_GAP']);
    expect((await sends(id)).map((one) => one.state)).toEqual(['planned', 'planned']);
    expect(await row(id)).toMatchObject({ revision: 1, plan_at: null });
  });
});

describe('approval', () => {
  const asking = { policy: { ...policyDefaults, approval: 'required' as const } };

  it('is awaited while the revision before goes on', async () => {
    const { id } = await planned();
    await world.revised(id, { ...bye, ...asking });
    await work();
    expect(await revisions(id)).toEqual(['in-force', 'awaiting-approval']);
    expect((await sends(id)).map((one) => one.state)).toEqual(['planned', 'planned']);
    expect(await row(id)).toMatchObject({ revision: 1, revises: 2, replans: false });
  });

  it('of a draft is awaited for the revision instead', async () => {
    const { id } = await planned(at(12), asking);
    await world.takeBack();
    await world.revised(id, bye);
    await work();
    expect(await revisions(id)).toEqual(['superseded', 'awaiting-approval']);
    expect(await world.campaign(id)).toMatchObject({ state: 'awaiting-approval' });
    const newest = (await sends(id)).filter(({ next_send }) => next_send === null);
    expect(newest.map((one) => [one.state, one.revision])).toEqual([
      ['held', 2],
      ['held', 2],
    ]);
  });

  it('of a draft that a revision no longer asks for is given with it', async () => {
    const { id } = await planned(at(12), asking);
    await world.takeBack();
    await world.revised(id, { policy: policyDefaults });
    await work();
    await rested();
    await world.takeBack();
    expect(await revisions(id)).toEqual(['superseded', 'in-force']);
    expect(await world.campaign(id)).toMatchObject({ state: 'planned' });
    expect((await sends(id)).filter(({ next_send }) => next_send === null).map((one) => one.state)).toEqual([
      'planned',
      'planned',
    ]);
  });
});

describe('a recurrence', () => {
  const daily = (local: string): Delivery => ({ kind: 'wall', local, zone: 'UTC', recurrence: 'FREQ=DAILY' });
  const occurrences = (campaign: string) =>
    world.rows('select occurrence, state, revision from occurrence where campaign = $1 order by occurrence', [
      campaign,
    ]);

  it('counts from now on: what began keeps its revision, what did not is replaced', async () => {
    const { id, sends: ids } = await planned(daily('2027-03-01T09:00'));
    const [first = ''] = ids;
    await stands(first, 'accepted');
    await world.revised(id, { delivery: daily('2027-03-01T10:00') });
    await work();
    expect(await revisions(id)).toEqual(['superseded', 'in-force']);
    const after = await occurrences(id);
    expect(after[0]).toMatchObject({ occurrence: '2027-03-01T09:00', revision: 1 });
    expect(after.slice(1).every((one) => (one as { occurrence: string }).occurrence.endsWith('T10:00'))).toBe(
      true,
    );
    const of = (await sends(id)).filter(
      (one) => (one as Row & { occurrence: string }).occurrence === '2027-03-01T09:00',
    );
    expect(of.map((one) => one.state)).toEqual(['accepted', 'planned']);
    expect((await row(id))?.plan_at).not.toBeNull();
  });

  it('releases what it held of an occurrence that begins meanwhile', async () => {
    const { id, sends: ids } = await planned(daily('2027-03-01T09:00'));
    const [first = ''] = ids;
    await moves(first, 'sending', 'reserved');
    await world.revised(id, bye);
    await work();
    await moves(first, 'reserved', 'accepted');
    for (let pass = 0; pass < 4; pass += 1) {
      await rested();
      await world.takeBack();
    }
    expect(await acts(id)).toEqual([]);
    const of = (await sends(id)).filter(
      (one) => (one as Row & { occurrence: string }).occurrence === '2027-03-01T09:00',
    );
    expect(of.map((one) => [one.state, one.revision])).toEqual([
      ['accepted', 1],
      ['planned', 1],
    ]);
    const [difference] = await world.rows(
      "select difference -> 'kept' as kept from revision where campaign = $1 and revision = 2",
      [id],
    );
    expect(difference).toEqual({ kept: ['2027-03-01T09:00'] });
  });
});
