// What analysts read by SQL is what the report, its CSV and the ledger have: over random histories, and once days are gone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  nextState,
  OBSERVATIONS,
  RETRYABLE_STATES,
  SEND_TERMS,
  type SendState,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';
import type { CampaignReport } from '../../../src/scheduler/report/campaign/report-json.js';
import { DEVICE_TERMS, REPORT_TERMS } from '../../../src/scheduler/report/figures/report-figures.js';

import { REPORT_VIEWS } from '../../../src/scheduler/report/figures/report-views.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { randomOf } from '../../support/seeded.js';
import { retentionBuilders } from '../../support/scheduler/retention-builders.js';
import { PlanWorld, users } from '../../support/scheduler/plan-world.js';
import { shownReport } from '../../support/scheduler/whole-report.js';

let world: PlanWorld;
const random = randomOf(20_270_301);
const below = (count: number): number => Math.floor(random() * count);
const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
const { later, ledger, retire, retryOf } = retentionBuilders(() => world);

const DAYS = 6;
const CAMPAIGNS = 8;
const ZONES = ['Asia/Seoul', 'Europe/Paris', 'America/New_York', 'Pacific/Auckland', 'Asia/Kathmandu'];

/** As far as chance leads it, along the arrows that there are; a send that another replaces has one. */
function randomWalk(): SendState[] {
  const path: SendState[] = [];
  let state: SendState = 'planned';
  for (let step = 0; step < 8; step += 1) {
    const next = OBSERVATIONS.flatMap((seen) => nextState(state, seen, 'canceled') ?? []).filter(
      (to) => to !== state && to !== 'held',
    );
    const mayRest = ['uncertain', 'scheduled'].includes(state) ? 3 : 12;
    if (next.length === 0 || below(mayRest) === 0) break;
    const to: SendState = state === 'planned' && below(5) > 0 ? 'sending' : oneOf(next);
    path.push(to);
    state = to;
  }
  return path;
}

/** Leads a send along a path of chance, with the numbers that come with it, and retries it where it may be. */
async function live(send: string, retries = 0): Promise<void> {
  const path = randomWalk();
  const target = below(30);
  const after = (most: number): Date => new Date(world.clock.now() + below(most));
  const answered = path.some((state) =>
    ['accepted', 'reserved', 'scheduled', 'sent', 'failed'].includes(state),
  );
  await world.lead(
    send,
    path,
    answered
      ? {
          request_id: `r-${send}`,
          answered_at: after(3_000),
          complete_time: below(2) === 0 ? null : after(90_000),
          target_count: target,
          sent_count: below(target + 1),
        }
      : {},
  );
  const last = path.at(-1);
  if (last === undefined || !RETRYABLE_STATES.includes(last) || retries === 3 || below(2) === 0) return;
  world.clock.advance(below(3_600_000));
  await live(await retryOf(send), retries + 1);
}

async function randomCampaign(): Promise<string> {
  const zones = ZONES.slice(0, 1 + below(ZONES.length));
  const { id, sends } = await world.planned(
    below(4) === 0
      ? { audience: users(1 + below(4)) }
      : {
          audience: null,
          messageType: oneOf(['AD', 'NOTIF']),
          delivery: {
            kind: 'recipient',
            local: new Date(world.clock.now() + 36 * 3_600_000).toISOString().slice(0, 16),
            segments: zones.map((zone) => ({ zone, audience: users(1 + below(3), zone) })),
          },
        },
  );
  for (const send of sends) await live(send);
  return id;
}

beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  await dropDays(world.dataSource);
  await later(0);
  for (let day = 0; day < DAYS; day += 1) {
    const made = [];
    while (made.length < CAMPAIGNS) made.push(await randomCampaign());
    // A campaign's test takes no part.
    const [test] = made;
    for (const table of ['occurrence', 'cell', 'send'])
      await world.damage(`update ${table} set occurrence = 'test-1' where campaign = $1`, [test]);
    while ((await world.closeFinished.runOnce()) > 0);
    await later(1);
  }
});
afterAll(() => world.close());

type Row = Readonly<Record<string, unknown>>;
const of = (view: string, campaign: string): Promise<Row[]> =>
  world.rows<Row>(`select * from ${view} where campaign = $1`, [campaign]);

