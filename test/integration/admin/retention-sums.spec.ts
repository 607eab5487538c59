// Sums say the same once their sends are gone: wherever a retry lies, whatever a clock does, and also for standing messages.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import { wholeReport } from '../../support/scheduler/whole-report.js';
import { standingDays } from '../../../src/scheduler/store/read/standing.store.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { PlanWorld, users } from '../../support/scheduler/plan-world.js';
import { DAY_MS, retentionBuilders } from '../../support/scheduler/retention-builders.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  await dropDays(world.dataSource);
});
afterAll(() => world.close());
const { now, ledger, later, retire, campaign, retryOf, retried, kept } = retentionBuilders(() => world);

/** The row that a poll of a standing message writes. */
async function counted(send: string, sent: number): Promise<void> {
  await world.rows(
    `insert into standing_count (send, campaign, occurrence, day, target_count, sent_count, at)
     select id, campaign, occurrence, $2::timestamptz::date, 5, $3, $2 from send where id = $1`,
    [send, now(), sent],
  );
}

describe('a day that goes', () => {
  // At the beginning of a day, behind all that went before.
  beforeEach(() => later(200 - (world.clock.now() % DAY_MS) / DAY_MS));

  it('goes however many of its sends were retried on a later day, which still have their first due', async () => {
    const { id, sends } = await campaign('failed', 'failed', 'failed');
    await later(1);
    for (const send of sends) await retried(send);
    const { totals } = await wholeReport(world.dataSource, id);
    expect(totals.recoveredAfter).toMatchObject({ count: 3, maxMs: DAY_MS });
    await later(90.5);
    await retire();
    expect(await kept(sends)).toEqual([]);
    expect((await wholeReport(world.dataSource, id)).totals).toEqual(totals);
    await later(1);
    await retire();
    const ended = (await wholeReport(world.dataSource, id)).totals;
    expect(ended).toMatchObject({ gone: 3, recoveredAfter: { count: 3, maxMs: DAY_MS } });
    expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
  });

  it('keeps its sums where a clock comes back from before it, and what is written there is counted beside them', async () => {
    const first = await campaign('sent', 'sent');
    await later(95);
    await retire();
    const before = await ledger();
    expect(before).toMatchObject({ balanced: true, missing: [] });
    expect(await kept(first.sends)).toEqual([]);
    world.clock.advance(-95 * DAY_MS);
    await ensurePartitions(world.dataSource, now());
    expect(await ledger()).toEqual({ ...before, asOf: expect.any(Number) });
    const second = await campaign('sent', 'failed');
    for (const [index, recipients] of [null, 'send_recipients_old'].entries())
      expect(await kept([second.sends[index] ?? ''])).toMatchObject([{ place: 'send_old', recipients }]);
    await world.rows(
      `insert into attempt (send, send_ended_at, attempt, kind, started_at)
       select id, ended_at, 1, 'cancel', ended_at from send where id = any($1)`,
      [second.sends],
    );
    const beneath = async (): Promise<(readonly [string, boolean])[]> => {
      const tables = ['send', 'send_recipients', 'send_note', 'attempt', 'event'];
      return Promise.all(
        tables.map(async (table) => [table, (await world.count(`${table}_old`)) > 0] as const),
      );
    };
    expect((await beneath()).filter(([, isThere]) => !isThere)).toEqual([]);
    const beside = await ledger();
    expect(beside).toMatchObject({
      balanced: true,
      missing: [],
      planned: { left: before.planned.left + 2, gone: before.planned.gone },
    });
    world.clock.advance(95 * DAY_MS);
    await retire();
    expect(await ledger()).toEqual({ ...beside, asOf: expect.any(Number) });
    await later(95);
    const totals = (await wholeReport(world.dataSource, second.id)).totals;
    await retire();
    expect(await kept(second.sends)).toEqual([]);
    expect((await wholeReport(world.dataSource, second.id)).totals).toMatchObject({
      sends: totals.sends,
      devices: totals.devices,
      gone: 2,
    });
    // Nor is anything that belonged to them.
    expect((await beneath()).filter(([, isThere]) => isThere)).toEqual([]);
    expect(await ledger()).toMatchObject({
      balanced: true,
      missing: [],
      planned: { left: beside.planned.left, gone: beside.planned.left },
    });
  });

  it('shows percentiles at most 2 % off, and the longest as it was, of however many lengths', async () => {
    const { id } = await campaign(...Array<'sent'>(60).fill('sent'));
    const before = (await wholeReport(world.dataSource, id)).totals.lateness.immediate;
    await later(95);
    await retire();
    const { gone, lateness } = (await wholeReport(world.dataSource, id)).totals;
    const after = lateness.immediate;
    expect(gone).toBe(60);
    expect([after.count, after.maxMs]).toEqual([60, before.maxMs]);
    for (const part of ['p50Ms', 'p95Ms', 'p99Ms'] as const) {
      expect(Math.abs((after[part] ?? NaN) / (before[part] ?? NaN) - 1)).toBeLessThan(0.02);
      expect(after[part]).toBeLessThanOrEqual(after.maxMs ?? NaN);
    }
  });

  it('leaves what is open, however old it is, and its history goes on', async () => {
    const { sends } = await world.planned({ audience: users(1) });
    const [send = ''] = sends;
    await later(95);
    await retire();
    expect(await kept(sends)).toMatchObject([{ place: 'send_open', recipients: 'send_recipients_open' }]);
    await world.lead(send, ['sending', 'uncertain', 'sent'], { target_count: 1, sent_count: 1 });
    while ((await world.closeFinished.runOnce()) > 0);
    const history = 'select to_state from send_history where send = $1 order by sequence';
    expect((await world.rows<{ to_state: string }>(history, [send])).map((row) => row.to_state)).toEqual([
      'planned',
      'sending',
      'uncertain',
      'sent',
    ]);
  });

  it('leaves what a standing message had come to day by day, in the report of its campaign', async () => {
    const { id, sends } = await world.planned({ delivery: { kind: 'schedule', scheduleCode: 'WEEKLY' } });
    const [send = ''] = sends;
    await world.lead(send, ['sending', 'scheduled'], { request_id: 'w', target_count: 5, sent_count: 2 });
    await counted(send, 2);
    await world.lead(send, ['failed'], { target_count: 5, sent_count: 0 });
    const again = await retryOf(send);
    await world.lead(again, ['sending', 'scheduled'], { request_id: 'v', target_count: 5, sent_count: 3 });
    await counted(again, 3);
    await later(1);
    await counted(again, 4);
    await world.lead(again, ['sent'], { target_count: 5, sent_count: 4 });
    while ((await world.closeFinished.runOnce()) > 0);
    const before = await standingDays(world.dataSource, id);
    // Of its newest send alone: the send before it is not counted beside it.
    expect(before.map(({ sent }) => sent)).toEqual([3, 4]);
    const ofOne = await standingDays(world.dataSource, id, 'once');
    await later(95);
    await retire();
    expect(await kept([send, again])).toEqual([]);
    expect(await standingDays(world.dataSource, id)).toEqual(before);
    expect(await standingDays(world.dataSource, id, 'once')).toEqual(ofOne);
    expect((await wholeReport(world.dataSource, id)).totals.devices.sent).toBe(before.at(-1)?.sent);
    await later(1_200);
    await retire();
    expect(await world.count('campaign')).toBe(0);
    expect(await world.count('standing_count')).toBe(0);
  });
});
