// Breakdowns in the sums of reports. At any moment of a random history each device is counted once, under the kind that was reported
// for it or under `all`, whichever process dies. Nothing is kept for longer than it is of use (docs/decisions/0055).
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inSnapshot } from '../../../src/platform/database/snapshot.js';
import type { RollerDeps } from '../../support/scheduler/rollers.js';
import { areSums } from '../../../src/scheduler/report/over-campaigns/summary.js';
import {
  deleteOldBreakdowns,
  giveUpBreakdowns,
  putBackBreakdowns,
  takeBreakdowns,
  recordBreakdown,
  type DueBreakdown,
} from '../../../src/scheduler/store/rollup/breakdown.store.js';
import { type ReportedGroup } from '../../../src/scheduler/store/rollup/reported-group.js';
import {
  groupedPage,
  groupedTotals,
} from '../../../src/scheduler/report/over-campaigns/grouped-report.store.js';
import type { GroupKey, ReportFilter } from '../../../src/scheduler/report/over-campaigns/grouped-rows.js';
import { coarsenRollups } from '../../../src/scheduler/outcomes/rollup/roll-up.store.js';
import { insertRetries } from '../../../src/scheduler/store/send/retry.store.js';
import {
  summaryReport,
  type SummaryFigures,
} from '../../../src/scheduler/report/over-campaigns/summary.store.js';
import { sendPage } from '../../../src/scheduler/store/read/send-view.store.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { figuresOfJson } from '../../support/scheduler/report-figures.js';
import { dyingAt, rollerOf, rollUpAll } from '../../support/scheduler/rollers.js';
import { SERVICE, START, World, type SendSeed } from '../../support/scheduler/world.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { retentionBuilders } from '../../support/scheduler/retention-builders.js';
import { PlanWorld } from '../../support/scheduler/plan-world.js';
import { figuresOf, Histories, type KeptSend } from './histories.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await drain();
  await world.clear();
  await world.project({ extensions: ['result-breakdown'] });
});

const rows = <Row>(text: string, parameters: unknown[] = []): Promise<Row[]> =>
  world.dataSource.query<Row>(text, parameters);
const rollOnce = (deps: Partial<RollerDeps>): Promise<number> =>
  rollerOf(world.dataSource, { breakdownFrom: 1, ...deps }).runOnce();
const drain = (breakdownFrom = 1): Promise<void> => rollUpAll(world.dataSource, { breakdownFrom });
const dueAt = (at: number): Promise<DueBreakdown[]> =>
  takeBreakdowns(world.dataSource, {
    now: new Date(at),
    room: 1_000,
    limit: 1_000,
    round: 1,
    smallShare: 1_000,
  });

const all: ReportFilter = { serviceIds: null };
const page = { after: undefined, limit: 10_000 };

const KINDS = [
  { device_type: 'GCM', country: 'KR', language: 'ko' },
  { device_type: 'GCM', country: 'US', language: 'en' },
  { device_type: 'APNS', country: 'US', language: 'en' },
] as const;

/** A breakdown that a gateway may answer with: each device is of some kind. */
function groupsOf({ target, sent }: DueBreakdown, chance: () => number): ReportedGroup[] {
  const groups: ReportedGroup[] = [];
  const add = (outcome: ReportedGroup['outcome'], reason: string | null, devices: number): void => {
    let left = devices;
    for (const [index, kind] of KINDS.entries()) {
      const some = index === KINDS.length - 1 ? left : Math.floor(chance() * (left + 1));
      if (some > 0) groups.push({ ...kind, outcome, reason, devices: some });
      left -= some;
    }
  };
  add('sent', null, sent);
  const unknown = Math.floor(chance() * (target - sent + 1));
  add('failed', 'REJECTED', target - sent - unknown);
  add('unknown', null, unknown);
  add('suppressed', chance() < 0.5 ? 'NIGHT' : 'NO_AD_AGREEMENT', Math.floor(chance() * 20));
  return groups;
}

type Place = Pick<ReportedGroup, 'device_type' | 'country' | 'language'>;
const ALL: Place = { device_type: 'all', country: 'all', language: 'all' };
const KEYS: Partial<Record<GroupKey, (send: KeptSend, place: Place) => string | null>> = {
  deviceType: (_, { device_type: type }) => type,
  country: (_, { country }) => country,
  language: (_, { language }) => language,
  zone: ({ zone }) => zone,
  mode: ({ mode }) => mode,
  code: ({ code }) => code,
  campaign: ({ campaign }) => campaign,
};

