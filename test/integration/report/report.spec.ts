import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import type { CampaignReport } from '../../../src/scheduler/report/campaign/report-json.js';
import { CSV_HEADER } from '../../../src/scheduler/report/campaign/report-csv.js';
import { projectRoot } from '../../../tools/project.js';
import { DEVICE_TERMS, REPORT_TERMS } from '../../../src/scheduler/report/figures/report-figures.js';

import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { eventually } from '../../support/eventually.js';
import { PlanWorld, SERVICE, START, users } from '../../support/scheduler/plan-world.js';

let world: PlanWorld;
let scheduler: TestScheduler;
let analyst: string;

beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 2');
  scheduler = await startScheduler(schedulerConfig(world.url, { CARILLON_ROLES: 'api' }), {
    clock: world.clock,
  });
  await eventually(() => scheduler.dataSource.isInitialized);
  analyst = await scheduler.bearer(['analyst']);
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

const SECOND = 1_000;
const at = (ms: number): Date => new Date(ms);

async function report(id: string, query = ''): Promise<CampaignReport> {
  const answer = await scheduler.call('GET', `/v1/reports/campaigns/${id}${query}`, {
    authorization: analyst,
  });
  expect(answer.status).toBe(200);
  return answer.body as CampaignReport;
}

/** Seoul: reserved, two chunks; Paris: reserved, one failed; Auckland: over. Recipients' clock, two ids a request. */
async function threeZones(): Promise<{ id: string; seoul: string[]; paris: string[] }> {
  const segment = (zone: string, count: number) => ({ zone, audience: users(count, zone) });
  const { id } = await world.planned({
    audience: null,
    delivery: {
      kind: 'recipient',
      local: '2027-03-01T10:00',
      segments: [segment('Asia/Seoul', 4), segment('Europe/Paris', 1), segment('Pacific/Auckland', 1)],
    },
  });
  const sends = await world.sends(id);
  const of = (zone: string): string[] =>
    sends.filter(({ cell }) => cell.startsWith(zone)).map((send) => send.id);
  return { id, seoul: of('Asia/Seoul'), paris: of('Europe/Paris') };
}

const SEOUL_DUE = Date.parse('2027-03-01T01:00:00Z');
const DONE = ['sending', 'reserved', 'accepted', 'sent'] as const;

