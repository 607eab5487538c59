// Alerts over the real database: each is one row from its beginning to its end, whoever judges; a cause that comes and goes does
// not end it, and two quiet minutes do.
import { readLag } from '../../../src/scheduler/alerts/readings/backlog.store.js';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { SteppedClock } from '../../../src/platform/clock.js';
import { alertLimits, alertSettings } from '../../../src/scheduler/alerts/alert-settings.js';
import { alertPage, type AlertRow } from '../../../src/scheduler/alerts/alert.store.js';
import { JudgeAlerts } from '../../../src/scheduler/alerts/judge-alerts.js';
import { Readings } from '../../../src/scheduler/alerts/readings/readings.js';
import { ForecastReader } from '../../../src/scheduler/plan/forecast/read-forecast.js';
import { WatchForecast } from '../../../src/scheduler/plan/forecast/watch-forecast.js';
import { WatchLedger } from '../../../src/scheduler/report/ledger/watch-ledger.js';
import { ReportDatabase } from '../../../src/scheduler/report/report-database.js';
import { recordBreakdown } from '../../../src/scheduler/store/rollup/breakdown.store.js';
import { rollUpAll } from '../../support/scheduler/rollers.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const limits = alertLimits(z.object(alertSettings).parse({ ALERT_ZONE_RULES_YEARS: '10' }));
const rules = loadZoneRules({});
const log = pino({ level: 'silent' });
const DAYS = ['send', 'send_event'];
let world: World;
let clock: SteppedClock;
let judges: JudgeAlerts[];

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.dataSource.query('truncate alert, rejection cascade');
  await world.dataSource.query("update alert_round set kept_of = '-infinity', facts = '{}'");
  await world.project();
  clock = new SteppedClock(START);
  for (const table of DAYS)
    for (let day = -1; day <= 7; day += 1)
      await world.dataSource.query('select add_day_partition($1, $2)', [
        table,
        new Date(START + day * 86_400_000),
      ]);
  judges = [1, 2].map(() => {
    const deps = { sql: world.dataSource, clock, rules, replicaSilentMs: 15_000, diskBytes: undefined };
    const readings = new Readings({ ...deps, consumers: ['rollup'], kafkaLag: undefined });
    return new JudgeAlerts({
      database: world.dataSource,
      readings,
      limits: { ...limits, daysAhead: 0 },
      clock,
      log,
    });
  });
});

/** All processes judge at once, as if five seconds had passed. */
async function judge(): Promise<void> {
  await begin('judge');
  await Promise.all(judges.map((one) => one.runOnce()));
}
const alerts = (state?: 'open' | 'ended'): Promise<AlertRow[]> =>
  alertPage(world.dataSource, { state, serviceId: undefined, held: null }, { before: undefined, limit: 500 });
const causes = async (state?: 'open' | 'ended'): Promise<string[]> =>
  (await alerts(state)).map(({ cause, serviceId }) => `${cause} ${serviceId ?? '-'}`).toSorted();
const set = (columns: string): Promise<unknown> => world.dataSource.query(`update project set ${columns}`);

it('finds nothing in a project where nothing is due', async () => {
  await judge();
  expect(await causes()).toEqual([]);
});

it('is one row, however many judge, until its cause was gone for two minutes', async () => {
  await set(`blocked_until = 'infinity', blocked_code = 'BAD_KEY', blocked_detail = '401/200 who are you'`);
  await judge();
  await judge();
  expect(await alerts()).toMatchObject([
    { cause: 'KEY_REFUSED', serviceId: SERVICE, since: new Date(START), endedAt: null, figure: 0 },
  ]);
  await set('blocked_until = null, blocked_code = null');
  clock.advance(119_000);
  await judge();
  expect(await causes('open')).toEqual([`KEY_REFUSED ${SERVICE}`]);
  await set(`blocked_until = 'infinity', blocked_code = 'BAD_KEY'`);
  await judge();
  await set('blocked_until = null, blocked_code = null');
  clock.advance(120_000);
  await judge();
  expect(await causes('open')).toEqual([`KEY_REFUSED ${SERVICE}`]);
  clock.advance(1_000);
  await judge();
  expect(await alerts()).toMatchObject([
    { cause: 'KEY_REFUSED', since: new Date(START), endedAt: new Date(clock.now()) },
  ]);
});

