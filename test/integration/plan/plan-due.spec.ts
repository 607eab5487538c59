import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { all, PlanWorld, START, users } from '../../support/scheduler/plan-world.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
});
afterAll(async () => world.close());

const MINUTE = 60_000;

describe('planning a campaign', () => {
  it('writes one cell and its newest send for an audience without ids, and ends as planned', async () => {
    const { id } = await world.planned();

    expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned']);
    const [send, ...more] = await world.sends(id);
    expect(more).toEqual([]);
    expect(send).toMatchObject({
      state: 'planned',
      mode: 'immediate',
      mode_rule: 'DUE_NOW',
      chunk: 0,
      recipients: null,
    });
    expect(send).toMatchObject({ occurrence: 'once', due_ms: START, hand_off_ms: START });
    const newest = await world.rows('select id from send where campaign = $1 and next_send is null', [id]);
    expect(newest).toEqual([{ id: send?.id }]);
    const [revision] = await world.rows<{
      state: string;
      plan: { cells: number; totals: { requests: number } };
    }>('select state, plan from revision where campaign = $1', [id]);
    expect(revision).toMatchObject({ state: 'in-force', plan: { cells: 1, totals: { requests: 1 } } });
  });

  it('finds nothing to do when nothing waits', async () => {
    expect(await world.planDue.runOnce()).toBe(0);
  });

  it('chunks USER ids by the project, each id once, in order', async () => {
    const { id } = await world.planned({ audience: users(2_500) });

    const sends = await world.sends(id);
    expect(sends.map((send) => [send.chunk, send.recipients?.length])).toEqual([
      [0, 1000],
      [1, 1000],
      [2, 500],
    ]);
    expect(sends.flatMap((send) => send.recipients ?? [])).toEqual(
      Array.from({ length: 2_500 }, (_, index) => `user-${index}`),
    );
  });

  it('keeps ids as they are, whatever characters they hold', async () => {
    const to = [
      'a,b',
      'say "hi"',
      'back\\slash',
      '{brace}',
      'NULL',
      ' space ',
      '',
      'ü–日本',
      "quote'",
      'line\nbreak',
    ];
    const { id } = await world.planned({ audience: { type: 'USER', to, deviceType: null, country: [] } });

    expect((await world.sends(id)).map((send) => send.recipients)).toEqual([to]);
  });

  it('makes a cell for each segment zone, reserves what is far and skips a zone where the time is over', async () => {
    const segment = (zone: string, prefix: string) => ({ zone, audience: users(2, prefix) });
    const { id } = await world.planned({
      audience: null,
      delivery: {
        kind: 'recipient',
        local: '2027-03-01T10:00',
        segments: [
          segment('Asia/Seoul', 'kr'),
          segment('Europe/Paris', 'fr'),
          segment('Pacific/Auckland', 'nz'),
        ],
      },
    });

    const sends = await world.sends(id);
    expect(sends.map((send) => [send.cell, send.state, send.code, send.mode_rule])).toEqual([
      ['Asia/Seoul|given|1|all|all', 'planned', null, 'RESERVABLE'],
      ['Europe/Paris|given|2|all|all', 'planned', null, 'RESERVABLE'],
      ['Pacific/Auckland|given|3|all|all', 'skipped', 'PASSED_ZONE', expect.any(String)],
    ]);
    expect(sends.map((send) => send.due_ms)).toEqual([
      Date.parse('2027-03-01T01:00:00Z'),
      Date.parse('2027-03-01T09:00:00Z'),
      expect.any(Number),
    ]);
    const cells = await world.rows<{
      zone: string;
      skipped_code: string | null;
      chunks: number;
      recipients: number;
    }>('select zone, skipped_code, chunks, recipients from cell where campaign = $1 order by cell', [id]);
    expect(cells).toEqual([
      { zone: 'Asia/Seoul', skipped_code: null, chunks: 1, recipients: 2 },
      { zone: 'Europe/Paris', skipped_code: null, chunks: 1, recipients: 2 },
      { zone: 'Pacific/Auckland', skipped_code: 'PASSED_ZONE', chunks: 1, recipients: 2 },
    ]);
  });

  it('gives a standing message no due and names its schedule code', async () => {
    const { id } = await world.planned({ delivery: { kind: 'schedule', scheduleCode: 'WEEKLY' } });

    expect(await world.sends(id)).toMatchObject([
      {
        mode: 'scheduled',
        mode_rule: 'SCHEDULE_CODE',
        schedule_code: 'WEEKLY',
        due_ms: null,
        state: 'planned',
      },
    ]);
  });

  it('lets a campaign asked for too long ago be born expired, with how late it was', async () => {
    const { id } = await world.planned({ delivery: { kind: 'instant', at: START - 40 * MINUTE } });

    expect(await world.sends(id)).toMatchObject([
      { state: 'expired', code: 'LATE', detail: '40 minutes late when planned, 30 minutes allowed' },
    ]);
  });

  it('rejects a campaign that cannot be planned, with the reason, and leaves no cell', async () => {
    const id = await world.accepted({
      delivery: { kind: 'wall', local: '2027-03-14T02:30', zone: 'America/New_York' },
      policy: { dst: { gap: 'reject', overlap: 'first' } },
    });
    await world.planDue.runOnce();

    expect(await world.campaign(id)).toMatchObject({ state: 'rejected', code: 'DST_GAP' });
    const [revision] = await world.rows('select state, reasons from revision where campaign = $1', [id]);
    expect(revision).toMatchObject({
      state: 'rejected',
      reasons: [{ code: 'DST_GAP', pointer: '/policy/dst/gap', text: expect.stringContaining('New_York') }],
    });
    expect(await world.rows('select from cell where campaign = $1', [id])).toEqual([]);
  });

  it('leaves alone what was canceled before its turn', async () => {
    const id = await world.accepted();
    await world.rows(
      "update campaign set state = 'canceling', state_at = $2, state_by = 'spec' where id = $1",
      [id, new Date(START)],
    );

    expect(await world.planDue.runOnce()).toBe(0);
    expect(await world.sends(id)).toEqual([]);
  });
});