/** Figures by keys, counted anew: devices with a breakdown under its keys, all others under `all`. */
function recount(
  sends: readonly KeptSend[],
  reported: ReadonlyMap<string, readonly ReportedGroup[]>,
  by: readonly GroupKey[],
): Record<string, Record<string, number>> {
  const groups: Record<string, Record<string, number>> = {};
  const add = (send: KeptSend, place: Place, name: string, number: number): void => {
    const key = JSON.stringify(Object.fromEntries(by.map((one) => [one, KEYS[one]?.(send, place) ?? null])));
    const group = (groups[key] ??= {});
    group[name] = (group[name] ?? 0) + number;
    if (group[name] === 0) delete group[name];
  };
  for (const send of sends) {
    for (const [name, number] of Object.entries(figuresOf([send]))) add(send, ALL, name, number);
    for (const { outcome, devices, ...place } of reported.get(send.id) ?? []) {
      add(send, place, `reported.${outcome === 'not-reported' ? 'notReported' : outcome}`, devices);
      if (outcome === 'suppressed' || outcome === 'not-reported') continue;
      for (const name of ['devices.target', outcome === 'sent' ? 'devices.sent' : 'devices.failed']) {
        add(send, place, name, devices);
        add(send, ALL, name, -devices);
      }
    }
  }
  return Object.fromEntries(Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0));
}

/** The members that both sides of a row have. */
const figuresIn = ({ sends, devices, reasons, final, reported }: SummaryFigures): SummaryFigures => ({
  sends,
  devices,
  reasons,
  final,
  ...(reported !== undefined && { reported }),
});

/** Also beside itself, each row being the same on both sides. */
async function expectAgreement(
  sends: readonly KeptSend[],
  reported: ReadonlyMap<string, readonly ReportedGroup[]>,
  by: readonly GroupKey[],
): Promise<void> {
  await inSnapshot(world.dataSource, async (sql) => {
    const totals = await groupedTotals(sql, summaryReport(true), all);
    const { totals: ofPage, rows: found } = await groupedPage(
      sql,
      summaryReport(true),
      { by, filter: all, order: 'key' },
      page,
    );
    expect(ofPage).toEqual(totals);
    expect(
      Object.fromEntries(found.map((row) => [JSON.stringify(row.key), figuresOfJson(row.figures)])),
    ).toEqual(recount(sends, reported, by));
    expect(
      areSums(
        totals,
        found.map(({ figures }) => figures),
      ),
    ).toBe(true);
    const against = { filter: all, laterHours: 0 };
    const beside = await groupedPage(
      sql,
      summaryReport(true),
      { by, filter: all, order: 'key', against },
      page,
    );
    expect(beside.totals).toEqual(totals);
    expect(beside.rows.map(({ compared, ...row }) => [row, compared])).toEqual(
      found.map((row) => [row, expect.objectContaining(figuresIn(row.figures))]),
    );
    const { reported: _, ...figures } = totals;
    expect(figures).toEqual(await groupedTotals(sql, summaryReport(false), all));
  });
}

/** What BI tools read is what the recount has, once all is rolled up. */
async function expectView(
  sends: readonly KeptSend[],
  reported: ReadonlyMap<string, readonly ReportedGroup[]>,
): Promise<void> {
  const counted: Record<string, number> = {};
  for (const { id } of sends)
    for (const { device_type: type, language, outcome, devices } of reported.get(id) ?? []) {
      const key = [type, language, outcome].join();
      counted[key] = (counted[key] ?? 0) + devices;
    }
  const shown = await rows<{ key: string; devices: number }>(
    `select concat_ws(',', device_type, language, outcome) as key, sum(devices)::int as devices from report_breakdown group by 1`,
  );
  expect(Object.fromEntries(shown.map(({ key, devices }) => [key, devices]))).toEqual(counted);
}

it('the view has a comment on each column', async () => {
  const uncommented = await rows(
    `select attname from pg_attribute a where attrelid = 'report_breakdown'::regclass and attnum > 0 and col_description(attrelid, attnum) is null`,
  );
  expect(uncommented).toEqual([]);
});

