import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import type { Campaign, Delivery } from '../../../src/scheduler/decide/plan/campaign.js';
import { noFacts } from '../../../src/scheduler/decide/plan/plan-types.js';
import { fingerprint } from '../../../src/scheduler/decide/plan/plan-hash.js';
import { withPlan } from '../../../src/scheduler/plan/facts-with-plan.js';
import { ExpireHeld } from '../../../src/scheduler/operate/changes/expire-held.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { readLedger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { savePreview } from '../../../src/scheduler/plan/plan-preview.store.js';
import { PlanWorld, projectsOf, SERVICE, START, users } from '../../support/scheduler/plan-world.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
});
afterAll(async () => world.close());

const DAY = 86_400_000;

async function occurrences(id: string): Promise<string[]> {
  const rows = await world.rows<{ occurrence: string }>(
    'select occurrence from occurrence where campaign = $1 order by occurrence',
    [id],
  );
  return rows.map((row) => row.occurrence);
}

/** Lets time pass a day at a time, planning and closing what is due each day; everything due is sent. */
async function liveThrough(id: string, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    world.clock.advance(DAY);
    await world.planDue.runOnce();
    const due = await world.rows<{ id: string }>(
      "select id from send where campaign = $1 and state = 'planned' and due_at <= $2",
      [id, new Date(world.clock.now())],
    );
    for (const send of due) await world.lead(send.id, ['sending', 'accepted', 'sent']);
    await world.closeFinished.runOnce();
  }
}

