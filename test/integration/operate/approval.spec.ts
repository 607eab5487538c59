// Campaigns that await approval, on a real database: every state that a send can stand in when the answer arrives, what holds
// beside it, what is a test, and what ends because nobody answered.
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { SteppedClock } from '../../../src/platform/clock.js';
import { CallerIdentity, type Role } from '../../../src/scheduler/admin/auth/caller.js';
import type { CampaignAct } from '../../../src/scheduler/decide/lifecycle/campaign-act.js';
import { CAMPAIGN_STATES } from '../../../src/scheduler/decide/lifecycle/campaign-state.js';
import { SEND_STATES, type SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { AnswerApproval } from '../../../src/scheduler/operate/changes/answer-approval.js';
import { ExpireHeld } from '../../../src/scheduler/operate/changes/expire-held.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { CloseFinished } from '../../../src/scheduler/plan/close-finished.js';
import { approvalFacts } from '../../../src/scheduler/store/approval.store.js';
import { actsOn, askAct } from '../../../src/scheduler/store/send/act.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { makeRetries } from '../../../src/scheduler/store/send/retry.store.js';
import { START, World } from '../../support/scheduler/world.js';

const MINUTE = 60_000;
const AT = START + 1_000;

let world: World;
const clock = new SteppedClock(AT);
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  clock.set(new Date(AT).toISOString());
  await world.clear();
  await world.project();
});

/** As planning leaves it, before its pages have held anything. */
const awaiting = async (policy: object = {}, state = 'awaiting-approval'): Promise<string> => {
  const campaign = await world.campaign({ state, policy: { approval: 'required', ...policy } });
  await world.dataSource.query(`update revision set state = 'awaiting-approval' where campaign = $1`, [
    campaign,
  ]);
  await world.insert('campaign_act', {
    campaign,
    mark: 'approval',
    act: 'approve',
    goal: 'held',
    code: 'AWAITING_APPROVAL',
    asked_at: new Date(AT),
    asked_by: 'plan',
  });
  return campaign;
};

const token = (roles: readonly Role[], id = v7()): CallerIdentity =>
  new CallerIdentity({ id, name: 'spec', serviceIds: ['*'], sources: [], expiresAt: new Date(0) }, roles);

const answer = async (campaign: string, act: 'approve' | 'decline', caller = token(['operator'])) => {
  const { revision, hash } = await approvalFacts(world.dataSource, campaign);
  const saw = act === 'approve' ? { revision, hash } : undefined;
  const order = { act, campaign, caller, saw, reason: 'because', preview: false };
  return new AnswerApproval(world.dataSource, clock).run(order);
};

const pages = async (): Promise<void> => {
  const acts = new WorkActs({ database: world.dataSource, clock });
  while ((await acts.runOnce()) > 0);
};

const act = async (campaign: string, which: CampaignAct): Promise<void> => {
  await world.dataSource.transaction((sql) =>
    askAct(sql, { act: which, campaign, now: new Date(AT), by: 'ops', code: which }),
  );
  await pages();
};

const campaignRow = async (campaign: string) => {
  const [row] = await world.dataSource.query<{ state: string; code: string | null; plan_at: unknown }>(
    'select state, code, plan_at from campaign where id = $1',
    [campaign],
  );
  return row;
};

const fire = async (send: string): Promise<number> => {
  const order = {
    id: send,
    revision: 1,
    attempts: 0,
    mode: 'immediate',
    modeRule: 'DUE_NOW',
    dueAt: START,
    at: AT,
  };
  const fired = await fireSends(world.dataSource, [order as Parameters<typeof fireSends>[1][number]], {
    now: AT,
    by: 'dispatch',
    replica: send,
  });
  return fired.length;
};

