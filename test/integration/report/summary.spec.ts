// GET /v1/reports/summary and /lateness as analysts see them, and rollups over the years: sends that go with their day stay counted,
// and minutes become hours and days without a figure lost.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Retention } from '../../../src/scheduler/outcomes/retention/retention.js';
import { SEND_STATES } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { LatenessReport } from '../../../src/scheduler/report/over-campaigns/lateness.js';
import { SummaryReport } from '../../../src/scheduler/report/over-campaigns/summary.js';
import { holdShards } from '../../../src/scheduler/store/hold-shards.js';
import { coarsenRollups } from '../../../src/scheduler/outcomes/rollup/roll-up.store.js';
import { groupedTotals } from '../../../src/scheduler/report/over-campaigns/grouped-report.store.js';
import { summaryReport } from '../../../src/scheduler/report/over-campaigns/summary.store.js';
import { KEPT, retentionBuilders } from '../../support/scheduler/retention-builders.js';
import { World } from '../../support/scheduler/world.js';
import { PlanWorld } from '../../support/scheduler/plan-world.js';
import { dropDays } from '../../support/postgres/partitions.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { figuresOf, Histories, MINUTE_MS } from './histories.js';

describe('by HTTP', () => {
  let world: World;
  let scheduler: TestScheduler;
  let analyst: string;
  let histories: Histories;
  beforeAll(async () => {
    world = await World.open();
    await world.project();
    await world.project({ service_id: 'news-app' }, []);
    histories = new Histories(world, 7);
    for (let step = 0; step < 400; step += 1) await histories.step();
    scheduler = await startScheduler(schedulerConfig(world.url, { CARILLON_ROLES: 'api,publish' }));
    analyst = await scheduler.bearer(['analyst']);
  });
  afterAll(async () => {
    await scheduler.close();
    await world.close();
  });
  const get = (path: string, authorization = analyst, headers = {}) =>
    scheduler.call('GET', `/v1/reports/${path}`, { authorization, headers });

  it('answers rows by two keys whose sums are the totals, with rates and reasons', async () => {
    const { status, body } = await get('summary?groupBy=day,zone&to=2027-04-01T00:00:00Z');
    expect(status).toBe(200);
    const report = SummaryReport.parse(body);
    expect(report).toMatchObject({
      groupBy: ['day', 'zone'],
      balanced: true,
      final: false,
      nextCursor: null,
    });
    const sends = (await histories.sends()).filter(({ due }) => due !== null);
    expect(report.totals.sends.planned).toBe(sends.length);
    expect(report.totals.devices.target).toBe(figuresOf(sends)['devices.target'] ?? 0);
    expect(report.rows.map(({ key }) => key)).toEqual(
      [...new Set(sends.map(({ zone }) => zone))].sort().map((zone) => ({ day: '2027-03-01', zone })),
    );
    const { sent, target } = report.totals.devices;
    expect(report.totals.sentRate).toEqual({ numerator: sent, denominator: target, rate: sent / target });
    expect(report.rows.every(({ balanced }) => balanced)).toBe(true);
  });

  it('leads from the due of a row to exactly its sends, a retry by the first due of its chunk', async () => {
    const report = SummaryReport.parse((await get('summary?groupBy=minute&limit=500')).body);
    const minutes = report.rows.flatMap(({ key, sends }) =>
      typeof key.minute === 'string' ? [{ from: Date.parse(key.minute), planned: sends.planned }] : [],
    );
    expect(minutes.length).toBeGreaterThan(3);
    expect((await histories.sends()).some(({ retry_of: of }) => of !== null)).toBe(true);
    const state = SEND_STATES.filter((one) => one !== 'superseded').join(',');
    for (const { from, planned } of minutes) {
      const [dueFrom, dueTo] = [from, from + MINUTE_MS].map((at) => new Date(at).toISOString());
      const path = `/v1/sends?dueFrom=${dueFrom}&dueTo=${dueTo}&state=${state}&limit=1`;
      const { body } = await scheduler.call('GET', path, { authorization: analyst });
      expect([dueFrom, (body as { count: unknown }).count]).toEqual([
        dueFrom,
        { value: planned, atLeast: false },
      ]);
    }
  });

  it('answers what docs/use/reports.md asks with curl, and why a zone got fewer in two calls', async () => {
    const section = (await readFile('docs/use/reports.md', 'utf8'))
      .split(/^## /m)
      .find((part) => part.startsWith('With curl'));
    const [campaign = '', other = ''] = new Set((await histories.sends()).map((send) => send.campaign));
    const values: Record<string, string> = {
      WEEK: /^WEEK=\((.*)\)$/m.exec(section ?? '')?.[1] ?? '',
      CAMPAIGN: campaign,
      OTHER: other,
    };
    const lines = (section ?? '').match(/^carillon \/.*$/gm) ?? [];
    const answers = [];
    for (const line of lines) {
      const command = line.replaceAll(
        /"\$\{(WEEK)\[@\]\}"|\$([A-Z]+)/g,
        (_, list: string | undefined, name = '') => values[list ?? name] ?? '',
      );
      const path = command.split(' ')[1] ?? '';
      const query = new URLSearchParams();
      for (const [, name = '', value = ''] of command.matchAll(/--data (\w+)=(\S+)/g)) query.set(name, value);
      const { status, body } = await scheduler.call('GET', `${path}?${query.toString()}`, {
        authorization: analyst,
      });
      expect([command, status]).toEqual([command, 200]);
      answers.push(body);
      if (query.get('groupBy') === 'campaign,code')
        values['CODE'] =
          SummaryReport.parse(body).rows.find(({ key }) => key.code !== null)?.key.code ?? 'none';
    }
    expect(answers).toHaveLength(8);
    const [byHour, csv, byZone, ofZone, sends, , compared] = answers;
    const hours = SummaryReport.parse(byHour);
    expect(String(csv).trimEnd().split('\r\n')).toHaveLength(1 + hours.rows.length);
    const zone = SummaryReport.parse(byZone).rows.find(({ key }) => key.zone === 'Asia/Seoul');
    const why = SummaryReport.parse(ofZone);
    expect(zone?.reasons.length).toBeGreaterThan(0);
    expect(why.totals).toEqual({ ...zone, key: undefined });
    expect(why.rows.every(({ campaign: shown }) => shown !== undefined)).toBe(true);
    const named = why.rows.filter(({ key }) => key.code === values['CODE']);
    expect((sends as { count: { value: number } }).count.value).toBe(
      named.reduce((sum, row) => sum + row.sends.planned, 0),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(SummaryReport.parse(compared).comparison?.campaign?.id).toBe(other);
  });

  it('pages in any order, each row once', async () => {
    for (const order of ['key', '-key', '-planned']) {
      const seen: unknown[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const answer = await get(`summary?groupBy=minute,campaign&order=${order}&limit=3&cursor=${cursor}`);
        const report = SummaryReport.parse(answer.body);
        seen.push(...report.rows.map(({ key }) => key));
        cursor = report.nextCursor;
      }
      const whole = SummaryReport.parse(
        (await get(`summary?groupBy=minute,campaign&order=${order}&limit=500`)).body,
      );
      expect(seen).toEqual(whole.rows.map(({ key }) => key));
      expect(seen.length).toBeGreaterThan(6);
    }
  });

  it('is CSV by Accept and by format, the rows alone', async () => {
    const json = SummaryReport.parse((await get('summary?groupBy=campaign,mode&limit=500')).body);
    const byFormat = await get('summary?groupBy=campaign,mode&format=csv');
    const byAccept = await get('summary?groupBy=campaign,mode', analyst, { accept: 'text/csv' });
    for (const { headers, body } of [byFormat, byAccept]) {
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      const [header = '', ...lines] = String(body).trimEnd().split('\r\n');
      expect(header.split(',').slice(0, 5)).toEqual([
        'campaign',
        'mode',
        'campaignId',
        'name',
        'sends.planned',
      ]);
      expect(lines.map((line) => line.split(',').slice(0, 2))).toEqual(
        json.rows.map(({ key }) => [key.campaign, key.mode]),
      );
      const planned = lines.map((line) => Number(line.split(',')[4]));
      expect(planned.reduce((sum, number) => sum + number, 0)).toBe(json.totals.sends.planned);
    }
    const named = await get('summary?groupBy=zone&format=json', analyst, { accept: 'text/csv' });
    expect(named.headers.get('content-type')).toContain('application/json');
  });

  it('refuses what it does not know, and says what is taken', async () => {
    for (const [query, said] of [
      ['groupBy=weather', 'localHour'],
      ['groupBy=day,zone,mode', 'two keys'],
      ['groupBy=day,day', 'each key once'],
      ['groupBy=day&from=2027-03-01T00:00:30Z', 'whole minute'],
      ['groupBy=day&from=2027-03-01T09:00:00+09:00', '%2B'],
      ['groupBy=day&from=2027-03', '2027-03-01T00:00:00Z'],
      ['groupBy=day&from=2027-03-01&last=7d', 'leave out from and to, or last'],
      ['groupBy=day&from=2027-03-02T00:00:00Z&to=2027-03-01T00:00:00Z', 'after from'],
      ['groupBy=day&mode=pigeon', 'reserved'],
      ['groupBy=day&colour=red', 'colour'],
      ['', 'groupBy'],
    ] as const) {
      const { status, body } = await get(`summary?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(JSON.stringify(body)).toContain(said);
    }
    expect((await get('lateness?groupBy=code')).status).toBe(400);
  });

  it('counts what the token holds and nothing else', async () => {
    const foreign = await scheduler.bearer(['analyst'], ['news-app']);
    const own = SummaryReport.parse((await get('summary?groupBy=project')).body);
    expect(own.rows.map(({ key }) => key.project)).toEqual(['shop-app']);
    for (const query of ['groupBy=project', 'groupBy=project&serviceId=shop-app']) {
      const report = SummaryReport.parse((await get(`summary?${query}`, foreign)).body);
      expect(report).toMatchObject({ rows: [], totals: { sends: { planned: 0 }, sentRate: { rate: null } } });
    }
    expect((await get('summary?groupBy=day', await scheduler.bearer(['publisher']))).status).toBe(403);
  });

  it('shows lateness by kind, with buckets', async () => {
    const report = LatenessReport.parse((await get('lateness?groupBy=zone')).body);
    expect(report.totals.immediate.count).toBeGreaterThan(0);
    for (const kind of ['immediate', 'reserved', 'deferral', 'recovered'] as const) {
      const rows = report.rows.map((row) => row[kind]);
      expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(report.totals[kind].count);
      const longest = rows.flatMap(({ maxMs }) => (maxMs === null ? [] : [maxMs]));
      expect(report.totals[kind].maxMs).toBe(longest.length === 0 ? null : Math.max(...longest));
      expect(
        report.totals[kind].buckets.every((bucket) => bucket.toMs >= bucket.fromMs && bucket.count > 0),
      ).toBe(true);
    }
  });
});

const ROLLUPS = ['send_rollup', 'length_rollup', 'send_rollup_hour', 'length_rollup_hour'];

describe('over the years', () => {
  let world: PlanWorld;
  const { later, retire, campaign, retried, rollUp } = retentionBuilders(() => world);
  const all = { serviceIds: null };
  beforeAll(async () => {
    world = await PlanWorld.open();
    await world.rows('update project set max_to = 1');
    await dropDays(world.dataSource);
    await later(0);
  });
  afterAll(() => world.close());

  it('what goes with its day stays counted, by a retry and by hour and day', async () => {
    const { sends } = await campaign('sent', 'failed', 'failed');
    await retried(sends[1] ?? '');
    await rollUp();
    const before = await groupedTotals(world.dataSource, summaryReport(false), all);
    expect(before.sends).toMatchObject({ planned: 3, sent: 2, failed: 1 });
    await later(93);
    await retire();
    expect(await world.rows('select from send where id = any($1)', [sends])).toEqual([]);
    expect(await groupedTotals(world.dataSource, summaryReport(false), all)).toEqual(before);
    const now = new Date(world.clock.now());
    for (const unit of ['hour', 'day'] as const) {
      while (((await coarsenRollups(world.dataSource, now, unit, 1)) ?? 0) > 0);
      for (const table of ROLLUPS)
        expect(
          await world.rows(`select from ${table} where minute <> date_trunc('${unit}', minute, 'UTC')`),
        ).toEqual([]);
      expect(await groupedTotals(world.dataSource, summaryReport(false), all)).toEqual(before);
    }
  });

  it('becomes coarser on the same day where a roller was at work at the first attempt', async () => {
    world.clock.advance(7 * MINUTE_MS);
    await campaign('sent');
    await rollUp();
    await later(93);
    const retention = new Retention(world.dataSource, world.clock, KEPT, { marginMs: 0 });
    const toCome = 'select from send_rollup where minute <> date_trunc($1, minute, $2)';
    await world.dataSource.transaction(async (sql) => {
      expect(await holdShards(sql, 'rollup', [3])).toEqual([3]);
      while ((await retention.runOnce()) > 0);
    });
    expect(await world.rows(toCome, ['hour', 'UTC'])).not.toEqual([]);
    while ((await retention.runOnce()) > 0);
    expect(await world.rows(toCome, ['hour', 'UTC'])).toEqual([]);
  });

  it('goes with its campaign, and a day stays while what became of it is not rolled up', async () => {
    const { sends } = await campaign('sent');
    await later(93);
    const retention = new Retention(world.dataSource, world.clock, KEPT, { marginMs: 0 });
    while ((await retention.runOnce()) > 0);
    expect(await world.rows('select from send where id = any($1)', [sends])).toHaveLength(1);
    await retire();
    expect(await world.rows('select from send where id = any($1)', [sends])).toEqual([]);
    await later(1_100);
    await retire();
    for (const table of ROLLUPS) expect(await world.rows(`select from ${table}`)).toEqual([]);
  });
});