/** Two processes that asked at once record it; returns how many of them were first. */
async function recordedByTwo(send: string, groups: readonly ReportedGroup[]): Promise<number> {
  const both = await Promise.all([1, 2].map(() => recordBreakdown(world.dataSource, send, groups)));
  return both.filter(Boolean).length;
}
const expectOnce = (times: number): void => expect(times).toBe(1);

describe('at any moment of a random history', () => {
  const seen = new Set<string>();

  it.each(Array.from({ length: 6 }, (_, seed) => seed + 1))(
    'each device is counted once, under its reported keys or under all: seed %i',
    async (seed) => {
      const histories = new Histories(world, seed);
      const reported = new Map<string, readonly ReportedGroup[]>();
      for (let step = 0; step < 120; step += 1) {
        await histories.step();
        const dice = histories.chance();
        const most = 1 + Math.floor(histories.chance() * 12);
        if (dice < 0.2) await rollOnce({ rows: most });
        else if (dice < 0.3)
          await rollOnce({
            rows: most,
            inTransaction: dyingAt(world.dataSource, 1 + Math.floor(histories.chance() * 6)),
          }).catch(() => undefined);
        if (histories.chance() < 0.3)
          for (const one of (await dueAt(START + step * 600_000)).slice(0, 2)) {
            const groups = groupsOf(one, histories.chance);
            expectOnce(await recordedByTwo(one.send, groups));
            reported.set(one.send, groups);
            for (const { outcome } of groups) seen.add(outcome);
          }
        if (step % 8 !== 0) continue;
        const sends = await histories.sends();
        if ([...reported.keys()].some((id) => !sends.some((send) => send.id === id))) seen.add('retried');
        await expectAgreement(
          sends,
          reported,
          histories.pick<readonly GroupKey[]>([
            ['deviceType', 'country'],
            ['language'],
            ['zone', 'deviceType'],
            ['code', 'language'],
            ['campaign', 'mode'],
            ['mode'],
          ]),
        );
      }
      await drain();
      const sends = await histories.sends();
      await expectAgreement(sends, reported, ['deviceType', 'language']);
      await expectView(sends, reported);
      const ofRetried = await rows(
        'select from send_breakdown b join send s on s.id = b.send where s.next_send is not null',
      );
      expect(ofRetried).toEqual([]);
    },
  );

  it('has seen every outcome, and retries of sends with a breakdown', () => {
    expect([...seen].sort()).toEqual(['failed', 'retried', 'sent', 'suppressed', 'unknown']);
  });
});

const LATER = new Date(START + 60_000);
/** A send that ended so, as the follower writes it. */
async function ended(state: string, target: number | null, seed: SendSeed = {}): Promise<string> {
  const id = await world.send({ state: 'accepted', ...seed, columns: { request_id: 'r', ...seed.columns } });
  await rows(
    `update send set state = $2, changes = changes + 1, state_at = $3, state_by = 'spec', target_count = $4, sent_count = $5
      where id = $1`,
    [id, state, LATER, target, state === 'sent' ? target : 0],
  );
  return id;
}
const some = (devices: number, outcome: ReportedGroup['outcome'] = 'sent'): ReportedGroup[] => [
  { ...KINDS[0], outcome, reason: null, devices },
];
const waiting = async (): Promise<string[]> =>
  (await rows<{ send: string }>('select send from send_breakdown where reported is null order by send')).map(
    ({ send }) => send,
  );
const sums = (): Promise<{ outcome: string; reason: string | null; devices: number }[]> =>
  rows(
    'select outcome, reason, sum(devices)::int as devices from breakdown_rollup group by 1, 2 having sum(devices) <> 0 order by 1, 2',
  );