describe('an answer', () => {
  type Leads = Readonly<Partial<Record<SendState, SendState>>>;
  const APPROVE: Leads = { held: 'planned' };
  const DECLINE: Leads = {
    planned: 'canceled',
    held: 'canceled',
    reserved: 'canceling',
    scheduled: 'canceling',
  };

  it.each(SEND_STATES)('to a campaign whose send is %s', async (state) => {
    for (const [which, leads] of [
      ['approve', APPROVE],
      ['decline', DECLINE],
    ] as const) {
      const campaign = await awaiting();
      const send = await world.send({
        campaign,
        state,
        mode: state === 'scheduled' ? 'scheduled' : 'immediate',
      });
      expect(await answer(campaign, which)).toMatchObject({ changed: true });
      await pages();
      expect((await world.read(send)).state).toBe(leads[state] ?? state);
    }
  });

  const CODES: Readonly<Record<string, readonly [string, string]>> = {
    accepted: ['NOT_PLANNED_YET', 'NOT_PLANNED_YET'],
    planning: ['NOT_PLANNED_YET', 'NOT_PLANNED_YET'],
    'awaiting-approval': ['planned', 'canceling'],
    planned: ['planned', 'APPROVED_ALREADY'],
    running: ['running', 'APPROVED_ALREADY'],
  };
  it.each(CAMPAIGN_STATES)('to a campaign that is %s', async (state) => {
    const told: string[] = [];
    for (const which of ['approve', 'decline'] as const) {
      const campaign = await awaiting({}, state);
      const given = await answer(campaign, which).catch((error: unknown) => error as { code: string });
      told.push('code' in given ? given.code : String(given.state));
      const wanted = 'code' in given ? state : given.state;
      expect((await campaignRow(campaign))?.state).toBe(wanted);
    }
    expect(told).toEqual(CODES[state] ?? ['CAMPAIGN_CLOSED', 'CAMPAIGN_CLOSED']);
  });

  it('is on record: who, what they saw, and why', async () => {
    const campaign = await awaiting();
    const { hash } = await approvalFacts(world.dataSource, campaign);
    await answer(campaign, 'approve');
    const [row] = await world.dataSource.query<{ action: string; after: object }>(
      'select action, after from audit where target = $1',
      [campaign],
    );
    expect(row).toMatchObject({
      action: 'campaign.approve',
      after: { state: 'planned', revision: 1, hash, reason: 'because' },
    });
    const commands = await world.dataSource.query('select act, reason from command where campaign = $1', [
      campaign,
    ]);
    expect(commands).toEqual([{ act: 'approve', reason: 'because' }]);
  });

  it('takes another token than the one that published it where the project asks for it', async () => {
    await world.dataSource.query("update project set approval = 'required'");
    const campaign = await awaiting({ approval: 'none' });
    const publisher = v7();
    await world.dataSource.query('update revision set token_id = $2 where campaign = $1', [
      campaign,
      publisher,
    ]);
    await expect(answer(campaign, 'approve', token(['admin'], publisher))).rejects.toMatchObject({
      code: 'SAME_HAND',
    });
    await expect(answer(campaign, 'approve', token(['publisher']))).rejects.toMatchObject({
      code: 'ROLE_MISSING',
    });
    expect(await answer(campaign, 'approve', token(['operator']))).toMatchObject({ state: 'planned' });
  });
});

describe('the hash', () => {
  const hashOf = async (campaign: string) => (await approvalFacts(world.dataSource, campaign)).hash;

  it.each([
    ['message', `'{message}', '{"default": {"content": "Bye"}}'`],
    ['messageType', `'{messageType}', '"AD"'`],
    ['audience', `'{audience}', '{"type": "USER", "to": ["ann"]}'`],
    ['segments', `'{delivery}', '{"kind": "recipient", "segments": []}'`],
    ['delivery', `'{delivery}', '{"kind": "instant", "at": 1}'`],
    ['policy', `'{policy,night}', '"skip"'`],
  ])('is another one with another %s', async (_part, change) => {
    const campaign = await awaiting();
    const before = await hashOf(campaign);
    await world.dataSource.query(
      `update revision set data = jsonb_set(data, ${change}) where campaign = $1`,
      [campaign],
    );
    expect(await hashOf(campaign)).not.toBe(before);
  });

  it('stays with other names, tags and traces', async () => {
    const campaign = await awaiting();
    const before = await hashOf(campaign);
    await world.dataSource.query(
      `update revision set data = data || '{"name": "x", "tags": ["y"], "trace": {}}' where campaign = $1`,
      [campaign],
    );
    expect(await hashOf(campaign)).toBe(before);
  });
});

