// Acts on a real database beside what else happens at the same instant: answers, fires, planners, another replica, readers.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { CampaignAct } from '../../../src/scheduler/decide/lifecycle/campaign-act.js';
import type { Policy } from '../../../src/scheduler/decide/timing/campaign-policy.js';
import { ActOnCampaign } from '../../../src/scheduler/operate/changes/act-on-campaign.js';
import { ExpireHeld } from '../../../src/scheduler/operate/changes/expire-held.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { markSkipped, uncountTries } from '../../../src/scheduler/plan/plan.store.js';
import { actsOn, askAct, reopenActs, workPage } from '../../../src/scheduler/store/send/act.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const AT = START + 1_000;
const clock = new SteppedClock(AT);

let world: World;
let beside: OwnConnection;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
  beside = await OwnConnection.beside(world.dataSource);
  return () => beside.release();
});

const ask = (campaign: string, act: CampaignAct) =>
  world.dataSource.transaction((sql) =>
    askAct(sql, { act, campaign, now: new Date(AT), by: 'ops', code: act }),
  );

const pages = async (page = 500): Promise<void> => {
  const acts = new WorkActs({ database: world.dataSource, clock, page });
  while ((await acts.runOnce()) > 0);
};

const act = async (campaign: string, which: CampaignAct): Promise<void> => {
  await ask(campaign, which);
  await pages();
};

const standing = async (campaign: string): Promise<string[]> =>
  (await actsOn(world.dataSource, campaign, 10)).map(
    ({ act: which, isDone }) => `${which} ${isDone ? 'done' : 'under way'}`,
  );

const rows = (text: string) => world.dataSource.query(text);

/** The push service confirms that it has cancelled what was asked back. */
const confirm = (send: string) =>
  world.dataSource.query("update send set state = 'held', changes = changes + 1 where id = $1", [send]);

/** What rests is due again. */
const rested = () => world.dataSource.query("update campaign_act set page_at = page_at - interval '1 hour'");

/** A paused campaign with a large audience, and 20 001 sends that were due ten minutes ago. */
const heldLate = async (policy: Partial<Policy>): Promise<string> => {
  const campaign = await world.campaign({ state: 'running', policy });
  await world.dataSource.query(
    `update revision set data = data || jsonb_build_object('audience', (
       select jsonb_agg(md5(n::text)) from generate_series(1, 20000) n)) where campaign = $1`,
    [campaign],
  );
  await act(campaign, 'pause');
  const send = await world.send({ campaign, state: 'held', dueAt: AT - 600_000 });
  await world.copies(send, 20_000);
  return campaign;
};

describe('a resume', () => {
  it('waits for a send whose reservation is answered, and asked back, while its page waits for the row', async () => {
    const campaign = await world.campaign({ state: 'running' });
    await act(campaign, 'pause');
    const send = await world.send({ campaign, state: 'sending', columns: { goal: 'held', attempts: 1 } });
    await ask(campaign, 'resume');
    await beside.query('begin');
    for (const state of ['reserved', 'canceling'])
      await beside.query('update send set state = $2, changes = changes + 1 where id = $1', [send, state]);
    const working = pages();
    await untilLockAwaited(rows);
    await beside.query('commit');
    await working;
    expect(await standing(campaign)).toEqual(['resume under way']);
    await confirm(send);
    await rested();
    await pages();
    expect(await world.read(send)).toMatchObject({ state: 'planned', goal: null });
    expect(await standing(campaign)).toEqual([]);
  });

  it('comes after a fire that holds a send for the pause and has not committed yet', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await world.send({ campaign });
    await ask(campaign, 'pause');
    await beside.query('begin');
    const order = { id: send, revision: 1, attempts: 0, mode: 'immediate', modeRule: 'DUE_NOW' } as const;
    const fire = { now: AT, by: 'dispatch', replica: send };
    expect(await fireSends(beside, [{ ...order, dueAt: START, at: AT }], fire)).toEqual([]);
    const resuming = act(campaign, 'resume');
    await Promise.race([resuming, untilLockAwaited(rows)]);
    await beside.query('commit');
    await resuming;
    expect(await world.read(send)).toMatchObject({ state: 'planned', next_at: new Date(START) });
    expect(await standing(campaign)).toEqual([]);
  });

  it('waits on, whichever replica did the page of the send that it waits for', async () => {
    const campaign = await world.campaign({ state: 'running' });
    await act(campaign, 'pause');
    await world.send({ campaign, state: 'canceling', columns: { goal: 'held', request_id: 'r-1' } });
    await world.send({ campaign, state: 'accepted', chunk: 1 });
    await ask(campaign, 'resume');
    // The other replica's statement stands between its snapshot and the lock of its turn.
    await world.dataSource.query(`
      create schema beside;
      create function beside.clock_timestamp() returns timestamptz language plpgsql as $$ begin
        perform pg_advisory_xact_lock_shared(77); return pg_catalog.clock_timestamp(); end $$`);
    const gate = await OwnConnection.beside(world.dataSource);
    try {
      await gate.query('select pg_advisory_lock(77)');
      await beside.query(
        "select set_config('search_path', concat_ws(', ', 'beside', current_setting('search_path'), 'pg_catalog'), false)",
      );
      const other = workPage(beside, AT, 1);
      await untilLockAwaited(rows);
      await world.dataSource.transaction((sql) => workPage(sql, AT, 1));
      await gate.query('select pg_advisory_unlock(77)');
      expect(await other).toBe(true);
    } finally {
      await gate.release();
      await world.dataSource.query('drop schema beside cascade');
    }
    await pages(1);
    expect(await standing(campaign)).toEqual(['resume under way']);
  });

  it('looks less and less often for answers that do not come', async () => {
    const campaign = await world.campaign({ state: 'running' });
    await act(campaign, 'pause');
    await world.send({ campaign, state: 'canceling', columns: { goal: 'held', request_id: 'r-1' } });
    await ask(campaign, 'resume');
    const rests: number[] = [];
    for (let pass = 1; pass <= 8; pass += 1) {
      await pages();
      const [row] = await world.dataSource.query<{ rests: number }>(
        'select extract(epoch from page_at - clock_timestamp())::float8 as rests from campaign_act',
      );
      rests.push(Math.ceil(row?.rests ?? 0));
      await rested();
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });
});