/** The columns of a view that say what the figures of a report say. */
function figuresOf(row: Row): object {
  return {
    sends: Object.fromEntries(
      REPORT_TERMS.map((term) => [term, Number(row[term === 'planned' ? term : `sends_${term}`])]),
    ),
    devices: Object.fromEntries(DEVICE_TERMS.map((term) => [term, Number(row[`devices_${term}`])])),
    modes: Object.fromEntries(
      ['immediate', 'reserved', 'scheduled']
        .map((mode) => [mode, Number(row[`mode_${mode}`])] as const)
        .filter(([, count]) => count > 0),
    ),
    gone: Number(row['gone']),
    final: row['final'],
    balanced: row['balanced'],
  };
}

const KINDS = {
  immediate: (row) => row.lateness.immediate,
  reserved: (row) => row.lateness.reserved,
  deferral: (row) => row.deferral,
  'recovered-after': (row) => row.recoveredAfter,
} as const satisfies Record<string, (row: CampaignReport['totals']) => CampaignReport['totals']['deferral']>;

async function compareAll(): Promise<{ readonly gone: number }> {
  const campaigns = await world.rows<{ id: string }>('select id from campaign order by id');
  const sums = new Map<string, number>();
  const devicesOf = new Map<string, number>();
  let gone = 0;
  for (const { id } of campaigns) {
    const { json, csv } = await shownReport(world.dataSource, id);
    const [campaign = {}, ...others] = await of('report_campaign', id);
    expect(others).toEqual([]);
    const { sends, devices, modes, gone: ofThem, balanced } = json.totals;
    expect(figuresOf(campaign)).toEqual({ sends, devices, modes, gone: ofThem, balanced, final: json.final });
    gone += ofThem;
    for (const term of SEND_TERMS) sums.set(term, (sums.get(term) ?? 0) + sends[term]);
    for (const term of DEVICE_TERMS) devicesOf.set(term, (devicesOf.get(term) ?? 0) + devices[term]);

    const key = (row: Row): string => `${String(row['occurrence'])} ${String(row['cell'])}`;
    const cells = (await of('report_cell', id)).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    const rows = json.rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(cells.map((cell) => ({ cell: cell['cell'], zone: cell['zone'], ...figuresOf(cell) }))).toEqual(
      rows.map((row) => ({
        cell: row.cell,
        zone: row.zone,
        sends: row.sends,
        devices: row.devices,
        modes: row.modes,
        gone: row.gone,
        final: row.final,
        balanced: row.balanced,
      })),
    );
    for (const term of REPORT_TERMS)
      expect(csv.reduce((sum, line) => sum + Number(line[`sends.${term}`]), 0)).toBe(sends[term]);
    expect(csv.reduce((sum, line) => sum + Number(line['devices.sent']), 0)).toBe(devices.sent);
    const local = await world.rows(
      `select zone, to_char(due_local, 'YYYY-MM-DD"T"HH24:MI:SS') as local from report_cell where campaign = $1 order by occurrence, cell`,
      [id],
    );
    expect(local).toEqual(
      csv.map((line) => ({
        zone: line['zone'],
        local: `${line['localDate']}T${(line['localTime'] ?? '').padEnd(8, ':00')}`,
      })),
    );

    const lateness = await of('report_lateness', id);
    expect(
      new Set(lateness.map((row) => JSON.stringify([row['cell'], row['kind'], ...spreadOf(row)]))),
    ).toEqual(
      new Set(
        json.rows.flatMap((row) =>
          Object.entries(KINDS).flatMap(([kind, spread]) => {
            const { count, p50Ms, p95Ms, p99Ms, maxMs } = spread(row);
            return count === 0 ? [] : [JSON.stringify([row.cell, kind, count, p50Ms, p95Ms, p99Ms, maxMs])];
          }),
        ),
      ),
    );

    const single = await of('report_send', id);
    const counted = single.filter((row) => row['counted'] === true);
    expect(counted.length + ofThem).toBe(SEND_TERMS.reduce((sum, term) => sum + sends[term], 0));
    if (ofThem > 0) continue;
    for (const term of SEND_TERMS)
      expect(counted.filter((row) => row['term'] === term)).toHaveLength(sends[term]);
    for (const term of DEVICE_TERMS)
      expect(single.reduce((sum, row) => sum + Number(row[`devices_${term}`]), 0)).toBe(devices[term]);
    for (const [kind, column] of [
      ['immediate', 'immediate_late_ms'],
      ['reserved', 'reserved_late_ms'],
      ['deferral', 'deferral_ms'],
      ['recovered-after', 'recovered_after_ms'],
    ] as const) {
      const lengths = single.map((row) => row[column]).filter((ms) => ms !== null) as number[];
      const { count, maxMs } = KINDS[kind](json.totals);
      expect([lengths.length, lengths.length === 0 ? null : Math.max(...lengths)]).toEqual([count, maxMs]);
    }
  }
  const { planned, devices, missing } = await ledger();
  expect(Object.fromEntries(sums)).toEqual(planned.right);
  const { target, ...reached } = Object.fromEntries(devicesOf);
  expect(devices).toMatchObject({ left: target, right: reached, balanced: true });
  expect(missing.filter(({ code }) => code === 'DEVICES_UNBALANCED')).toEqual([]);
  return { gone };
}

