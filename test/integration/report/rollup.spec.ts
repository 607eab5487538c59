// Rollups together with the rows that they lack equal a full recount at any moment: after random histories, with rollers side by side,
// and with one that dies between any two of its statements (docs/decisions/0054).
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { inSnapshot } from '../../../src/platform/database/snapshot.js';
import { shownLengths } from '../../../src/scheduler/report/over-campaigns/lateness.js';
import {
  OCCURRENCE_STATES,
  OPEN_OCCURRENCE,
} from '../../../src/scheduler/decide/lifecycle/campaign-state.js';
import { ENDED_STATES, SEND_TERMS } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { LENGTH_KINDS, BY_HOURS } from '../../../src/scheduler/store/rollup/counted-sends.js';
import { hourly } from '../../../src/scheduler/store/rollup/sums.js';
import { DEVICE_TERMS } from '../../../src/scheduler/report/figures/report-figures.js';
import {
  groupedPage,
  groupedTotals,
} from '../../../src/scheduler/report/over-campaigns/grouped-report.store.js';
import { LENGTHS_REPORT } from '../../../src/scheduler/report/over-campaigns/lateness.store.js';
import type { GroupKey, ReportFilter } from '../../../src/scheduler/report/over-campaigns/grouped-rows.js';
import { rollUpBehind } from '../../../src/scheduler/outcomes/rollup/roll-up.store.js';
import { summaryReport } from '../../../src/scheduler/report/over-campaigns/summary.store.js';
import { eventually } from '../../support/eventually.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { figuresOfJson } from '../../support/scheduler/report-figures.js';
import { dyingAt, rollerOf, rollUpAll } from '../../support/scheduler/rollers.js';
import { randomOf } from '../../support/seeded.js';
import { START, World } from '../../support/scheduler/world.js';
import { figuresOf, Histories, lengthsOf, MINUTE_MS, type KeptSend } from './histories.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await drain();
  await world.clear();
  await world.project();
});

const drain = (): Promise<void> => rollUpAll(world.dataSource);

/** What the histories led to. */
const seen = new Set<string>();
const all: ReportFilter = { serviceIds: null };
const page = { after: undefined, limit: 10_000 };

const KEYS: Partial<Record<GroupKey, (send: KeptSend) => string | null>> = {
  minute: ({ due }) =>
    due && `${new Date(Math.floor(due.getTime() / MINUTE_MS) * MINUTE_MS).toISOString().slice(0, 19)}Z`,
  hour: ({ due }) => due && `${due.toISOString().slice(0, 13)}:00:00Z`,
  zone: ({ zone }) => zone,
  campaign: ({ campaign }) => campaign,
  mode: ({ mode }) => mode,
  code: ({ code }) => code,
};

function grouped(sends: readonly KeptSend[], keys: readonly GroupKey[]): Map<string, KeptSend[]> {
  const groups = new Map<string, KeptSend[]>();
  for (const send of sends) {
    const name = JSON.stringify(Object.fromEntries(keys.map((key) => [key, KEYS[key]?.(send) ?? null])));
    groups.set(name, [...(groups.get(name) ?? []), send]);
  }
  return groups;
}

/** All, a campaign's, or what is due in some minutes: none, some or all of them of whole hours. */
function someFilter(kept: readonly KeptSend[]): ReportFilter {
  if (lot() < 0.3) return all;
  const { campaign } = kept[Math.floor(lot() * kept.length)] ?? {};
  if (lot() < 0.3) return { ...all, campaign };
  const minute = Math.floor(START / MINUTE_MS) - 75 + Math.floor(lot() * 140);
  const from = minute * MINUTE_MS;
  const to = (minute + 1 + Math.floor(lot() * 150)) * MINUTE_MS;
  return { ...all, ...(lot() < 0.8 && { from }), ...(lot() < 0.8 && { to }) };
}
/** Apart from the histories', which are to stay as they are. */
const lot = randomOf(54);

const isIn =
  ({ from = -Infinity, to = Infinity, campaign }: ReportFilter) =>
  ({ due, campaign: of }: KeptSend): boolean =>
    (campaign ?? of) === of &&
    (due === null ? from === -Infinity && to === Infinity : due.getTime() >= from && due.getTime() < to);