describe('the push service is asked about a send', () => {
  const everybody = { type: 'ALL' };

  it('of so many devices on, where its project has the extension', async () => {
    const [enough] = [await ended('sent', 100), await ended('sent', 99)];
    await drain(100);
    expect(await waiting()).toEqual([enough]);
    expect(await dueAt(START)).toEqual([]);
    expect(await dueAt(LATER.getTime())).toEqual([
      {
        send: enough,
        serviceId: SERVICE,
        requestId: 'r',
        recipients: null,
        target: 100,
        sent: 100,
        asked: 0,
      },
    ]);
  });

  it('of any size that fell short of its devices or of its ids, the large ones first', async () => {
    const ids = async (state: 'sent' | 'failed' | 'empty', target: number, recipients: number | null) => {
      const campaign = await world.campaign({ target: everybody });
      return ended(state, target, { campaign, columns: { request_id: 'r', recipients } });
    };
    const large = [await ids('empty', 0, null), await ids('empty', 0, 100), await ids('sent', 99, 120)];
    const small = [await ids('failed', 3, 3), await ids('empty', 0, 99), await ids('sent', 2, 3)];
    await ids('sent', 3, 3);
    await ids('sent', 4, 3);
    await drain(100);
    expect(await waiting()).toEqual([...large, ...small].toSorted());
    const taken = (smallShare: number) =>
      takeBreakdowns(world.dataSource, { now: LATER, room: 10, limit: 10, round: 1, smallShare });
    expect((await taken(0)).map(({ send }) => send).toSorted()).toEqual(large.toSorted());
    expect((await taken(1)).map(({ send }) => send).toSorted()).toEqual(small.toSorted());
  });

  it('small ones share a part of the calls: in the long run no more, however slow the project is', async () => {
    await rows('update project set rate_per_second = 16');
    for (let n = 0; n < 150; n += 1) await ended('failed', 3);
    await drain(100);
    const takenIn = async (rounds: number, smallShare: number): Promise<number> => {
      let taken = 0;
      for (let round = 0; round < rounds; round += 1) {
        const scope = { now: LATER, room: 50, limit: 50, round, smallShare };
        taken += (await takeBreakdowns(world.dataSource, scope)).length;
      }
      return taken;
    };
    // A quarter of an eighth of 16 calls a second: one in two rounds of a second. Four standard deviations are 20.
    const slow = await takenIn(100, 1 / 32);
    expect(slow).toBeGreaterThan(30);
    expect(slow).toBeLessThan(70);
    await rows('update project set rate_per_second = 160');
    expect(await takenIn(10, 1 / 32)).toBe(50);
  });

  it('and its detail then says why, so that lists find it by the reason', async () => {
    const send = await ended('failed', 3);
    await drain(100);
    const kind = { device_type: 'GCM', country: 'KR', language: 'ko' };
    const reported: ReportedGroup[] = [
      { ...kind, outcome: 'failed', reason: 'UNREGISTERED', devices: 3 },
      { ...kind, outcome: 'suppressed', reason: 'NO_AD_AGREEMENT', devices: 4 },
    ];
    expect(await recordBreakdown(world.dataSource, send, reported)).toBe(true);
    expect(await rows('select detail from send where id = $1', [send])).toEqual([
      { detail: 'NO_AD_AGREEMENT: 4 devices, UNREGISTERED: 3 devices' },
    ]);
    const listed = async (reason: string) => {
      const filter = { serviceIds: null, newestOnly: true, reason };
      const found = await sendPage(world.dataSource, filter, { newest: true, from: undefined, limit: 5 });
      return found.rows.map(({ id }) => id);
    };
    expect(await listed('UNREGISTERED')).toEqual([send]);
    expect(await listed('NO_AD_AGREEMENT')).toEqual([send]);
    expect(await listed('AD_AGREEMENT')).toEqual([]);
  });

  it.each([
    ['that has no requestId', () => ended('sent', 500, { columns: { request_id: null } })],
    ['without a count', () => ended('sent', null)],
    [
      'that goes on',
      () => world.send({ state: 'uncertain', columns: { request_id: 'r', target_count: 500 } }),
    ],
  ])('not %s', async (_, make) => {
    await make();
    await drain(1);
    expect(await waiting()).toEqual([]);
  });

  it('not of a project without the extension, nor while it is blocked', async () => {
    await world.project({ service_id: 'plain-app' }, []);
    await ended('sent', 500, { serviceId: 'plain-app' });
    const own = await ended('sent', 500);
    await drain(1);
    expect(await waiting()).toEqual([own]);
    await rows('update send_breakdown set next_at = $1', [LATER]);
    await rows("update project set blocked_until = 'infinity', blocked_code = 'STOPPED'");
    expect(await dueAt(LATER.getTime())).toEqual([]);
    await rows('update project set blocked_until = $1', [LATER]);
    expect(await dueAt(LATER.getTime())).toHaveLength(1);
  });

  it('once at a time: what somebody took is due again when he puts it back, or does not come back in five minutes', async () => {
    const own = await ended('sent', 500);
    await drain();
    const at = LATER.getTime();
    const sends = async (now: number) => (await dueAt(now)).map(({ send }) => send);
    expect([await sends(at), await sends(at + 299_999), await sends(at + 300_000)]).toEqual([
      [own],
      [],
      [own],
    ]);
    await putBackBreakdowns(world.dataSource, [own], LATER);
    expect(await sends(at)).toEqual([own]);
  });
});

