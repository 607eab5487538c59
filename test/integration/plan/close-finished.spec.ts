import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  OPEN_STATES,
  SEND_STATES,
  type SendState,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import type { Database } from '../../../src/platform/database/database.js';
import { CloseFinished } from '../../../src/scheduler/plan/close-finished.js';
import { insertRetries } from '../../../src/scheduler/store/send/retry.store.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { outcomeEventsOf } from '../../support/events/outcome-events.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { PlanWorld, users } from '../../support/scheduler/plan-world.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows("update project set max_to = 1 where service_id = 'shop-app'");
});
afterAll(async () => world.close());

/** A way from planned to every state, by arrows of the table. */
const WAYS: Readonly<Record<Exclude<SendState, 'planned'>, readonly SendState[]>> = {
  sending: ['sending'],
  accepted: ['sending', 'accepted'],
  reserved: ['sending', 'reserved'],
  scheduled: ['sending', 'scheduled'],
  canceling: ['sending', 'reserved', 'canceling'],
  held: ['held'],
  uncertain: ['sending', 'uncertain'],
  sent: ['sending', 'accepted', 'sent'],
  failed: ['sending', 'accepted', 'failed'],
  empty: ['sending', 'accepted', 'empty'],
  stale: ['sending', 'reserved', 'stale'],
  rejected: ['sending', 'rejected'],
  canceled: ['canceled'],
  expired: ['expired'],
  skipped: ['skipped'],
  superseded: ['superseded'],
};

async function campaignWith(states: readonly SendState[]): Promise<{ id: string; sends: string[] }> {
  const campaign = await world.planned({ audience: users(states.length) });
  for (const [index, state] of states.entries()) {
    if (state !== 'planned') await world.lead(campaign.sends[index] ?? '', WAYS[state]);
  }
  await world.closeFinished.runOnce();
  return campaign;
}

async function occurrenceState(id: string): Promise<string | undefined> {
  const [row] = await world.rows<{ state: string }>('select state from occurrence where campaign = $1', [id]);
  return row?.state;
}

describe('a campaign of one send', () => {
  const ends: Readonly<Record<SendState, string>> = {
    planned: 'planned',
    sending: 'running',
    accepted: 'running',
    reserved: 'running',
    scheduled: 'running',
    canceling: 'running',
    held: 'planned',
    uncertain: 'completed',
    sent: 'completed',
    failed: 'completed',
    empty: 'completed',
    stale: 'completed',
    rejected: 'completed',
    canceled: 'completed',
    expired: 'expired',
    skipped: 'completed',
    superseded: 'completed',
  };

  it.each(SEND_STATES.map((state) => [state, ends[state]] as const))('%s: is %s', async (state, expected) => {
    const { id } = await campaignWith([state]);
    expect((await world.campaign(id)).state).toBe(expected);
    expect(await occurrenceState(id)).toBe(expected);
  });

  it('knows every open state: what is neither final nor uncertain keeps it open', () => {
    const closing = SEND_STATES.filter((state) => ['completed', 'expired'].includes(ends[state]));
    expect([...closing, ...OPEN_STATES].sort()).toEqual([...SEND_STATES].sort());
  });
});

describe('a campaign of several sends', () => {
  it.each<[SendState[], string]>([
    [['sent', 'planned'], 'running'],
    [['sent', 'uncertain'], 'completed'],
    [['sent', 'expired'], 'completed'],
    [['expired', 'skipped'], 'expired'],
    [['expired', 'expired'], 'expired'],
    [['skipped', 'skipped'], 'completed'],
    [['failed', 'expired'], 'completed'],
    [['sent', 'scheduled'], 'running'],
    [['rejected', 'held'], 'running'],
  ])('%j: is %s', async (states, expected) => {
    const { id } = await campaignWith(states);
    expect((await world.campaign(id)).state).toBe(expected);
  });

  it('goes planned, running, completed, each once and each with its instant', async () => {
    const { id, sends } = await campaignWith(['reserved', 'planned']);
    expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned', 'running']);

    await world.closeFinished.runOnce();
    await world.lead(sends[0] ?? '', ['accepted', 'sent']);
    await world.closeFinished.runOnce();
    expect((await world.campaign(id)).state).toBe('running');

    await world.lead(sends[1] ?? '', ['sending', 'accepted', 'sent']);
    await world.closeFinished.runOnce();
    expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned', 'running', 'completed']);
  });

  it('stays planned while its reservations are placed ahead, and runs once one of them was due', async () => {
    const campaign = await world.planned({ audience: users(2) });
    const [first = '', second = ''] = campaign.sends;
    const dueAt = new Date(world.clock.now() + 96 * 3_600_000);
    await world.rows("update send set mode = 'reserved', due_at = $2 where campaign = $1", [
      campaign.id,
      dueAt,
    ]);
    await world.lead(first, ['sending', 'reserved']);
    await world.lead(second, ['sending', 'rejected']);
    await world.closeFinished.runOnce();
    expect((await world.campaign(campaign.id)).state).toBe('planned');

    await world.lead(first, ['accepted'], { due_at: new Date(world.clock.now()) });
    await world.closeFinished.runOnce();
    expect((await world.campaign(campaign.id)).state).toBe('running');
  });

  it('never reopens: a send that an operator resolves later leaves the campaign as it ended', async () => {
    const { id, sends } = await campaignWith(['uncertain']);
    await world.lead(sends[0] ?? '', ['sent']);
    await world.closeFinished.runOnce();
    expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned', 'running', 'completed']);
  });
});

