// GET /v1/reports/summary and /lateness beside another campaign or the week before: the figures beside a row are those of the other
// side's own report under that key, and figures that are not kept are never shown as zero.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { LatenessReport } from '../../../src/scheduler/report/over-campaigns/lateness.js';
import { SummaryReport } from '../../../src/scheduler/report/over-campaigns/summary.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';
import { randomOf } from '../../support/seeded.js';
import { projectRoot } from '../../../tools/project.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OTHER = 'news-app';
const at = (days: number): string => new Date(START + days * DAY_MS).toISOString();

let world: World;
let scheduler: TestScheduler;
let analyst: string;
/** Nine hours after both weeks. */
const clock = new SteppedClock(START + 14 * DAY_MS + 9 * HOUR_MS);
const campaigns: string[] = [];

beforeAll(async () => {
  world = await World.open();
  await world.project();
  await world.project({ service_id: OTHER }, []);
  const chance = randomOf(31);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item;
  for (const zone of ['UTC', 'Asia/Seoul', 'America/New_York', 'UTC'])
    campaigns.push(await world.campaign({ zone, serviceId: campaigns.length === 3 ? OTHER : SERVICE }));
  for (let chunk = 0; chunk < 120; chunk += 1) {
    const campaign = pick(campaigns);
    const dueAt = START + Math.floor(chance() * 14 * 24) * HOUR_MS + 60_000 * pick([0, 1]);
    const serviceId = campaign === campaigns[3] ? OTHER : SERVICE;
    const send = await world.send({
      campaign,
      serviceId,
      dueAt,
      chunk,
      mode: pick(['immediate', 'reserved']),
    });
    const path = pick<readonly SendState[]>([[], ['sending', 'accepted', 'sent'], ['sending', 'rejected']]);
    for (const state of path)
      await world.dataSource.query(
        `update send set state = $2::text, changes = changes + 1, state_at = $3, state_by = 'spec', request_id = 'r', answered_at = $3,
                complete_time = $3, target_count = $4, sent_count = case when $2::text = 'sent' then $4::int else 0 end,
                code = case when $2::text = 'rejected' then 'BAD_TARGET' end
          where id = $1`,
        [send, state, new Date(dueAt + 1_000 + Math.floor(chance() * 5_000)), chunk],
      );
  }
  scheduler = await startScheduler(
    schedulerConfig(world.url, {
      CARILLON_ROLES: 'api',
      SEND_RETENTION_DAYS: '31',
      REPORT_RETENTION_DAYS: '40',
    }),
    { clock },
  );
  analyst = await scheduler.bearer(['analyst']);
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

const get = (path: string, authorization = analyst) =>
  scheduler.call('GET', `/v1/reports/${path}`, { authorization });

async function summary(query: string, authorization = analyst) {
  const { status, body } = await get(`summary?limit=500&${query}`, authorization);
  expect([query, status]).toEqual([query, 200]);
  return SummaryReport.parse(body);
}
async function lateness(query: string) {
  const { status, body } = await get(`lateness?limit=500&${query}`);
  expect([query, status]).toEqual([query, 200]);
  return LatenessReport.parse(body);
}

const THIS_WEEK = `from=${at(7)}&to=${at(14)}`;
const LAST_WEEK = `from=${at(0)}&to=${at(7)}`;

/** `of`: the members of a row that have its figures. */
function expectBeside<
  Row extends { readonly key: object; readonly compared?: unknown; readonly notCompared?: unknown },
>(
  rows: readonly Row[],
  [ownRows, otherRows]: readonly [readonly Row[], readonly Row[]],
  otherKey: (key: Row['key']) => object,
): void {
  const named = (all: readonly Row[]) => new Map(all.map((row) => [JSON.stringify(row.key), row]));
  const [ownByKey, otherByKey] = [named(ownRows), named(otherRows)];
  const seen = { both: 0, ownAlone: 0, otherAlone: 0 };
  for (const row of rows) {
    const { key, compared, notCompared, ...figures } = row;
    const alone = ownByKey.get(JSON.stringify(key));
    const beside = otherByKey.get(JSON.stringify(otherKey(key)));
    expect(notCompared).toBeNull();
    const own = { key, ...figures };
    expect([isNothing(own), own]).toEqual(alone === undefined ? [true, own] : [isNothing(alone), alone]);
    // Only its own row names a campaign.
    const { campaign: _, ...shown } = { campaign: undefined, ...beside };
    const expected = beside === undefined ? [true, compared] : [isNothing(beside), shown];
    expect([isNothing(compared as object), compared]).toEqual(expected);
    expect(compared).toMatchObject({ key: otherKey(key) });
    seen[alone === undefined ? 'otherAlone' : beside === undefined ? 'ownAlone' : 'both'] += 1;
  }
  expect(seen.both + seen.ownAlone).toBe(ownRows.length);
  expect(seen.both + seen.otherAlone).toBe(otherRows.length);
}

/** No send, no device and no length. */
function isNothing(figures: object): boolean {
  const { sends, devices, sentRate, immediate } = figures as {
    sends?: Record<string, number>;
    devices?: Record<string, number>;
    sentRate?: { rate: number | null };
    immediate?: { count: number; p50Ms: number | null };
  };
  if (immediate !== undefined) return immediate.count === 0 && immediate.p50Ms === null;
  return (
    [...Object.values(sends ?? {}), ...Object.values(devices ?? {})].every((one) => one === 0) &&
    sentRate?.rate === null
  );
}

const weekBefore = (key: Record<string, unknown>): Record<string, unknown> => {
  const moved = (text: string): string => new Date(Date.parse(text) - 7 * DAY_MS).toISOString();
  return {
    ...key,
    ...('day' in key && { day: moved(String(key['day'])).slice(0, 10) }),
    ...('hour' in key && { hour: `${moved(String(key['hour'])).slice(0, 19)}Z` }),
    ...('minute' in key && { minute: `${moved(String(key['minute'])).slice(0, 19)}Z` }),
  };
};

describe('the same days a week before', () => {
  it.each(['day', 'hour,zone', 'localHour', 'zone,mode', 'minute,campaign', 'code', 'project,day'])(
    'by %s stand beside as their own report has them, and so do the totals',
    async (groupBy) => {
      const own = await summary(`groupBy=${groupBy}&${THIS_WEEK}`);
      const other = await summary(`groupBy=${groupBy}&${LAST_WEEK}`);
      const both = await summary(`groupBy=${groupBy}&${THIS_WEEK}&compareWith=week-before`);
      expectBeside(both.rows, [own.rows, other.rows], weekBefore);
      const { compared, notCompared, ...totals } = both.totals;
      expect([totals, compared, notCompared]).toEqual([own.totals, other.totals, null]);
      expect(both.comparison).toEqual({
        with: 'week-before',
        campaign: null,
        from: at(0),
        to: at(7),
        final: other.final,
        balanced: true,
      });
      expect([both.asOf, both.final, both.balanced]).toEqual([own.asOf, own.final, true]);
    },
  );

  it.each(['day', 'zone,hour', 'mode'])(
    'by %s have their lateness as their own report has it',
    async (groupBy) => {
      const own = await lateness(`groupBy=${groupBy}&${THIS_WEEK}`);
      const other = await lateness(`groupBy=${groupBy}&${LAST_WEEK}`);
      const both = await lateness(`groupBy=${groupBy}&${THIS_WEEK}&compareWith=week-before`);
      expectBeside(both.rows, [own.rows, other.rows], weekBefore);
      const { compared, notCompared, ...totals } = both.totals;
      expect([totals, compared, notCompared]).toEqual([own.totals, other.totals, null]);
      expect(both.totals.immediate.count).toBeGreaterThan(0);
    },
  );

  it('pages in any order, each row once', async () => {
    for (const order of ['key', '-key', '-planned']) {
      const query = `groupBy=hour,zone&${THIS_WEEK}&compareWith=week-before&order=${order}`;
      const rows: unknown[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = SummaryReport.parse((await get(`summary?${query}&limit=7&cursor=${cursor}`)).body);
        rows.push(...page.rows);
        cursor = page.nextCursor;
      }
      expect(rows).toEqual((await summary(query)).rows);
      expect(rows.length).toBeGreaterThan(50);
    }
  });

  it('are null with the reason where they are kept no longer, and by nothing else than by key', async () => {
    const before = clock.now();
    try {
      // Forty days after noon of the fourth day.
      clock.set(START + 43.5 * DAY_MS);
      const bearer = await scheduler.bearer(['analyst']);
      const days = await summary(`groupBy=day&${THIS_WEEK}&compareWith=week-before`, bearer);
      expect(days.totals).toMatchObject({ compared: null, notCompared: 'PAST_RETENTION' });
      expect(days.totals.sends.planned).toBeGreaterThan(0);
      expect(days.comparison).toMatchObject({ final: null, balanced: null });
      expect(days.rows.map((row) => [row.key.day, row.notCompared, row.compared === null])).toEqual(
        [7, 8, 9, 10, 11, 12, 13].map((day) => [
          at(day).slice(0, 10),
          day < 11 ? 'PAST_RETENTION' : null,
          day < 11,
        ]),
      );
      const zones = await summary(`groupBy=zone&${THIS_WEEK}&compareWith=week-before`, bearer);
      expect(zones.rows.map(({ notCompared, compared }) => [notCompared, compared])).toEqual(
        zones.rows.map(() => ['PAST_RETENTION', null]),
      );
      const csv = await get(`summary?groupBy=day&${THIS_WEEK}&compareWith=week-before&format=csv`, bearer);
      const [header = '', first = ''] = String(csv.body).split('\r\n');
      const cells = first.split(',');
      const names = header.split(',');
      expect(names.flatMap((name, index) => (name.startsWith('compared.') ? [cells[index]] : []))).toEqual(
        names.filter((name) => name.startsWith('compared.')).map(() => ''),
      );
      expect(cells[names.indexOf('notCompared')]).toBe('PAST_RETENTION');
    } finally {
      clock.set(before);
    }
  });
});

describe('another campaign', () => {
  const pair = () => `campaign=${campaigns[0]}&compareWith=${campaigns[1]}`;
  const reportOf = (index: number, groupBy: string) =>
    summary(`groupBy=${groupBy}&campaign=${campaigns[index]}&${THIS_WEEK}`);

  it.each(['zone', 'localHour', 'hour', 'mode,code'])(
    'by %s stands beside as its own report has it',
    async (groupBy) => {
      const [own, other] = [await reportOf(0, groupBy), await reportOf(1, groupBy)];
      const both = await summary(`groupBy=${groupBy}&${pair()}&${THIS_WEEK}`);
      expectBeside(both.rows, [own.rows, other.rows], (key) => key);
      const { compared, notCompared, ...totals } = both.totals;
      expect([totals, compared, notCompared]).toEqual([own.totals, other.totals, null]);
      expect(both.comparison).toMatchObject({
        with: campaigns[1],
        campaign: { id: campaigns[1], serviceId: SERVICE, campaignId: `c-${campaigns[1]}` },
        balanced: true,
      });
    },
  );

  it('of another service is compared by who holds both, and is no other than an unknown one to others', async () => {
    const query = (other: string | undefined) => `groupBy=mode&campaign=${campaigns[0]}&compareWith=${other}`;
    const { totals } = await summary(`groupBy=mode&campaign=${campaigns[3]}`);
    expect((await summary(`${query(campaigns[3])}&serviceId=${SERVICE}`)).totals.compared).toEqual(totals);
    const shop = await scheduler.bearer(['analyst'], [SERVICE]);
    const foreign = await summary(query(campaigns[3]), shop);
    const unknown = v7();
    const nothing = await summary(query(unknown), shop);
    expect(foreign).toEqual({
      ...nothing,
      comparison: { ...nothing.comparison, with: campaigns[3] },
    });
    expect(foreign.totals).toMatchObject({ compared: null, notCompared: 'NO_SUCH_CAMPAIGN' });
    expect(foreign.comparison).toMatchObject({ campaign: null, final: null, balanced: null });
    expect(foreign.rows.length).toBeGreaterThan(0);
    for (const row of foreign.rows)
      expect([row.compared, row.notCompared]).toEqual([null, 'NO_SUCH_CAMPAIGN']);
    // Rows that only the other side has are none of theirs.
    expect(foreign.rows.every(({ sends }) => sends.planned > 0)).toBe(true);
  });
});

describe('as CSV', () => {
  it('lateness has every kind in columns, by Accept and by format, and no line of totals', async () => {
    const query = `groupBy=campaign,mode&${THIS_WEEK}`;
    const { rows, totals, asOf } = await lateness(query);
    const byFormat = await get(`lateness?${query}&format=csv`);
    const byAccept = await scheduler.call('GET', `/v1/reports/lateness?${query}`, {
      authorization: analyst,
      headers: { accept: 'text/csv' },
    });
    expect(byAccept.body).toBe(byFormat.body);
    for (const { headers } of [byFormat, byAccept]) {
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(headers.get('content-disposition')).toContain('lateness.csv');
    }
    const [header = '', ...lines] = String(byFormat.body).trimEnd().split('\r\n');
    const names = header.split(',');
    const kinds = ['immediate', 'reserved', 'deferral', 'recovered'] as const;
    const parts = ['count', 'p50Ms', 'p95Ms', 'p99Ms', 'maxMs'] as const;
    expect(names).toEqual([
      'campaign',
      'mode',
      'campaignId',
      'name',
      ...kinds.flatMap((kind) => parts.map((part) => `${kind}.${part}`)),
      'asOf',
    ]);
    expect(lines).toEqual(
      rows.map((row) =>
        [
          row.key.campaign,
          row.key.mode,
          row.campaign?.campaignId,
          '',
          ...kinds.flatMap((kind) => parts.map((part) => row[kind][part] ?? '')),
          asOf,
        ].join(','),
      ),
    );
    const counted = lines.map((line) => Number(line.split(',')[names.indexOf('immediate.count')]));
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(totals.immediate.count);
    expect(totals.immediate.count).toBeGreaterThan(0);
  });

  it('of lateness carries the other side too', async () => {
    const query = `groupBy=hour&${THIS_WEEK}&compareWith=week-before`;
    const { rows } = await lateness(query);
    const [header = '', ...lines] = String((await get(`lateness?${query}&format=csv`)).body)
      .trimEnd()
      .split('\r\n');
    const names = header.split(',');
    const cells = ['hour', 'compared.hour', 'compared.immediate.count', 'compared.immediate.maxMs'];
    expect(lines.map((line) => cells.map((name) => line.split(',')[names.indexOf(name)]))).toEqual(
      rows.map(({ key, compared }) => [
        key.hour,
        compared?.key.hour,
        String(compared?.immediate.count),
        String(compared?.immediate.maxMs ?? ''),
      ]),
    );
  });

  it('has the columns that docs/use/reports-csv.md names', async () => {
    const section = readFileSync(join(projectRoot, 'docs/use/reports-csv.md'), 'utf8')
      .split(/^## /m)
      .find((part) => part.startsWith('CSV over many campaigns\n'));
    const [, summaries = '', latenesses = ''] = (section ?? '').split(/^### /m);
    const named = (part: string): string[] =>
      [...part.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name ?? '');
    const headersOf = async (report: string): Promise<string[]> => {
      const query = `groupBy=day,campaign&${THIS_WEEK}&compareWith=week-before&format=csv`;
      const [header = ''] = String((await get(`${report}?${query}`)).body).split('\r\n');
      const [day, campaign, ...others] = header.split(',');
      expect([day, campaign]).toEqual(['day', 'campaign']);
      return others;
    };
    for (const [report, part] of [
      ['summary', summaries],
      ['lateness', latenesses],
    ] as const) {
      const own = named(part);
      const figures = own.filter((name) => !['campaignId', 'name', 'notCompared', 'asOf'].includes(name));
      const compared = ['day', ...figures].map((name) => `compared.${name}`);
      expect(await headersOf(report)).toEqual([...own.slice(0, -2), ...compared, ...own.slice(-2)]);
      expect(own.slice(-2)).toEqual(['notCompared', 'asOf']);
    }
  });

  it('of a summary has the other side in columns of its own', async () => {
    const query = `groupBy=day,zone&${THIS_WEEK}&compareWith=week-before`;
    const { rows, asOf } = await summary(query);
    const { body } = await get(`summary?${query}&format=csv`);
    const [header = '', ...lines] = String(body).trimEnd().split('\r\n');
    const names = header.split(',');
    const own = names.filter((name) => name.startsWith('sends.') || name.startsWith('devices.'));
    expect(names.filter((name) => name.startsWith('compared.'))).toEqual([
      'compared.day',
      ...own.map((name) => `compared.${name}`),
      ...['sentRate', 'final', 'balanced'].map((name) => `compared.${name}`),
    ]);
    expect(names.slice(-2)).toEqual(['notCompared', 'asOf']);
    const cell = (line: string, name: string) => line.split(',')[names.indexOf(name)];
    expect(
      lines.map((line) =>
        [
          'day',
          'zone',
          'sends.planned',
          'compared.day',
          'compared.sends.planned',
          'compared.sentRate',
          'asOf',
        ].map((name) => cell(line, name)),
      ),
    ).toEqual(
      rows.map(({ key, sends, compared }) => [
        key.day,
        key.zone,
        String(sends.planned),
        compared?.key.day,
        String(compared?.sends.planned),
        String(compared?.sentRate.rate ?? ''),
        asOf,
      ]),
    );
  });
});

it('refuses what makes no sense, and points at it', async () => {
  const [a = '', b = ''] = campaigns;
  for (const [query, pointers] of [
    ['groupBy=day&compareWith=week-before', ['?from', '?to']],
    [`groupBy=day&from=${at(7)}&compareWith=week-before`, ['?to']],
    [`groupBy=day&from=${at(7)}&to=${at(7)}&compareWith=week-before`, ['?to']],
    [`groupBy=day&${THIS_WEEK}&compareWith=month-before`, ['?compareWith']],
    [`groupBy=zone&compareWith=${b}`, ['?campaign']],
    [`groupBy=zone&campaign=${a}&compareWith=${a}`, ['?compareWith']],
    [`groupBy=campaign,zone&campaign=${a}&compareWith=${b}`, ['?groupBy']],
  ] as const)
    for (const report of ['summary', 'lateness']) {
      const { status, headers, body } = await get(`${report}?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(headers.get('content-type')).toContain('application/problem+json');
      const { code, problems } = body as { code: string; problems: { pointer: string }[] };
      expect([code, problems.map(({ pointer }) => pointer)]).toEqual(['INVALID_REQUEST', pointers]);
    }
});