describe('a retry', () => {
  const retry = (of: string): Promise<unknown> =>
    insertRetries(world.dataSource, [{ of, id: v7(), dueAt: START }], START, 'spec');

  it('subtracts the breakdown of the send that it replaces, also before the retry is rolled up', async () => {
    const of = await ended('failed', 10);
    await drain();
    await recordBreakdown(world.dataSource, of, some(10, 'failed'));
    expect(await sums()).toEqual([{ outcome: 'failed', reason: null, devices: 10 }]);
    await retry(of);
    const byType = { by: ['deviceType'], filter: all, order: 'key' } as const;
    const shown = async () =>
      (await groupedPage(world.dataSource, summaryReport(true), byType, page)).rows.map(({ figures }) =>
        figuresOfJson(figures),
      );
    expect(await shown()).toEqual([{ planned: 1, 'sends.open': 1 }]);
    await drain();
    expect(await shown()).toEqual([{ planned: 1, 'sends.open': 1 }]);
    expect(await sums()).toEqual([]);
    expect(await rows('select from send_breakdown')).toEqual([]);
  });

  it('keeps it from being asked about, and what comes of a call under way from being added', async () => {
    const of = await ended('failed', 10);
    await drain();
    await retry(of);
    await drain();
    expect(await waiting()).toEqual([]);
    expect(await recordBreakdown(world.dataSource, of, some(10, 'failed'))).toBe(false);
    expect(await sums()).toEqual([]);
  });

  it('that is rolled up before the end of the send that it replaces leaves nothing behind', async () => {
    const of = await ended('failed', 10);
    await retry(of);
    await rollOnce({ rows: 0 });
    await drain();
    expect(await rows('select from send_breakdown')).toEqual([]);
  });

  it('waits for a process that records a breakdown of that send at the same moment, and subtracts that breakdown', async () => {
    const of = await ended('failed', 10);
    await drain();
    await retry(of);
    const other = await OwnConnection.beside(world.dataSource);
    await other.query('begin');
    await recordBreakdown(other, of, some(10, 'failed'));
    const rolled = drain();
    await untilLockAwaited((text) => rows(text), { like: '%withdrawn%' });
    await other.query('commit');
    await other.release();
    await rolled;
    expect(await sums()).toEqual([]);
    expect(await rows('select from send_breakdown')).toEqual([]);
  });
});

describe('nothing stays for ever', () => {
  it('what is not reported within a week is given up, and says why', async () => {
    const [silent, reported] = [await ended('sent', 10), await ended('sent', 20)];
    await drain();
    await rows("update send_breakdown set last_code = 'UNREAD' where send = $1", [silent]);
    expect(await giveUpBreakdowns(world.dataSource, new Date(LATER.getTime() - 1), 10)).toBe(0);
    await recordBreakdown(world.dataSource, reported, some(20));
    expect(await giveUpBreakdowns(world.dataSource, LATER, 10)).toBe(1);
    expect(await sums()).toEqual([
      { outcome: 'not-reported', reason: 'UNREAD', devices: 10 },
      { outcome: 'sent', reason: null, devices: 20 },
    ]);
    const [row] = await groupedPage(
      world.dataSource,
      summaryReport(true),
      { by: ['deviceType'], filter: all, order: '-key' },
      page,
    ).then((found) => found.rows.filter(({ key }) => key.deviceType === 'all'));
    expect(row?.figures).toMatchObject({
      devices: { target: 10 },
      reported: {
        devices: { notReported: 10 },
        reasons: [{ outcome: 'notReported', reason: 'UNREAD', devices: 10 }],
      },
    });
  });

  it('of a project whose extension is taken back nobody is asked any more', async () => {
    await ended('sent', 10);
    await ended('empty', 0);
    await drain(0);
    await rows("update project set extensions = '{}'");
    expect(await giveUpBreakdowns(world.dataSource, new Date(0), 10)).toBe(2);
    expect(await sums()).toEqual([{ outcome: 'not-reported', reason: 'NO_EXTENSION', devices: 10 }]);
    expect(await rows('select from send_breakdown')).toEqual([]);
  });

  it('minutes become hours and days without a device lost', async () => {
    const histories = new Histories(world, 77);
    for (let step = 0; step < 250; step += 1) await histories.step();
    await drain();
    const reported = new Map<string, readonly ReportedGroup[]>();
    for (const one of await dueAt(START)) {
      reported.set(one.send, groupsOf(one, histories.chance));
      await recordBreakdown(world.dataSource, one.send, reported.get(one.send) ?? []);
    }
    expect(reported.size).toBeGreaterThan(3);
    const sends = await histories.sends();
    for (const unit of ['hour', 'day'] as const) {
      while (((await coarsenRollups(world.dataSource, new Date(START + 86_400_000), unit, 2)) ?? 0) > 0);
      const fine = `select from breakdown_rollup where minute <> date_trunc('${unit}', minute, 'UTC')`;
      expect(await rows(fine)).toEqual([]);
      await expectAgreement(sends, reported, ['deviceType', 'zone']);
    }
  });
});