describe('the report of a campaign', () => {
  it('has a row for each cell, counted by state and device, and totals that are their sums', async () => {
    const { id, seoul, paris } = await threeZones();
    await world.lead(seoul[0] ?? '', DONE, {
      target_count: 3,
      sent_count: 2,
      complete_time: at(SEOUL_DUE + 2 * SECOND),
    });
    await world.lead(seoul[1] ?? '', DONE.slice(0, 3), { target_count: 5 });
    await world.lead(paris[0] ?? '', ['sending', 'uncertain'], { target_count: 1 });

    const found = await report(id);

    expect(found.rows.map((row) => [row.zone, row.zoneSource, row.sends, row.devices])).toEqual(
      [
        [
          'Asia/Seoul',
          'given',
          sendCounts({ planned: 2, sent: 1, open: 1 }),
          deviceCounts({ target: 8, sent: 2, failed: 1, pending: 5 }),
        ],
        [
          'Europe/Paris',
          'given',
          sendCounts({ planned: 1, uncertain: 1 }),
          deviceCounts({ target: 1, unknown: 1 }),
        ],
        ['Pacific/Auckland', 'given', sendCounts({ planned: 1, skipped: 1 }), deviceCounts({})],
      ].toSorted((a, b) => order(found, a[0] as string) - order(found, b[0] as string)),
    );
    expect(found.totals.sends).toEqual(
      sendCounts({ planned: 4, sent: 1, open: 1, uncertain: 1, skipped: 1 }),
    );
    expect(found.totals.devices).toEqual(
      deviceCounts({ target: 9, sent: 2, failed: 1, pending: 5, unknown: 1 }),
    );
    for (const term of REPORT_TERMS) {
      expect(found.rows.reduce((sum, row) => sum + row.sends[term], 0)).toBe(found.totals.sends[term]);
    }
    for (const term of DEVICE_TERMS) {
      expect(found.rows.reduce((sum, row) => sum + row.devices[term], 0)).toBe(found.totals.devices[term]);
    }
    expect(found.totals.sentRate).toEqual({ numerator: 2, denominator: 9, rate: 2 / 9 });
    expect(found).toMatchObject({ balanced: true, final: false, asOf: '2027-03-01T00:00:00.000Z' });
  });

  it('shows both clocks, the mode with its rule, and why a zone was skipped', async () => {
    const { id } = await threeZones();
    const found = await report(id);

    expect(found.rows.find((row) => row.zone === 'Asia/Seoul')).toMatchObject({
      local: {
        asked: '2027-03-01T10:00',
        reading: { weekday: 'Mon', date: '2027-03-01', time: '10:00', offset: '+09:00' },
      },
      intendedAt: '2027-03-01T01:00:00.000Z',
      dueAt: '2027-03-01T01:00:00.000Z',
      mode: 'reserved',
      rule: 'RESERVABLE',
      verdicts: { dst: 'exact', passedZone: { kind: 'not-passed' } },
      skipped: null,
    });
    expect(found.rows.find((row) => row.zone === 'Pacific/Auckland')).toMatchObject({
      skipped: 'PASSED_ZONE',
      verdicts: { passedZone: { kind: 'skipped' } },
    });
  });

  it('is final once the campaign has ended and no figure moves by itself', async () => {
    const {
      id,
      sends: [send = ''],
    } = await world.planned();
    await world.lead(send, ['sending', 'accepted', 'sent'], { target_count: 2, sent_count: 2 });
    expect((await report(id)).final).toBe(false);
    await world.closeFinished.runOnce();
    expect(await report(id)).toMatchObject({ final: true, balanced: true, campaign: { state: 'completed' } });
  });

  it('is not final while a retry of a completed campaign is open, and counts the chunk by its newest send', async () => {
    const {
      id,
      sends: [send = ''],
    } = await world.planned();
    await world.lead(send, ['sending', 'accepted', 'failed'], { target_count: 2, sent_count: 0 });
    await world.closeFinished.runOnce();
    const failed = await report(id);
    expect(failed).toMatchObject({
      final: true,
      totals: { sends: { failed: 1 }, devices: { target: 2, failed: 2 } },
    });

    const retried = await retry(send, START + 90 * SECOND);
    expect(await report(id)).toMatchObject({ final: false, totals: { sends: { failed: 0, open: 1 } } });

    await world.lead(retried, ['sending', 'accepted', 'sent'], {
      target_count: 2,
      sent_count: 2,
      request_id: 'r-2',
      answered_at: at(START + 95 * SECOND),
    });
    expect(await report(id)).toMatchObject({
      final: true,
      balanced: true,
      totals: {
        sends: { planned: 1, sent: 1, failed: 0 },
        devices: { target: 2, sent: 2, failed: 0 },
        lateness: { immediate: { count: 0 } },
        recoveredAfter: { count: 1, maxMs: 95 * SECOND },
      },
    });
  });

  it('measures lateness by kind, each against due, and never mixes them', async () => {
    await world.rows('update project set max_to = 1');
    const now = await world.planned({ audience: users(100, 'now') });
    for (const [index, send] of now.sends.entries()) {
      await world.lead(send, ['sending', 'accepted'], {
        request_id: `r-${index}`,
        answered_at: at(START + (index + 1) * 10),
      });
    }
    expect((await report(now.id)).totals.lateness).toEqual({
      immediate: { count: 100, p50Ms: 500, p95Ms: 950, p99Ms: 990, maxMs: 1000 },
      reserved: nothing,
    });

    const later = await world.planned({ delivery: { kind: 'instant', at: SEOUL_DUE } });
    await world.lead(later.sends[0] ?? '', DONE, {
      request_id: 'r',
      answered_at: at(START),
      complete_time: at(SEOUL_DUE + 4 * SECOND),
    });
    expect((await report(later.id)).totals.lateness).toEqual({
      immediate: nothing,
      reserved: { count: 1, p50Ms: 4000, p95Ms: 4000, p99Ms: 4000, maxMs: 4000 },
    });

    const standing = await world.planned({ delivery: { kind: 'schedule', scheduleCode: 'WEEKLY' } });
    await world.lead(standing.sends[0] ?? '', ['sending', 'scheduled'], {
      request_id: 's',
      answered_at: at(START),
      target_count: 4,
      sent_count: 3,
    });
    expect((await report(standing.id)).totals).toMatchObject({
      lateness: { immediate: nothing, reserved: nothing },
      sends: { standing: 1 },
      devices: { target: 4, sent: 3, failed: 1, pending: 0 },
      modes: { scheduled: 1 },
      final: false,
    });
    await world.rows('update project set max_to = 2');
  });

  it('shows a deferral beside lateness: a decision, not a fault', async () => {
    const { id } = await world.planned({
      messageType: 'AD',
      delivery: { kind: 'wall', local: '2027-03-01T21:30', zone: 'Asia/Seoul' },
      policy: { night: 'defer' },
    });
    expect(await report(id)).toMatchObject({
      totals: { deferral: { count: 1, maxMs: 10.5 * 3_600_000 }, lateness: { reserved: { count: 0 } } },
      rows: [{ verdicts: { night: { kind: 'deferred', to: '2027-03-01T23:00:00.000Z' } } }],
    });
  });

  it('says that it does not balance when a send is gone', async () => {
    const {
      id,
      sends: [send = ''],
    } = await world.planned({ audience: users(4) });
    expect((await report(id)).balanced).toBe(true);
    await world.damage('update send set next_send = id where id = $1', [send]);
    expect(await report(id)).toMatchObject({ balanced: false, totals: { sends: { planned: 2, open: 1 } } });
    await world.damage('update send set next_send = null where id = $1', [send]);
  });

  it('says that it does not balance when more devices were taken than targeted', async () => {
    const {
      id,
      sends: [send = ''],
    } = await world.planned();
    await world.lead(send, ['sending', 'accepted', 'sent'], { target_count: 2, sent_count: 3 });
    expect(await report(id)).toMatchObject({
      balanced: false,
      totals: { devices: { target: 2, sent: 3, failed: 0 } },
    });
  });

  it('has null for a rate of nothing', async () => {
    const { id } = await world.planned();
    expect((await report(id)).totals.sentRate).toEqual({ numerator: 0, denominator: 0, rate: null });
  });
});