describe('a pause', () => {
  it('holds what is planned meanwhile, wherever its page stands', async () => {
    const campaign = await world.campaign({ state: 'running' });
    await world.send({ campaign, chunk: 5 });
    await ask(campaign, 'pause');
    await world.dataSource.transaction((sql) => workPage(sql, AT, 1));
    const earlier = await world.send({ campaign, chunk: 0 });
    await reopenActs(world.dataSource, [campaign]);
    await pages(1);
    expect(await world.read(earlier)).toMatchObject({ state: 'held' });
  });

  it('of a recurrence keeps it from being planned on after a fault of a planning that had begun', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const planAt = async () =>
      (
        await world.dataSource.query<{ at: string }>(
          'select plan_at::text as at from campaign where id = $1',
          [campaign],
        )
      )[0]?.at;
    await world.dataSource.query('update campaign set plan_tries = 1, plan_at = $2 where id = $1', [
      campaign,
      new Date(AT),
    ]);
    await ask(campaign, 'pause');
    await uncountTries(world.dataSource, [campaign], AT);
    expect(await planAt()).toBe('infinity');
    const occurrence = '2027-03-01T09:00';
    await markSkipped(world.dataSource, { campaign, occurrence, revision: 1, detail: 'spec' }, AT);
    expect(await planAt()).toBe('infinity');
  });
});

describe('a preview', () => {
  it('waits for nobody and holds nobody up', async () => {
    const campaign = await world.campaign({ state: 'running' });
    await world.send({ campaign });
    await beside.query('begin');
    await beside.query('select from campaign where id = $1 for update', [campaign]);
    const acts = new ActOnCampaign(world.dataSource, clock, loadZoneRules());
    const order = { act: 'pause', campaign, occurrence: undefined, who: 'ops', reason: undefined } as const;
    const preview = acts.run({ ...order, holds: (service) => service === SERVICE, preview: true });
    const first = await Promise.race([preview, untilLockAwaited(rows).then(() => 'it waits')]);
    await beside.query('rollback');
    expect(first).toMatchObject({ preview: { atOnce: 1 } });
    await preview;
  });

  it('of many late sends reads their policy once, however large their audience is', async () => {
    const campaign = await heldLate({});
    const acts = new ActOnCampaign(world.dataSource, clock, loadZoneRules());
    const order = { act: 'resume', campaign, occurrence: undefined, who: 'ops', reason: undefined } as const;
    const began = performance.now();
    const { preview } = await acts.run({ ...order, holds: () => true, preview: true });
    expect(preview).toMatchObject({ atOnce: 20_001, late: { expire: 0, send: 20_001 } });
    expect(performance.now() - began).toBeLessThan(5_000);
  }, 120_000);
});

it('the end of what is held past its time reads the policy once, and no sends that have no such end', async () => {
  for (const beyond of ['send', 'expire'] as const)
    await heldLate({ lateness: { maxMs: 3_600_000, beyond } });
  const began = performance.now();
  expect(await new ExpireHeld({ database: world.dataSource, clock, rules: loadZoneRules() }).runOnce()).toBe(
    0,
  );
  expect(performance.now() - began).toBeLessThan(2_000);
}, 120_000);