describe('what waits for approval', () => {
  it('does not leave, though its page has not come yet, and leaves once it is approved', async () => {
    const campaign = await awaiting();
    const send = await world.send({ campaign });
    expect(await fire(send)).toBe(0);
    expect(await world.read(send)).toMatchObject({ state: 'held', code: 'AWAITING_APPROVAL' });
    await answer(campaign, 'approve');
    await pages();
    expect(await fire(send)).toBe(1);
  });

  it('is held by a pause as well, until both are lifted', async () => {
    for (const order of [
      ['approve', 'resume'],
      ['resume', 'approve'],
    ] as const) {
      const campaign = await awaiting();
      const send = await world.send({ campaign });
      await act(campaign, 'pause');
      for (const lifted of order) {
        expect((await world.read(send)).state).toBe('held');
        expect(await fire(send)).toBe(0);
        if (lifted === 'approve') await answer(campaign, 'approve');
        else await act(campaign, 'resume');
        await pages();
      }
      expect((await world.read(send)).state).toBe('planned');
      expect(await actsOn(world.dataSource, campaign, 10)).toEqual([]);
    }
  });

  it('leaves a recurrence alone until it is approved and not paused', async () => {
    const planAt = async (campaign: string) => (await campaignRow(campaign))?.plan_at;
    const campaign = await awaiting();
    await world.dataSource.query("update campaign set plan_at = 'infinity' where id = $1", [campaign]);
    await act(campaign, 'pause');
    await act(campaign, 'resume');
    expect(await planAt(campaign)).toBe(Infinity);
    await act(campaign, 'pause');
    await answer(campaign, 'approve');
    expect(await planAt(campaign)).toBe(Infinity);
    await act(campaign, 'resume');
    expect(await planAt(campaign)).toEqual(new Date(AT));
  });
});

describe('a test', () => {
  const test = async (campaign: string, state: SendState = 'planned', chunk = 0): Promise<string> => {
    const send = await world.send({ campaign, state, chunk });
    await world.dataSource.query("update send set occurrence = 'test-1' where id = $1", [send]);
    await world.dataSource.query(
      'insert into cell select (jsonb_populate_record(c, \'{"occurrence": "test-1"}\')).* from cell c where campaign = $1 on conflict do nothing',
      [campaign],
    );
    return send;
  };

  it('leaves before the approval, is not held by it, and may be repeated', async () => {
    const campaign = await awaiting();
    const [send, lost, other] = [
      await test(campaign),
      await test(campaign, 'uncertain', 1),
      await world.send({ campaign, state: 'uncertain' }),
    ];
    await pages();
    expect((await world.read(send)).state).toBe('planned');
    expect(await fire(send)).toBe(1);
    const wanted = await world.dataSource.query(
      'select id, wanted from send_repeat where id = any($1::uuid[])',
      [[lost, other]],
    );
    expect(wanted).toEqual(
      expect.arrayContaining([
        { id: lost, wanted: true },
        { id: other, wanted: false },
      ]),
    );
  });

  it('is held by a pause, and taken back by a cancel', async () => {
    const campaign = await awaiting();
    const send = await test(campaign);
    await act(campaign, 'pause');
    expect((await world.read(send)).state).toBe('held');
    expect(await fire(send)).toBe(0);
    // What awaits approval holds no test: the resume alone releases it.
    await act(campaign, 'resume');
    expect((await world.read(send)).state).toBe('planned');
    await act(campaign, 'cancel');
    expect((await world.read(send)).state).toBe('canceled');
  });
});