it('a cell that was split stands where it was asked for, and is split further by the breakdown', async () => {
  const campaign = await world.campaign();
  await rows("update cell set device_type = 'GCM' where campaign = $1", [campaign]);
  const [reported, gone] = [
    await ended('sent', 10, { campaign }),
    await ended('sent', 5, { campaign, chunk: 1 }),
  ];
  await drain();
  await recordBreakdown(world.dataSource, reported, some(10));
  await recordBreakdown(world.dataSource, gone, [
    {
      device_type: 'all',
      country: 'all',
      language: 'all',
      outcome: 'not-reported',
      reason: 'GONE',
      devices: 5,
    },
  ]);
  const ask = { by: ['deviceType', 'country'], filter: all, order: 'key' } as const;
  const { rows: found } = await groupedPage(world.dataSource, summaryReport(true), ask, page);
  expect(found.map((row) => [row.key, figuresOfJson(row.figures)])).toEqual([
    [
      { deviceType: 'GCM', country: 'KR' },
      { 'devices.target': 10, 'devices.sent': 10, 'reported.sent': 10 },
    ],
    [
      { deviceType: 'GCM', country: 'all' },
      { planned: 2, 'sends.sent': 2, 'devices.target': 5, 'devices.sent': 5, 'reported.notReported': 5 },
    ],
  ]);
});

describe('over the years', () => {
  let plan: PlanWorld;
  const { later, retire, campaign } = retentionBuilders(() => plan);
  beforeAll(async () => {
    plan = await PlanWorld.open();
    await plan.rows("update project set max_to = 1, extensions = '{result-breakdown}'");
    await dropDays(plan.dataSource);
    await later(0);
  });
  afterAll(() => plan.close());

  it('a breakdown is kept for as long as reports are, and may be subtracted for as long as its send is kept', async () => {
    const { id } = await campaign('sent', 'failed');
    await rollUpAll(plan.dataSource, { breakdownFrom: 1 });
    const scope = { now: new Date(plan.clock.now()), room: 10, limit: 10, round: 1, smallShare: 1_000 };
    for (const one of await takeBreakdowns(plan.dataSource, scope))
      await recordBreakdown(
        plan.dataSource,
        one.send,
        groupsOf(one, () => 0.3),
      );
    const reported = async () =>
      (await groupedTotals(plan.dataSource, summaryReport(true), { ...all, campaign: id })).reported?.devices;
    const before = await reported();
    expect(before).toMatchObject({ sent: 2 });
    expect(await deleteOldBreakdowns(plan.dataSource, 10)).toBe(0);
    expect(await plan.rows('select from send_breakdown')).toHaveLength(1);
    await later(93);
    await retire();
    expect(await deleteOldBreakdowns(plan.dataSource, 10)).toBe(1);
    expect(await reported()).toEqual(before);
    await later(1_100);
    await retire();
    expect(await plan.rows('select from breakdown_rollup')).toEqual([]);
  });
});