describe('a campaign that nobody got', () => {
  const outcomeOf = async (id: string) => {
    const events = await outcomeEventsOf(world.dataSource, id);
    return events.at(-1);
  };

  it.each<[SendState[], string | null]>([
    [['skipped', 'skipped'], 'ALL_SKIPPED'],
    [['expired', 'skipped'], 'ALL_EXPIRED'],
    [['empty', 'empty'], 'ALL_EMPTY'],
    [['rejected', 'skipped'], 'ALL_REJECTED'],
    [['failed', 'stale'], 'ALL_FAILED'],
    [['uncertain'], 'ALL_UNCERTAIN'],
    [['empty', 'failed'], 'NO_DEVICE_TAKEN'],
    [['canceled'], null],
    [['sent', 'failed'], null],
  ])('%j: ends with the reason %s, and says so to subscribers', async (states, code) => {
    const { id } = await campaignWith(states);
    expect((await world.campaign(id)).code).toBe(code);
    const published = await outcomeOf(id);
    expect(published?.type).toMatch(/campaign\.(completed|expired)\.v1$/);
    expect(published?.data).toMatchObject({ code, attention: code === null ? null : { code } });
  });

  it('and that comes to be sent after all has none any more, once nothing of it is open', async () => {
    const { id, sends } = await campaignWith(['failed', 'failed']);
    const [first = '', second = ''] = sends;
    const retry = v7();
    const at = world.clock.now();
    await insertRetries(world.dataSource, [{ of: first, id: retry, dueAt: at }], at, 'ops');
    await world.lead(retry, ['sending', 'uncertain']);
    await world.closeFinished.runOnce();
    expect((await world.campaign(id)).code).toBe('NO_DEVICE_TAKEN');
    await world.lead(retry, ['accepted']);
    await world.closeFinished.runOnce();
    expect((await world.campaign(id)).code).toBe('NO_DEVICE_TAKEN');
    await world.lead(retry, ['sent'], { target_count: 1, sent_count: 1 });
    await world.closeFinished.runOnce();
    expect(await world.campaign(id)).toMatchObject({ state: 'completed', code: null, detail: null });
    const published = await outcomeOf(id);
    expect(published).toMatchObject({
      type: 'carillon.outcome.campaign.corrected.v1',
      data: { attention: null, counts: { sent: 1 } },
    });
    expect(second).not.toBe('');
  });

  it('because an operator says that it was not: none either where one says that it was', async () => {
    const { id, sends } = await campaignWith(['uncertain']);
    expect((await world.campaign(id)).code).toBe('ALL_UNCERTAIN');
    await world.lead(sends[0] ?? '', ['sent']);
    await world.closeFinished.runOnce();
    expect((await world.campaign(id)).code).toBeNull();
  });
});

describe('a cancel', () => {
  async function cancel(id: string): Promise<void> {
    await world.dataSource.transaction((sql) =>
      askAct(sql, {
        act: 'cancel',
        campaign: id,
        now: new Date(world.clock.now()),
        by: 'spec',
        code: 'CANCELED_BY_EVENT',
      }),
    );
    await world.takeBack();
    await world.closeFinished.runOnce();
  }

  it('is confirmed once every send is final or uncertain, and keeps its code', async () => {
    const { id, sends } = await campaignWith(['reserved', 'planned', 'uncertain']);
    await cancel(id);
    expect(await world.campaign(id)).toMatchObject({ state: 'canceling', code: 'CANCELED_BY_EVENT' });
    expect(await occurrenceState(id)).toBe('canceling');

    await world.lead(sends[0] ?? '', ['canceled']);
    await world.closeFinished.runOnce();
    expect(await world.campaign(id)).toMatchObject({ state: 'canceled', code: 'CANCELED_BY_EVENT' });
    expect(await occurrenceState(id)).toBe('canceled');
  });

  it('is confirmed at once where nothing has left', async () => {
    const { id } = await campaignWith(['planned', 'planned']);
    await cancel(id);
    expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned', 'canceling', 'canceled']);
  });

  it('is confirmed at once for a campaign that is not planned yet', async () => {
    const id = await world.accepted();
    await cancel(id);
    expect(await world.path(id)).toEqual(['accepted', 'canceling', 'canceled']);
    expect(await world.planDue.runOnce()).toBe(0);
  });

  it('ends as canceled though its reservation went out: the cancel came too late', async () => {
    const { id, sends } = await campaignWith(['reserved']);
    await cancel(id);
    await world.lead(sends[0] ?? '', ['reserved', 'accepted', 'sent']);
    await world.closeFinished.runOnce();
    expect((await world.campaign(id)).state).toBe('canceled');
  });
});