describe('the report as CSV', () => {
  async function csvOf(id: string): Promise<Record<string, string>[]> {
    const answer = await scheduler.call('GET', `/v1/reports/campaigns/${id}`, {
      authorization: analyst,
      headers: { accept: 'text/csv' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (answer.body as string).split('\r\n');
    expect(lines.at(-1)).toBe('');
    const [header = [], ...rows] = lines.slice(0, -1).map((line) => line.split(','));
    return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
  }

  it('holds the same rows, a line each, whose sums are the totals', async () => {
    const { id, seoul } = await threeZones();
    await world.lead(seoul[0] ?? '', DONE, {
      target_count: 3,
      sent_count: 2,
      complete_time: at(SEOUL_DUE + SECOND),
    });
    const json = await report(id);
    const rows = await csvOf(id);

    expect(rows.map((row) => [row['zone'], Number(row['devices.target']), row['asOf']])).toEqual(
      json.rows.map((row) => [row.zone, row.devices.target, json.asOf]),
    );
    const sum = (column: string): number => rows.reduce((total, row) => total + Number(row[column]), 0);
    for (const term of REPORT_TERMS) expect(sum(`sends.${term}`)).toBe(json.totals.sends[term]);
    for (const term of DEVICE_TERMS) expect(sum(`devices.${term}`)).toBe(json.totals.devices[term]);
    const { serviceId, campaignId } = json.campaign;
    expect(rows.find((row) => row['zone'] === 'Asia/Seoul')).toMatchObject({
      serviceId,
      campaignId,
      localTime: '10:00',
      localOffset: '+09:00',
      'lateReserved.maxMs': '1000',
      skipped: '',
    });
    expect(rows.find((row) => row['zone'] === 'Pacific/Auckland')).toMatchObject({ skipped: 'PASSED_ZONE' });
  });
});

describe('the form of a report', () => {
  const asked = async (query: string, accept?: string): ReturnType<TestScheduler['call']> => {
    const { id } = await world.planned();
    return scheduler.call('GET', `/v1/reports/campaigns/${id}${query}`, {
      authorization: analyst,
      ...(accept !== undefined && { headers: { accept } }),
    });
  };
  const typeOf = async (query: string, accept?: string): Promise<string | null> =>
    (await asked(query, accept)).headers.get('content-type');

  it.each([
    ['?format=csv', undefined, 'text/csv'],
    ['?format=csv', 'application/json', 'text/csv'],
    ['?format=json', 'text/csv', 'application/json'],
    ['', 'text/csv', 'text/csv'],
    ['', '*/*', 'application/json'],
  ])('%s with Accept %s is %s', async (query, accept, type) => {
    expect(await typeOf(query, accept)).toBe(`${type}; charset=utf-8`);
  });

  it.each(['true', 'false'])('as CSV with bom=%s', async (bom) => {
    const { id } = await world.planned();
    for (const path of [`campaigns/${id}?format=csv`, 'summary?groupBy=day&format=csv']) {
      const answer = await fetch(`${scheduler.url}/v1/reports/${path}&bom=${bom}`, {
        headers: { authorization: analyst },
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(answer.status).toBe(200);
      expect(bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))).toBe(bom === 'true');
    }
  });

  it('is refused where it is another, with the two that there are', async () => {
    const { status, body } = await asked('?format=xlsx');
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toMatch(/json.*csv/);
  });

  it('as CSV has the columns that docs/use/reports-csv.md says, in that order', () => {
    const section = readFileSync(join(projectRoot, 'docs/use/reports-csv.md'), 'utf8')
      .split(/^## /m)
      .find((part) => part.startsWith('CSV\n'));
    const headers = [...(section ?? '').matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name);
    expect(headers).toEqual(CSV_HEADER);
  });
});

describe('a report of more cells than a page', () => {
  const CELLS = 1_203;
  let id: string;

  beforeAll(async () => {
    ({ id } = await world.planned());
    await world.damage('delete from send where campaign = $1', [id]);
    await world.rows('delete from cell where campaign = $1', [id]);
    await world.rows(
      `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, intended_at, due_at, mode, mode_rule, chunks)
       select $1, 'once', 'UTC|' || n, 1, 'UTC', 'delivery', '{"type":"ALL"}', $2, $2, 'immediate', 'DUE_NOW', 0
         from generate_series(1, $3::int) n`,
      [id, at(START), CELLS],
    );
  });

  it('has them all once, in the order of their keys', async () => {
    const { rows, balanced } = await report(id);
    const cells = rows.map(({ cell }) => cell);
    expect(new Set(cells).size).toBe(CELLS);
    expect(cells).toEqual(
      (
        await world.rows<{ cell: string }>('select cell from cell where campaign = $1 order by cell', [id])
      ).map(({ cell }) => cell),
    );
    expect(balanced).toBe(true);
  });
});

describe('who may read', () => {
  it.each([
    '/v1/reports/campaigns/{id}',
    '/v1/campaigns/{id}',
    '/v1/campaigns/{id}/sends',
    '/v1/campaigns/{id}/history',
    '/v1/campaigns/{id}/plan',
  ])('%s answers 404 for a foreign service as for an unknown campaign', async (route) => {
    const { id } = await world.planned();
    const foreign = await scheduler.bearer(['analyst'], ['another-app']);
    const own = await scheduler.bearer(['analyst'], [SERVICE]);
    const answers = await Promise.all([
      scheduler.call('GET', route.replace('{id}', id), { authorization: foreign }),
      scheduler.call('GET', route.replace('{id}', v7()), { authorization: own }),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect((await scheduler.call('GET', route.replace('{id}', id), { authorization: own })).status).toBe(200);
  });

  it('gives reports and the ledger to analysts, not to publishers', async () => {
    const { id } = await world.planned();
    const publisher = await scheduler.bearer(['publisher']);
    for (const route of [`/v1/reports/campaigns/${id}`, '/v1/ledger']) {
      expect((await scheduler.call('GET', route, { authorization: publisher })).status).toBe(403);
    }
    expect((await scheduler.call('GET', `/v1/campaigns/${id}`, { authorization: publisher })).status).toBe(
      200,
    );
  });

  it('shows a ledger of the services the token holds', async () => {
    const own = await scheduler.bearer(['analyst'], [SERVICE]);
    const foreign = await scheduler.bearer(['analyst'], ['another-app']);
    const [mine, theirs, asked] = await Promise.all([
      scheduler.call('GET', '/v1/ledger', { authorization: own }),
      scheduler.call('GET', '/v1/ledger', { authorization: foreign }),
      scheduler.call('GET', `/v1/ledger?serviceId=${SERVICE}`, { authorization: foreign }),
    ]);
    expect((mine.body as { events: { left: number } }).events.left).toBeGreaterThan(0);
    for (const answer of [theirs, asked]) expect(answer.body).toMatchObject({ events: { left: 0, sum: 0 } });
  });
});

const nothing = { count: 0, p50Ms: null, p95Ms: null, p99Ms: null, maxMs: null };

function sendCounts(counts: Partial<Record<(typeof REPORT_TERMS)[number], number>>): Record<string, number> {
  return { ...Object.fromEntries(REPORT_TERMS.map((term) => [term, 0])), ...counts };
}

function deviceCounts(
  counts: Partial<Record<(typeof DEVICE_TERMS)[number], number>>,
): Record<string, number> {
  return { ...Object.fromEntries(DEVICE_TERMS.map((term) => [term, 0])), ...counts };
}

function order(found: CampaignReport, zone: string): number {
  return found.rows.findIndex((row) => row.zone === zone);
}

async function retry(send: string, dueAt: number): Promise<string> {
  const id = v7({ msecs: dueAt });
  await world.rows(
    `with old as (update send set next_send = $2 where id = $1 returning *)
     insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, retry_of, retries, state, state_at,
                       state_by, mode, mode_rule, intended_at, due_at, first_due, next_at, created_at)
     select $2, service_id, campaign, revision, occurrence, cell, chunk, id, 1, 'planned', $3, 'spec', 'immediate',
            'DUE_NOW', intended_at, $3, coalesce(first_due, due_at), $3, $3 from old`,
    [send, id, at(dueAt)],
  );
  return id;
}