async function expectAgreement(histories: Histories): Promise<void> {
  const kept = await histories.sends();
  for (const name of Object.keys({ ...figuresOf(kept), ...lengthsOf(kept) })) seen.add(name);
  const filter = someFilter(kept);
  const sends = kept.filter(isIn(filter));
  const by = histories.pick<readonly GroupKey[]>([
    ['minute', 'zone'],
    ['hour', 'zone'],
    ['zone'],
    ['campaign', 'mode'],
    ['code'],
    ['mode', 'minute'],
  ]);
  await inSnapshot(world.dataSource, async (sql) => {
    // Of hours where the rows may be of minutes.
    expect(figuresOfJson(await groupedTotals(sql, summaryReport(false), filter))).toEqual(figuresOf(sends));
    const { totals, rows } = await groupedPage(sql, summaryReport(false), { by, filter, order: 'key' }, page);
    expect(figuresOfJson(totals)).toEqual(figuresOf(sends));
    expect(
      Object.fromEntries(rows.map((row) => [JSON.stringify(row.key), figuresOfJson(row.figures)])),
    ).toEqual(Object.fromEntries([...grouped(sends, by)].map(([name, group]) => [name, figuresOf(group)])));
    const reasons = rows.flatMap((row) => row.figures.reasons).reduce((sum, reason) => sum + reason.sends, 0);
    const open = (term: string): number => figuresOf(sends)[`sends.${term}`] ?? 0;
    expect(reasons).toBe(sends.length - open('sent') - open('open') - open('standing'));
    const lengths = await groupedPage(sql, LENGTHS_REPORT, { by: ['zone'], filter, order: 'key' }, page);
    const inZones = grouped(sends, ['zone']);
    for (const [name, group] of inZones) {
      const found = lengths.rows.find(({ key }) => JSON.stringify(key) === name)?.figures ?? {};
      expectLengths(shownLengths(found), lengthsOf(group));
    }
    expectLengths(shownLengths(lengths.totals), lengthsOf(sends));
  });
}

/** The sums by hour over all campaigns equal the sums by minute of each campaign. */
async function expectHours(): Promise<void> {
  for (const sums of BY_HOURS) {
    const { table, keys } = hourly(sums);
    const cut = keys.map((name) =>
      name === 'minute' ? "date_trunc('hour', minute, 'UTC') as minute" : name,
    );
    const added = sums.added.map((name) => `sum(${name}) as ${name}`).join(', ');
    const summed = (columns: readonly string[], from: string): string =>
      `select ${columns.join(', ')}, ${added} from ${from} group by ${keys.map((_, at) => at + 1).join(', ')} having sum(sends) <> 0`;
    const [minutes, hours] = [summed(cut, sums.table), summed(keys, table)];
    expect(
      await world.dataSource.query(`(${minutes} except ${hours}) union all (${hours} except ${minutes})`),
    ).toEqual([]);
  }
}

function expectLengths(shown: ReturnType<typeof shownLengths>, recount: Record<string, number[]>): void {
  for (const [kind, { count, p50Ms, p99Ms, maxMs, buckets }] of Object.entries(shown)) {
    const lengths = recount[kind] ?? [];
    expect([kind, count, maxMs]).toEqual([kind, lengths.length, lengths.at(-1) ?? null]);
    expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(count);
    for (const [share, ms] of [
      [0.5, p50Ms],
      [0.99, p99Ms],
    ] as const) {
      const exact = lengths[Math.ceil(share * lengths.length) - 1];
      if (exact !== undefined)
        expect(Math.abs((ms ?? NaN) - exact)).toBeLessThanOrEqual(Math.abs(exact) * 0.02 + 0.001);
    }
  }
}

it.each(Array.from({ length: 8 }, (_, seed) => seed + 1))(
  'agrees with a recount at any moment of a random history: seed %i',
  async (seed) => {
    const histories = new Histories(world, seed);
    for (let step = 0; step < 120; step += 1) {
      await histories.step();
      const dice = histories.chance();
      const rows = 1 + Math.floor(histories.chance() * 12);
      const roll = (parts = {}) => rollerOf(world.dataSource, { rows, ...parts }).runOnce();
      if (dice < 0.1) await Promise.all([roll(), roll()]);
      else if (dice < 0.2) await roll();
      else if (dice < 0.25)
        await roll({
          inTransaction: dyingAt(world.dataSource, 1 + Math.floor(histories.chance() * 5)),
        }).catch(() => undefined);
      if (step % 6 === 0) await expectAgreement(histories);
    }
    await drain();
    expect(await rollUpBehind(world.dataSource, new Date(START))).toMatchObject({ events: 0 });
    await expectAgreement(histories);
    await expectHours();
    const rolled = await world.dataSource.query<{ sends: number }>(
      'select sum(sends)::int as sends from send_rollup',
    );
    const ended = (await histories.sends()).filter(({ state }) => ENDED_STATES.includes(state));
    expect(rolled[0]?.sends ?? 0).toBe(ended.length);
  },
);

it('has led sends into every term, and measured every kind', () => {
  expect([...seen].sort()).toEqual(
    [
      'planned',
      ...SEND_TERMS.map((term) => `sends.${term}`),
      ...DEVICE_TERMS.map((term) => `devices.${term}`),
      ...LENGTH_KINDS,
    ].sort(),
  );
});

it('looks for open sends in the occurrences that the lifecycle and the index call open', async () => {
  const plan = await world.dataSource.transaction(async (sql) => {
    // So few rows are read as a whole, where that may be.
    await sql.query('set local enable_seqscan = off');
    return sql.query<{ 'QUERY PLAN': string }>('explain select from open_occurrences(null, null, null)');
  });
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(
    /Index.* on occurrence_open|using occurrence_open/,
  );
  const [{ index } = { index: '' }] = await world.dataSource.query<{ index: string }>(
    `select pg_get_indexdef('occurrence_open'::regclass) as index`,
  );
  for (const state of OCCURRENCE_STATES)
    expect([state, index.includes(`'${state}'`)]).toEqual([state, OPEN_OCCURRENCE.includes(state)]);
});