describe('a recurrence', () => {
  it('is planned 48 hours ahead of the first clock, and goes on as time passes until its rule ends; then the campaign completes', async () => {
    world.clock.set(START);
    const id = await world.accepted({
      audience: users(2),
      delivery: {
        kind: 'wall',
        local: '2027-03-01T12:00',
        zone: 'Asia/Seoul',
        recurrence: 'FREQ=WEEKLY;BYDAY=MO;COUNT=8',
      },
    });
    await world.planDue.runOnce();
    expect(await occurrences(id)).toEqual(['2027-03-01T12:00']);
    expect(await world.planDue.runOnce()).toBe(0);
    // UTC+14 is the first clock to show noon of the 8th.
    world.clock.set(Date.parse('2027-03-05T21:59:59.999Z'));
    expect(await world.planDue.runOnce()).toBe(0);
    world.clock.advance(1);
    expect(await world.planDue.runOnce()).toBe(1);
    expect(await occurrences(id)).toEqual(['2027-03-01T12:00', '2027-03-08T12:00']);

    await liveThrough(id, 15);
    expect((await world.campaign(id)).state).toBe('running');
    await liveThrough(id, 40);
    expect(await occurrences(id)).toEqual([
      '2027-03-01T12:00',
      '2027-03-08T12:00',
      '2027-03-15T12:00',
      '2027-03-22T12:00',
      '2027-03-29T12:00',
      '2027-04-05T12:00',
      '2027-04-12T12:00',
      '2027-04-19T12:00',
    ]);
    expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned', 'running', 'completed']);
    const sends = await world.sends(id);
    expect(sends).toHaveLength(8);
    expect(new Set(sends.map((send) => send.state))).toEqual(new Set(['sent']));
    expect(await readLedger(world.dataSource, { serviceIds: null }, world.clock.now())).toMatchObject({
      balanced: true,
    });
  });

  it('keeps its pace with what was planned before, and waits for nothing else of it', async () => {
    world.clock.set(START);
    const zones = ['Pacific/Kiritimati', 'Pacific/Honolulu', 'Pacific/Pago_Pago'];
    const id = await world.accepted({
      audience: null,
      delivery: {
        kind: 'recipient',
        local: '2027-03-02T09:00',
        recurrence: 'FREQ=DAILY',
        segments: zones.map((zone) => ({ zone, audience: users(1, zone) })),
      },
      policy: { pace: { perMinute: 1 } },
    });
    await world.planDue.runOnce();
    const [last] = (await occurrences(id)).slice(-1);
    world.clock.advance(DAY);
    expect(await world.planDue.runOnce()).toBe(1);

    const [added, ...more] = (await occurrences(id)).filter((occurrence) => occurrence > (last ?? ''));
    expect(more).toEqual([]);
    const dues = new Map(
      (await world.sends(id)).map(({ occurrence, cell, due_ms }) => [
        `${occurrence} ${cell.split('|')[0]}`,
        new Date(due_ms ?? 0).toISOString(),
      ]),
    );
    const [before, after] = [last?.slice(0, 10), added?.slice(0, 10)];
    expect(zones.map((zone) => dues.get(`${last} ${zone}`)?.slice(11, 16))).toEqual([
      '19:01',
      '19:00',
      '20:00',
    ]);
    // Nine in Kiritimati is nine in Honolulu the day before, whose minute is taken; Pago Pago's comes an hour later.
    expect(dues.get(`${last} Pacific/Honolulu`)).toBe(`${before}T19:00:00.000Z`);
    expect(dues.get(`${added} Pacific/Kiritimati`)).toBe(`${before}T19:01:00.000Z`);
    expect(dues.get(`${added} Pacific/Honolulu`)).toBe(`${after}T19:00:00.000Z`);
  });

  it('stays open where its first occurrence is further off than can be planned yet', async () => {
    world.clock.set(START);
    const id = await world.accepted({
      delivery: {
        kind: 'wall',
        local: '2027-06-01T09:00',
        zone: 'Asia/Seoul',
        recurrence: 'FREQ=DAILY;COUNT=2',
      },
    });
    await world.planDue.runOnce();
    await world.closeFinished.runOnce();
    expect(await occurrences(id)).toEqual([]);
    expect((await world.campaign(id)).state).toBe('planned');

    await liveThrough(id, 80);
    expect(await occurrences(id)).toEqual([]);
    await liveThrough(id, 11);
    expect(await occurrences(id)).toEqual(['2027-06-01T09:00', '2027-06-02T09:00']);
    await liveThrough(id, 10);
    expect((await world.campaign(id)).state).toBe('completed');
  });

  it('waits for no look-up while nothing of it can be planned yet', async () => {
    world.clock.set(START);
    const id = await world.accepted({
      audience: users(2),
      delivery: { kind: 'recipient', local: '2027-03-20T09:00', recurrence: 'FREQ=DAILY;COUNT=2' },
    });
    await world.planDue.runOnce();
    expect((await world.campaign(id)).state).toBe('planned');
    world.clock.set(Date.parse('2027-03-17T19:00Z'));
    await world.planDue.runOnce();
    const waits = await world.rows('select from audience_lookup where campaign = $1', [id]);
    expect([await occurrences(id), waits.length]).toEqual([[], 1]);
    // Nobody else's round has to do with it.
    await world.rows('update campaign set plan_at = null where id = $1', [id]);
  });

  it('plans nothing more once it is canceled', async () => {
    world.clock.set(START);
    const id = await world.accepted({
      delivery: { kind: 'wall', local: '2027-03-02T09:00', zone: 'Asia/Seoul', recurrence: 'FREQ=DAILY' },
    });
    await world.planDue.runOnce();
    const planned = (await occurrences(id)).length;
    await world.rows(
      "update campaign set state = 'canceling', code = 'X', state_at = $2, state_by = 'spec' where id = $1",
      [id, new Date(START)],
    );
    world.clock.advance(20 * DAY);
    expect(await world.planDue.runOnce()).toBe(0);
    expect(await occurrences(id)).toHaveLength(planned);
  });

  it('keeps the same occurrence ids in every zone, whatever DST does to them', async () => {
    world.clock.set(Date.parse('2027-03-12T13:00Z'));
    const id = await world.accepted({
      audience: null,
      delivery: {
        kind: 'recipient',
        local: '2027-03-13T02:30',
        recurrence: 'FREQ=DAILY;COUNT=3',
        segments: [
          { zone: 'America/New_York', audience: users(1, 'us') },
          { zone: 'Asia/Seoul', audience: users(1, 'kr') },
        ],
      },
      policy: { dst: { gap: 'skip', overlap: 'first' } },
    });
    await world.planDue.runOnce();
    const sends = await world.sends(id);
    const shown = sends
      .map((send) => `${send.occurrence} ${send.cell.split('|')[0]} ${send.state}`)
      .toSorted();
    expect(shown).toEqual([
      '2027-03-13T02:30 America/New_York planned',
      '2027-03-13T02:30 Asia/Seoul planned',
      '2027-03-14T02:30 America/New_York skipped',
      '2027-03-14T02:30 Asia/Seoul planned',
      '2027-03-15T02:30 America/New_York planned',
      '2027-03-15T02:30 Asia/Seoul planned',
    ]);
  });
});