describe('held past its time', () => {
  const LATE = START + 31 * MINUTE;
  const expire = async (page?: number): Promise<number[]> => {
    const loop = new ExpireHeld({ database: world.dataSource, clock, rules: loadZoneRules(), page });
    const counts: number[] = [];
    do counts.push(await loop.runOnce());
    while ((counts.at(-1) ?? 0) > 0);
    return counts;
  };
  const close = () => new CloseFinished(world.dataSource, clock).runOnce();

  const held = async (campaign: string, chunks: number): Promise<string[]> => {
    await world.dataSource.query('update occurrence set last_due = $2 where campaign = $1', [
      campaign,
      new Date(START),
    ]);
    await world.dataSource.query('update campaign set plan_at = null where id = $1', [campaign]);
    const sends: string[] = [];
    for (let chunk = 0; chunk < chunks; chunk += 1) sends.push(await world.send({ campaign, chunk }));
    return sends;
  };

  it.each(['approval', 'pause'] as const)(
    'by %s, it ends page by page, and its campaign as expired',
    async (by) => {
      const campaign = by === 'approval' ? await awaiting() : await world.campaign({ state: 'planned' });
      const sends = await held(campaign, 3);
      if (by === 'pause') await act(campaign, 'pause');
      else await pages();
      clock.set(new Date(LATE - 2 * MINUTE).toISOString());
      expect(await expire()).toEqual([0]);
      clock.set(new Date(LATE).toISOString());
      expect(await expire(2)).toEqual([2, 1, 0]);
      for (const send of sends)
        expect(await world.read(send)).toMatchObject({ state: 'expired', code: 'LATE' });
      await close();
      expect(await campaignRow(campaign)).toMatchObject({ state: 'expired', code: 'ALL_EXPIRED' });
      const left = await world.dataSource.query('select from campaign_act where campaign = $1', [campaign]);
      expect(left).toEqual([]);
    },
  );

  it('is not retried where nobody approved it, before its campaign has ended and after', async () => {
    const campaign = await awaiting();
    const [send = ''] = await held(campaign, 1);
    await pages();
    clock.set(new Date(LATE).toISOString());
    await expire();
    const retry = async () => {
      const order = { now: clock.now(), by: 'ops', nextDue: () => clock.now() };
      return (await world.dataSource.transaction((sql) => makeRetries(sql, [send], order))).get(send);
    };
    expect(await retry()).toBe('NOT_APPROVED');
    await close();
    expect(await campaignRow(campaign)).toMatchObject({ state: 'expired' });
    expect(await retry()).toBe('NOT_APPROVED');
  });

  it('waits for good where its lateness sends it', async () => {
    const campaign = await awaiting({ lateness: { maxMs: MINUTE, beyond: 'send' } });
    const [send = ''] = await held(campaign, 1);
    await pages();
    clock.set(new Date(START + 48 * 60 * MINUTE).toISOString());
    expect(await expire()).toEqual([0]);
    await answer(campaign, 'approve');
    await pages();
    expect((await world.read(send)).state).toBe('planned');
  });

  it('waits for its page: what an act has not gone through yet is not judged', async () => {
    const campaign = await awaiting();
    const [send = ''] = await held(campaign, 1);
    await fire(send);
    clock.set(new Date(LATE).toISOString());
    expect(await expire()).toEqual([0]);
    await pages();
    expect(await expire()).toEqual([1, 0]);
  });

  it('is not what is planned, or in flight, or held in an occurrence that goes on', async () => {
    const campaign = await world.campaign({ state: 'planned' });
    await held(campaign, 1);
    clock.set(new Date(LATE).toISOString());
    expect(await expire()).toEqual([0]);
  });
});