it('counts open sends of one cell and minute together, each as what it is', async () => {
  const campaign = await world.campaign();
  const after = (seconds: number): Date => new Date(START + seconds * 1_000);
  const kinds: readonly Partial<Record<string, unknown>>[] = [
    {},
    { due_at: after(20) },
    { due_at: after(20), first_due: after(1) },
    { mode: 'reserved', state: 'reserved', request_id: 'r', answered_at: after(1), target_count: 3 },
    { mode: 'reserved', state: 'reserved', request_id: 'r', complete_time: after(7) },
    { state: 'accepted', request_id: 'r', answered_at: after(2) },
    { state: 'accepted', request_id: 'r', answered_at: after(2), retry_of: v7() },
    { state: 'accepted', answered_at: after(2) },
    { state: 'accepted', request_id: 'r', answered_at: after(2), target_count: 5, sent_count: 2 },
    { state: 'held', code: 'HELD' },
    { state: 'uncertain', request_id: 'r', target_count: 4 },
  ];
  for (const [kind, columns] of kinds.entries())
    for (let n = 0; n < 3; n += 1) await world.send({ campaign, chunk: 3 * kind + n, columns });
  const counted = 'select weight from lacking_sends(null, null, null, $1)';
  expect(await world.dataSource.query(counted, [ENDED_STATES])).toEqual(kinds.map(() => ({ weight: 3 })));
  const histories = new Histories(world, 98);
  for (let n = 0; n < 5; n += 1) await expectAgreement(histories);
});

it('adds what committed late, beyond whose hole it has read long ago', async () => {
  const histories = new Histories(world, 99);
  const late = await world.send({ state: 'accepted' });
  const other = await OwnConnection.beside(world.dataSource);
  await other.query('begin');
  await other.query(
    "update send set state = 'sent', changes = changes + 1, state_at = $2, state_by = 'spec', target_count = 7, sent_count = 7 where id = $1",
    [late, new Date(START)],
  );
  const prompt = await world.send({ state: 'accepted' });
  await world.dataSource.query(
    "update send set state = 'failed', changes = changes + 1, state_at = $2, state_by = 'spec', target_count = 2, sent_count = 0 where id = $1",
    [prompt, new Date(START)],
  );
  await drain();
  await expectAgreement(histories);
  await other.query('commit');
  await other.release();
  await expectAgreement(histories);
  await drain();
  await expectAgreement(histories);
  expect(await world.dataSource.query('select sent::int as sent from send_rollup order by sent')).toEqual([
    { sent: 0 },
    { sent: 7 },
  ]);
});

it('leaves to the next page what commits between its statement and the read of its events', async () => {
  const histories = new Histories(world, 100);
  const sent = await world.send({ state: 'accepted' });
  const other = await OwnConnection.beside(world.dataSource);
  await other.query('begin');
  // Only the function that reads the events reads the cursor: the page waits there, its snapshot taken.
  await other.query('lock table outcome_cursor_turn in access exclusive mode');
  const rolling = rollerOf(world.dataSource).runOnce();
  await untilLockAwaited((text) => world.dataSource.query(text), { like: '%read_log%' });
  await world.dataSource.query(
    "update send set state = 'sent', changes = changes + 1, state_at = $2, state_by = 'spec', target_count = 7, sent_count = 7 where id = $1",
    [sent, new Date(START)],
  );
  await other.query('commit');
  await other.release();
  await rolling;
  await drain();
  await expectAgreement(histories);
  expect(await world.dataSource.query('select state, sent::int as sent from send_rollup')).toEqual([
    { state: 'sent', sent: 7 },
  ]);
});

it('fills the hole of a rollback once nobody can fill it', async () => {
  const other = await OwnConnection.beside(world.dataSource);
  const campaign = await world.campaign();
  const [first, second] = [
    await world.send({ state: 'accepted', campaign }),
    await world.send({ state: 'accepted', campaign, chunk: 1 }),
  ];
  const move =
    "update send set state = 'sent', changes = changes + 1, state_at = $2, state_by = 'spec' where id = $1";
  await other.query('begin');
  await other.query(move, [first, new Date(START)]);
  await world.dataSource.query(move, [second, new Date(START)]);
  await drain();
  await other.query('rollback');
  await other.release();
  const roller = rollerOf(world.dataSource);
  await eventually(async () => {
    await roller.runOnce();
    const [row] = await world.dataSource.query<{ holes: number }>(
      "select sum((select count(*) - 1 from unnest(done)))::int as holes from outcome_cursor where consumer = 'rollup'",
    );
    expect(row?.holes).toBe(0);
  });
});