describe('a recurrence that names the planHash of its preview', () => {
  const hourly: Delivery = {
    kind: 'wall',
    local: '2027-03-03T12:00',
    zone: 'Asia/Seoul',
    recurrence: 'FREQ=HOURLY',
  };

  /** Accepted as it was previewed at START, the preview kept as the dry run keeps it. */
  async function previewed(delivery: Delivery): Promise<string> {
    world.clock.set(START);
    const id = await world.accepted({ delivery });
    const [row] = await world.rows<{ data: Campaign }>('select data from revision where campaign = $1', [id]);
    const project = (await projectsOf(world.dataSource).getMany([SERVICE])).get(SERVICE);
    if (row === undefined || project === undefined) throw new Error('nothing was accepted');
    const facts = { id, revision: 1, campaign: row.data, project, now: START };
    const from = withPlan({ ...facts, audience: noFacts, rules: loadZoneRules() });
    const { hash, digests } = fingerprint(from.plan, from);
    await world.dataSource.transaction((sql) =>
      savePreview(
        sql,
        { serviceId: SERVICE, hash, digests, plan: {}, cells: [], cellBytes: 0 },
        { now: START, mostBytes: 1_000 },
      ),
    );
    await world.rows(
      `update revision set data = data || jsonb_build_object('planHash', $2::text) where campaign = $1`,
      [id, hash],
    );
    return id;
  }

  it('is planned as previewed hours later, all of it at once; what follows is planned as always', async () => {
    const id = await previewed(hourly);
    world.clock.advance(5 * 3_600_000);
    await world.planDue.runOnce();
    expect(await world.campaign(id)).toMatchObject({ state: 'planned', code: null });
    const first = await occurrences(id);
    expect(first.length).toBeGreaterThan(790);
    expect(await world.planDue.runOnce()).toBe(0);
    // The last one that was previewed comes 35 days and 14 hours after START; the next is planned 62 hours before its time.
    world.clock.set(START + 33 * DAY);
    expect(await world.planDue.runOnce()).toBe(0);
    world.clock.advance(3_600_000);
    expect(await world.planDue.runOnce()).toBe(1);
    const next = new Date(Date.parse(`${first.at(-1)}Z`) + 3_600_000);
    expect((await occurrences(id)).slice(first.length)).toEqual([next.toISOString().slice(0, 16)]);
  });

  it('is planned without what was cancelled before it was planned, and not refused for it', async () => {
    const id = await previewed(hourly);
    const now = new Date(world.clock.now());
    const [act, occurrence] = ['cancel', '2027-03-03T13:00'] as const;
    const cancel = { campaign: id, act, occurrence, now, by: 'spec', code: 'CANCELED' };
    expect(await world.dataSource.transaction((sql) => askAct(sql, cancel))).toEqual({ kind: 'asked' });
    await world.planDue.runOnce();
    expect(await world.campaign(id)).toMatchObject({ state: 'planned', code: null });
    expect(
      await world.rows('select from cell where campaign = $1 and occurrence = $2', [id, cancel.occurrence]),
    ).toEqual([]);
  });

  it('is refused where it would be planned otherwise', async () => {
    const id = await previewed(hourly);
    await world.rows(
      `update revision set data = jsonb_set(data, '{delivery,recurrence}', '"FREQ=HOURLY;COUNT=9999"') where campaign = $1`,
      [id],
    );
    await world.planDue.runOnce();
    expect(await world.campaign(id)).toMatchObject({ state: 'rejected', code: 'PLAN_CHANGED' });
  });
});