it('keeps the worst figure, and begins anew after its end', async () => {
  await world.send({ state: 'uncertain', columns: { state_at: new Date(START) } });
  clock.advance(700_000);
  await judge();
  clock.advance(100_000);
  await judge();
  await world.dataSource.query('update send set state_at = $1', [new Date(clock.now() - 650_000)]);
  await judge();
  expect(await alerts()).toMatchObject([{ cause: 'UNCERTAIN', figure: 650, worst: 800 }]);
  await world.dataSource.query(`update send set state_at = $1`, [new Date(clock.now() + 86_400_000)]);
  clock.advance(121_000);
  await judge();
  await world.dataSource.query(`update send set state_at = $1`, [new Date(START)]);
  await judge();
  expect((await alerts()).map(({ endedAt }) => endedAt === null)).toEqual([true, false]);
});

it('judges at most once in five seconds, whoever asks', async () => {
  await judge();
  await set(`blocked_until = 'infinity', blocked_code = 'STOPPED'`);
  await Promise.all(judges.map((one) => one.runOnce()));
  expect(await causes()).toEqual([]);
  await judge();
  expect(await causes()).toEqual([`STOPPED ${SERVICE}`]);
});

it.each<readonly [cause: string, begin: () => Promise<unknown>, end: () => Promise<unknown>]>([
  [
    `FAILURES ${SERVICE}`,
    async () =>
      world.copies(await world.send({ state: 'failed', columns: { ended_at: new Date(START) } }), 9),
    () => Promise.resolve(clock.advance(900_000)),
  ],
  [
    `LATE ${SERVICE}`,
    () => world.send({ dueAt: START - 60_000 }),
    () => world.dataSource.query(`delete from send where state = 'planned'`),
  ],
  [
    `QUOTA ${SERVICE}`,
    () => set(`blocked_until = now() + interval '1 year', blocked_code = 'QUOTA_EXCEEDED'`),
    () => set('blocked_until = null'),
  ],
  [
    `BLOCKED ${SERVICE}`,
    () => set(`blocked_until = 'infinity', blocked_code = 'BAD_ADDRESS'`),
    () => set('blocked_until = null'),
  ],
  [
    `CIRCUIT ${SERVICE}`,
    () => trouble('CIRCUIT_OPEN'),
    () => world.dataSource.query('delete from project_trouble'),
  ],
  [
    `CLOCK ${SERVICE}`,
    () => trouble('CLOCK_CORRECTED'),
    () => world.dataSource.query('delete from project_trouble'),
  ],
  [
    'REPLICA_UNHEARD -',
    () => world.insert('replica', { id: '018f0000-0000-7000-8000-000000000001', beat_at: new Date(0) }),
    () => world.dataSource.query('delete from replica'),
  ],
  [
    'BACKLOG -',
    () =>
      world.insert('outbox', {
        id: '018f0000-0000-7000-8000-000000000002',
        created_at: new Date(START - 300_000),
        topic: 't',
        key: 'k',
        headers: '{}',
        value: Buffer.from(''),
      }),
    () => world.dataSource.query('update outbox set published_at = now()'),
  ],
])('%s begins with its cause and ends without it', async (cause, start, end) => {
  await start();
  await judge();
  expect(await causes('open')).toEqual([cause]);
  await end();
  clock.advance(121_000);
  await judge();
  expect(await causes('open')).toEqual([]);
  expect(await causes('ended')).toEqual([cause]);
});

const begin = (name: 'judge' | 'ledger' | 'forecast'): Promise<unknown> =>
  world.dataSource.query("update alert_round set begun_at = '-infinity' where name = $1", [name]);

/** As the stage `plan` does it, as if its minute had come. */
async function watchForecast(): Promise<void> {
  const sql = world.dataSource;
  const workers = { run: () => Promise.reject(new Error('few groups need no thread')) };
  const reader = new ForecastReader({ reports: new ReportDatabase(sql), previews: sql, clock, workers });
  await begin('forecast');
  await new WatchForecast({ sql, clock, reader, aheadMs: limits.deadlineMs }).runOnce();
}

/** As the stage `report` does it, as if its ten minutes had come. */
async function watchLedger(): Promise<void> {
  const sql = world.dataSource;
  const reports = new ReportDatabase(sql).for(['alerts']);
  await begin('ledger');
  // The campaigns of this world are made by the machine's clock.
  await new WatchLedger({ sql, clock, reports, backMs: 10 * 365 * 86_400_000 }).runOnce();
}