describe('a planning that fails', () => {
  const broken = { kind: 'wall', local: '2027-03-01T10:00', zone: 'Asia/Seoul' } as const;

  it('does not hold up the others of its round, says why, and is tried again after a growing back-off', async () => {
    const poison = await world.accepted({ delivery: broken });
    // Data that only a bug could let in.
    await world.rows(`update revision set data = jsonb_set(data, '{policy}', 'null') where campaign = $1`, [
      poison,
    ]);
    const good = await world.accepted();

    expect(await world.planDue.runOnce()).toBe(2);
    expect(await world.campaign(good)).toMatchObject({ state: 'planned' });
    expect(await world.campaign(poison)).toMatchObject({
      state: 'planning',
      code: 'PLANNING_FAILED',
      detail: expect.stringContaining('null'),
      plan_tries: 1,
    });

    expect(await world.planDue.runOnce()).toBe(0);
    world.clock.advance(4_000);
    expect(await world.planDue.runOnce()).toBe(1);
    world.clock.advance(4_000);
    expect(await world.planDue.runOnce()).toBe(0);
    world.clock.advance(4_000);
    expect(await world.planDue.runOnce()).toBe(1);
    expect(await world.campaign(poison)).toMatchObject({ plan_tries: 3 });

    // Mended, it goes its way.
    await world.rows(
      `update revision set data = jsonb_set(data, '{policy}', (select data->'policy' from revision where campaign = $2))
        where campaign = $1`,
      [poison, good],
    );
    world.clock.advance(300_000);
    expect(await world.planDue.runOnce()).toBe(1);
    expect(await world.campaign(poison)).toMatchObject({
      state: 'planned',
      code: null,
      detail: null,
      plan_tries: 0,
    });
  });

  it('is planned once, in full, when its process is killed between the rows and the commit', async () => {
    const id = await world.accepted({ audience: users(1_500) });
    const revisions = await OwnConnection.beside(world.dataSource);
    try {
      await revisions.query('begin');
      // The planner has written its cells and sends and waits here, at its last write.
      await revisions.query('lock table revision in share mode');
      await killOncePlanning();
    } finally {
      // Or whatever comes after it in this file would wait for the table too.
      await revisions.release();
    }
    await eventually(async () => {
      const left = await world.rows(
        "select from pg_stat_activity where application_name = 'planner to be killed'",
      );
      return left.length === 0;
    }, A_PROCESS_STARTS);
    expect(await world.campaign(id)).toMatchObject({ state: 'planning', plan_tries: 1 });
    expect(await world.sends(id)).toEqual([]);

    world.clock.advance(4_000);
    expect(await world.planDue.runOnce()).toBe(1);
    expect(await world.path(id)).toEqual(['accepted', 'planning', 'planned']);
    expect(await world.sends(id)).toHaveLength(2);
    const written = 'select from send_recipients r join send s on s.id = r.send where s.campaign = $1';
    expect(await world.rows(written, [id])).toHaveLength(2);
    world.clock.advance(300_000);
    expect(await world.planDue.runOnce()).toBe(0);
  });

  it("is refused by its cells' key where it was planned already, and leaves nothing more", async () => {
    const { id, sends } = await world.planned({ audience: users(1_500) });
    // A state that only a bug could make.
    await world.damage(`update campaign set state = 'planning', plan_at = $2 where id = $1`, [
      id,
      new Date(world.clock.now()),
    ]);
    await world.damage('delete from occurrence where campaign = $1', [id]);

    expect(await world.planDue.runOnce()).toBe(1);
    expect(await world.campaign(id)).toMatchObject({
      state: 'planning',
      code: 'PLANNING_FAILED',
      detail: expect.stringContaining('cell_pkey'),
    });
    expect((await world.sends(id)).map((send) => send.id)).toEqual(sends);
    await world.damage(`update campaign set state = 'planned', plan_at = null where id = $1`, [id]);
  });

  it('is planned once when two planners take it for due at the same moment', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => world.accepted({ audience: all })));
    await Promise.all([world.planDue.runOnce(), world.planDue.runOnce(), world.planDue.runOnce()]);

    for (const id of ids) expect(await world.sends(id)).toHaveLength(1);
    expect(await world.rows('select distinct state from campaign where id = any($1)', [ids])).toEqual([
      { state: 'planned' },
    ]);
  });
});

/** On a machine that is busy. */
const A_PROCESS_STARTS = { withinMs: 45_000 };

/** A planner of its own process, killed where it waits for a lock. */
async function killOncePlanning(): Promise<void> {
  const planner = fork(
    join(import.meta.dirname, 'planner-process.ts'),
    [world.url, String(world.clock.now())],
    { execArgv: ['--import', 'tsx'] },
  );
  const ended = once(planner, 'exit');
  try {
    await eventually(async () => {
      const waiting = await world.rows(
        `select from pg_stat_activity where application_name = 'planner to be killed' and wait_event_type = 'Lock'
            and query like '%update revision%'`,
      );
      return waiting.length > 0;
    }, A_PROCESS_STARTS);
  } finally {
    planner.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
}