describe('a recurrence that is paused', () => {
  const act = (which: 'pause' | 'resume', campaign: string) =>
    world.dataSource.transaction((sql) =>
      askAct(sql, { act: which, campaign, now: new Date(world.clock.now()), by: 'ops', code: 'SPEC' }),
    );
  const skipped = (id: string) =>
    world.rows<{ occurrence: string; code: string }>(
      "select occurrence, code from occurrence where campaign = $1 and state = 'skipped' order by occurrence",
      [id],
    );
  const published = (id: string) =>
    world.rows<{ kind: string; occurrence: string | null; detail: string | null }>(
      `select kind, occurrence, detail from send_event where campaign = $1 and kind ~ 'paused|resumed|skipped' order by position`,
      [id],
    );

  it('makes no occurrence; what passed meanwhile is skipped, and published as one range', async () => {
    world.clock.set(START);
    const id = await world.accepted({
      audience: users(2),
      delivery: {
        kind: 'wall',
        local: '2027-03-01T12:00',
        zone: 'Asia/Seoul',
        recurrence: 'FREQ=DAILY;COUNT=9',
      },
    });
    await world.planDue.runOnce();
    const before = await occurrences(id);
    await act('pause', id);
    await liveThrough(id, 5);
    expect(await occurrences(id)).toEqual(before);
    await act('resume', id);
    await world.planDue.runOnce();
    const planned = await occurrences(id);
    const passed = planned.filter((one) => one > (before.at(-1) ?? '') && one < '2027-03-06T09:00');
    expect(passed.length).toBeGreaterThan(1);
    expect(await skipped(id)).toEqual(passed.map((occurrence) => ({ occurrence, code: 'PAUSED' })));
    expect(planned.at(-1)?.localeCompare(passed.at(-1) ?? '')).toBe(1);
    const range = `${passed.length} occurrences, ${passed[0]} to ${passed.at(-1)}, passed while the campaign was paused`;
    expect(await published(id)).toEqual([
      { kind: 'campaign.paused', occurrence: null, detail: null },
      { kind: 'campaign.resumed', occurrence: null, detail: null },
      { kind: 'occurrence.skipped', occurrence: passed.at(-1), detail: range },
    ]);
    // It goes on as it would have, to the end of its rule.
    await world.dataSource.query('update campaign_act set done_at = now() where campaign = $1', [id]);
    await liveThrough(id, 6);
    expect(await occurrences(id)).toHaveLength(9);
  });

  it('is planned for the first time all the same, and shown; nothing of it leaves', async () => {
    world.clock.set(START);
    const id = await world.accepted({
      audience: users(2),
      delivery: {
        kind: 'wall',
        local: '2027-03-01T12:00',
        zone: 'Asia/Seoul',
        recurrence: 'FREQ=DAILY;COUNT=9',
      },
    });
    await act('pause', id);
    await world.planDue.runOnce();
    expect(await occurrences(id)).not.toEqual([]);
    await world.takeBack();
    expect(await world.rows('select distinct state from send where campaign = $1', [id])).toEqual([
      { state: 'held' },
    ]);
    const more = await occurrences(id);
    world.clock.advance(3 * DAY);
    expect(await world.planDue.runOnce()).toBe(0);
    expect(await occurrences(id)).toEqual(more);
  });

  it('ends once nothing of it is to come any more, though nobody resumes it', async () => {
    world.clock.set(START);
    const id = await world.accepted({
      audience: users(2),
      delivery: {
        kind: 'wall',
        local: '2027-03-01T12:00',
        zone: 'Asia/Seoul',
        recurrence: 'FREQ=DAILY;COUNT=4',
      },
    });
    await world.planDue.runOnce();
    await act('pause', id);
    await world.takeBack();
    const held = new ExpireHeld({ database: world.dataSource, clock: world.clock, rules: loadZoneRules() });
    const end = async () => {
      while ((await held.runOnce()) > 0);
      await world.closeFinished.runOnce();
      return (await world.campaign(id)).state;
    };
    world.clock.advance(3 * DAY);
    expect(await end()).not.toBe('expired');
    world.clock.advance(3 * DAY);
    await end();
    expect(await end()).toBe('expired');
  });
});