it('DEADLINE_AHEAD begins once more is planned than the rate can send in time, and ends with a higher rate', async () => {
  await set('rate_per_second = 1');
  await world.copies(await world.send({ dueAt: START + 3_600_000 }), 1_999);
  await watchForecast();
  await judge();
  expect(await alerts()).toMatchObject([
    {
      cause: 'DEADLINE_AHEAD',
      serviceId: SERVICE,
      detail: expect.stringMatching(/ of 1 campaign will be too late/),
    },
  ]);
  await set('rate_per_second = 1000');
  await watchForecast();
  clock.advance(121_000);
  await judge();
  expect(await causes('open')).toEqual([]);
});

it('LEDGER_OUT_OF_BALANCE begins with rows that somebody wrote by hand, and ends without them', async () => {
  await watchLedger();
  await judge();
  expect(await causes('open')).toEqual([]);
  await world.send({ dueAt: START + 3_600_000 });
  await watchLedger();
  await judge();
  expect(await alerts()).toMatchObject([
    {
      cause: 'LEDGER_OUT_OF_BALANCE',
      serviceId: null,
      detail: expect.stringContaining('CAMPAIGN_WITHOUT_EVENT'),
    },
  ]);
  await world.clear();
  await watchLedger();
  clock.advance(121_000);
  await judge();
  expect(await causes('open')).toEqual([]);
});

it('CREDENTIAL_MISSING begins with a breakdown that says so, and ends a quarter of an hour later', async () => {
  await set(`extensions = '{result-breakdown}'`);
  const send = await world.send({ state: 'accepted', dueAt: START, columns: { request_id: 'r' } });
  await world.dataSource.query(
    `update send set state = 'failed', changes = changes + 1, state_at = $2, state_by = 'spec', target_count = 2, sent_count = 0
      where id = $1`,
    [send, new Date(START)],
  );
  await rollUpAll(world.dataSource, {});
  const kind = { device_type: 'APNS', country: 'KR', language: 'ko' };
  const reported = [{ ...kind, outcome: 'failed', reason: 'PROVIDER_NOT_CONFIGURED', devices: 2 }] as const;
  expect(await recordBreakdown(world.dataSource, send, reported)).toBe(true);
  await judge();
  expect(await alerts()).toMatchObject([{ cause: 'CREDENTIAL_MISSING', serviceId: SERVICE, figure: 2 }]);
  clock.advance(16 * 60_000);
  await judge();
  expect(await causes('open')).toEqual([]);
});

it('holds no connection while it reads, and drops the findings of a round that a later one has overtaken', async () => {
  const deps = { sql: world.dataSource, clock, rules, replicaSilentMs: 15_000, diskBytes: undefined };
  const readings = new Readings({ ...deps, consumers: ['rollup'], kafkaLag: undefined });
  const [first] = judges;
  const slow = new JudgeAlerts({
    database: world.dataSource,
    readings: {
      fresh: async () => {
        const reading = await readings.fresh();
        const held = await world.dataSource.query(
          `select from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()`,
        );
        expect(held).toEqual([]);
        await set(`blocked_until = 'infinity', blocked_code = 'STOPPED'`);
        await begin('judge');
        await first?.runOnce();
        return { ...reading, ledger: { differing: 1, missing: 0, detail: 'an old finding' } };
      },
    },
    limits: { ...limits, daysAhead: 0 },
    clock,
    log,
  });
  await begin('judge');
  await slow.runOnce();
  expect(await causes()).toEqual([`STOPPED ${SERVICE}`]);
});

const trouble = (code: string): Promise<unknown> =>
  world.dataSource.query(
    `insert into project_trouble (service_id, process, code, detail, since, seen_at)
     values ($1, '018f0000-0000-7000-8000-000000000003', $2, 'why', clock_timestamp(), clock_timestamp())`,
    [SERVICE, code],
  );

it('counts the records of each partition that intake has not taken, of those that Kafka still has', async () => {
  await world.insert('partition_place', { topic: 't', partition: 0, next_offset: 7, server: 'a' });
  const ends = [
    { topic: 't', partition: 0, first: '0', next: '10' },
    { topic: 't', partition: 1, first: '5', next: '9' },
    { topic: 't', partition: 2, first: '3', next: '3' },
  ];
  expect(await readLag(world.dataSource, ends)).toEqual([
    { topic: 't', partition: 0, records: 3 },
    { topic: 't', partition: 1, records: 4 },
    { topic: 't', partition: 2, records: 0 },
  ]);
});