describe('what the closer looks at', () => {
  it('is nothing where nothing moved', async () => {
    while ((await world.closeFinished.runOnce()) > 0);
    await world.planned();
    await world.closeFinished.runOnce();
    expect(await world.closeFinished.runOnce()).toBe(0);
  });

  it('comes back to a campaign that somebody else has locked', async () => {
    const { id, sends } = await campaignWith(['planned']);
    const other = await OwnConnection.beside(world.dataSource);
    await other.query('begin');
    await other.query('select from campaign where id = $1 for update', [id]);
    await world.lead(sends[0] ?? '', WAYS.sent);
    expect(await world.closeFinished.runOnce()).toBe(0);
    expect((await world.campaign(id)).state).toBe('planned');
    await other.query('rollback');
    await other.release();

    expect(await world.closeFinished.runOnce()).toBe(1);
    expect((await world.campaign(id)).state).toBe('completed');
  });

  it('is looked at by one closer at a time, which alone takes touches', async () => {
    while ((await world.closeFinished.runOnce()) > 0);
    const { id, sends } = await world.planned();
    await world.lead(sends[0] ?? '', WAYS.sent);
    const other = await OwnConnection.beside(world.dataSource);
    await other.query('begin');
    await other.query('lock table send in access exclusive mode');
    const first = world.closeFinished.runOnce();
    await untilLockAwaited((sql) => world.rows(sql));
    try {
      expect(await new CloseFinished(world.dataSource, world.clock).runOnce()).toBe(0);
      expect(await world.count('campaign_touched')).toBeGreaterThan(0);
    } finally {
      await other.release();
    }

    expect(await first).toBe(1);
    expect((await world.campaign(id)).state).toBe('completed');
  });

  it('publishes what a closed campaign has come to once it stands still, and with its sums', async () => {
    const { id, sends } = await campaignWith(['uncertain']);
    while ((await world.closeFinished.runOnce()) > 0);
    await world.lead(sends[0] ?? '', ['sent']);
    // Something else of it moves while its sends are looked through.
    let moved = false;
    const transaction: Database['transaction'] = (work) =>
      world.dataSource.transaction((sql) =>
        work({
          query: async <Row>(text: string, parameters?: readonly unknown[]) => {
            const rows = await sql.query<Row>(text, parameters);
            if (text.includes('sum_newest_sends') && !moved) {
              moved = true;
              await world.rows(
                `insert into campaign_touched (campaign, occurrence, published, began)
                 select campaign, occurrence, false, false from occurrence where campaign = '${id}'`,
              );
            }
            return rows;
          },
        }),
      );
    const query: Database['query'] = (text, parameters) => world.dataSource.query(text, parameters);
    const meddled = new CloseFinished({ query, transaction }, world.clock);
    const published = () =>
      world.rows(`select kind from send_event where campaign = '${id}' and kind = 'campaign.corrected'`);
    await meddled.runOnce();
    expect([moved, await published()]).toEqual([true, []]);
    await world.closeFinished.runOnce();
    expect(await published()).toHaveLength(1);
    expect(await world.closeFinished.runOnce()).toBe(0);
  });

  it('ends each campaign once when several closers run', async () => {
    const campaigns = await Promise.all(Array.from({ length: 10 }, () => world.accepted()));
    await world.planDue.runOnce();
    for (const id of campaigns) await world.lead((await world.sends(id))[0]?.id ?? '', WAYS.sent);
    await Promise.all([1, 2, 3].map(() => world.closeFinished.runOnce()));
    await world.closeFinished.runOnce();
    for (const id of campaigns) {
      expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned', 'running', 'completed']);
    }
  });

  it('leaves no row behind to be looked at for ever', async () => {
    while ((await world.closeFinished.runOnce()) > 0);
    expect(await world.count('campaign_touched')).toBe(0);
  });
});