const spreadOf = (row: Row): unknown[] =>
  ['count', 'p50_ms', 'p95_ms', 'p99_ms', 'max_ms'].map((name) =>
    row[name] === null ? null : Number(row[name]),
  );

describe('the views of reports', () => {
  it('show what the report, its CSV and the ledger show, of random histories, and still once their days are gone', async () => {
    // Of every end there is one, and retries of retries.
    const ends = await world.rows<{ term: string; retries: number }>(
      'select term, max(retries) as retries from report_send where counted group by term',
    );
    expect(new Set(ends.map(({ term }) => term))).toEqual(new Set(SEND_TERMS));
    expect(Math.max(...ends.map(({ retries }) => retries))).toBeGreaterThan(1);
    expect(await compareAll()).toEqual({ gone: 0 });

    await later(92);
    await retire();
    const { gone } = await compareAll();
    expect(gone).toBeGreaterThan(30);
    expect(await world.rows('select 1 from report_send where counted')).not.toEqual([]);
  });

  it('are named by the ledger, cell by cell, where the sums of devices that are gone do not agree', async () => {
    const [row] = await world.rows<{ campaign: string; occurrence: string; cell: string }>(
      `update send_rollup set sent = sent + 1 where ctid = (
         select ctid from send_rollup where state = 'sent' and occurrence not like 'test-%'
            and day < (select kept_from('send') at time zone 'UTC') limit 1)
       returning campaign, occurrence, cell`,
    );
    expect((await ledger()).missing.filter(({ code }) => code === 'DEVICES_UNBALANCED')).toMatchObject([
      { count: 1, rows: [{ row: `cell ${row?.campaign} ${row?.occurrence} ${row?.cell}` }] },
    ]);
    expect(await world.rows('select campaign from report_cell where not balanced')).toEqual([
      { campaign: row?.campaign },
    ]);
  });

  it('count sums whatever the search path of whoever asks is', async () => {
    const gone = async (): Promise<unknown> =>
      world.dataSource.transaction(async (sql) => {
        const before = await sql.query('select sum(gone)::int as gone from scheduler.report_campaign');
        await sql.query('set local search_path = pg_catalog');
        return [before, await sql.query('select sum(gone)::int as gone from scheduler.report_campaign')];
      });
    const [before, after] = (await gone()) as [{ gone: number }[], { gone: number }[]];
    expect(before[0]?.gone).toBeGreaterThan(30);
    expect(after).toEqual(before);
  });

  it('have a comment on each of them and on each of their columns', async () => {
    const rows = await world.rows<{ view: string; name: string | null; comment: string | null }>(
      `select c.relname as view, a.attname as name, col_description(c.oid, a.attnum) as comment
         from pg_class c join pg_attribute a on a.attrelid = c.oid where c.relname = any($1) and a.attnum > 0
       union all select relname, null, obj_description(oid, 'pg_class') from pg_class where relname = any($1)`,
      [Object.keys(REPORT_VIEWS)],
    );
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter(({ comment }) => comment === null || comment.trim() === '')).toEqual([]);
  });

  it('show nothing of recipients and tokens, nor texts of others that might', async () => {
    const read = await world.rows<{ column: string }>(
      `select distinct table_name || '.' || column_name as column from information_schema.view_column_usage
        where view_name = any($1) and view_schema = 'scheduler'`,
      [Object.keys(REPORT_VIEWS)],
    );
    const names = read.map(({ column }) => column);
    expect(names).toContain('send.state');
    expect(
      names.filter((name) => /send_recipients|target$|\.(detail|answer|state_by|data|token)$/.test(name)),
    ).toEqual([
      // How many devices; whom it goes to is cell.target.
      'send_rollup.target',
    ]);
  });
});
