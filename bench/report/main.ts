// npm run bench:report [-- --sends=10000000 --campaigns=20000 --days=100] — figures over many campaigns, read from the rollups,
// against the very same figures by a GROUP BY over the sends, in the same run, and pages of lists; ends with 1 when one is
// missed. Sends lie on the day of their due, so that the rival reads that day's partition alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { createDataSource, type Sql } from '../../src/platform/database/database.js';
import { migrate } from '../../src/platform/database/migrate-database.js';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { inSnapshot } from '../../src/platform/database/snapshot.js';
import { ATTENTION_STATES } from '../../src/scheduler/decide/lifecycle/send-state.js';
import {
  attentionStatesOf,
  campaignPage,
  countSends,
  nextDueOf,
} from '../../src/scheduler/report/lists/campaign-list.store.js';
import { cellPage } from '../../src/scheduler/report/lists/cell-page.store.js';
import { failureGroups } from '../../src/scheduler/report/lists/failure-groups.store.js';
import { reportTotals } from '../../src/scheduler/report/campaign/report-rows.store.js';
import type { SendFilter } from '../../src/scheduler/store/read/send-filter.js';
import { sendPage } from '../../src/scheduler/store/read/send-view.store.js';
import { groupedPage } from '../../src/scheduler/report/over-campaigns/grouped-report.store.js';
import { LENGTHS_REPORT } from '../../src/scheduler/report/over-campaigns/lateness.store.js';
import { summaryReport } from '../../src/scheduler/report/over-campaigns/summary.store.js';
import { startPostgres } from '../../tools/postgres.js';
import { median, report, timedAsync, type Finding } from '../measure.js';
import { COUNT_ALL } from './count-all.js';
import { fillDays, fillLarge, type Sizes } from './fill-days.js';

const ROUNDS = 5;
const DAY_MS = 86_400_000;
/** Sends of a day, from which on a report is to be so much faster. */
const LARGE_DAY = 100_000;

const { values } = parseArgs({
  options: {
    sends: { type: 'string', default: '100000' },
    campaigns: { type: 'string', default: '200' },
    days: { type: 'string', default: '10' },
  },
});
const sizes: Sizes = {
  sends: Number(values.sends),
  campaigns: Number(values.campaigns),
  days: Number(values.days),
};

const PAGE = { after: undefined, limit: 500 };
const OF = `${sizes.sends} sends, ${sizes.campaigns} campaigns, ${sizes.days} days`;
const under50Ms = (name: string, value: number): Finding => ({
  name,
  value,
  unit: 'ms',
  bound: { kind: 'at most', value: 50 },
  detail: OF,
});

/** The rival, over the same rows: sums by hour, zone and outcome. */
const RIVAL = `
select date_trunc('hour', s.due_at, 'UTC') as hour, k.zone, s.state, s.code, count(*), sum(s.target_count), sum(s.sent_count)
  from send s join cell k on k.campaign = s.campaign and k.occurrence = s.occurrence and k.cell = s.cell
 where s.ended_at >= $1 and s.ended_at < $2 and s.due_at >= $1 and s.due_at < $2 and s.next_send is null
 group by grouping sets ((1, 2, 3, 4), ())`;

const stateDir = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
const postgres = await startPostgres({ stateDir });
const database = createDataSource({
  url: await postgres.ensureDatabase('bench'),
  schema: 'scheduler',
  migrations: schedulerMigrations,
  poolSize: 4,
  applicationName: 'bench',
  // Filling and counting ten million sends take minutes.
  limits: { statementMs: 0, answerMs: 0, idleInTransactionMs: 0 },
});
// Compiled, this file lies in dist/bench/report.
const root = fileURLToPath(new URL('../../../', import.meta.url));
try {
  await database.initialize();
  await migrate(database);
  const { sends, campaigns, days } = sizes;
  const command = `npm run bench:report -- --sends=${sends} --campaigns=${campaigns} --days=${days}`;
  const section = `## Reports\n\n\`${command}\`; each day in a partition of its own.`;
  if (!report(root, await measure(database), section)) process.exitCode = 1;
} finally {
  await database.destroy();
  await postgres.remove();
  rmSync(stateDir, { recursive: true, force: true });
}

async function measure(sql: PooledDatabase): Promise<Finding[]> {
  const first = await fillDays(sql, sizes);
  const large = await fillLarge(sql, first, sizes.sends / 10);
  const countedMs = await timedAsync(() => sql.query(COUNT_ALL));
  await sql.query(
    'vacuum (analyze) send_rollup, length_rollup, send_rollup_hour, length_rollup_hour, occurrence, cell, send',
  );
  const from = first.getTime() + Math.floor(sizes.days / 2) * DAY_MS;
  const month = { serviceIds: null, from: first.getTime(), to: first.getTime() + 30 * DAY_MS };
  const byZone = { by: ['zone'], filter: month, order: 'key' } as const;
  return [
    await aDay(sql, from),
    under50Ms(
      'a month by zone',
      await medianMs(() => inSnapshot(sql, (own) => groupedPage(own, summaryReport(false), byZone, PAGE))),
    ),
    {
      name: "a month's lateness by zone",
      value: await medianMs(() => inSnapshot(sql, (own) => groupedPage(own, LENGTHS_REPORT, byZone, PAGE))),
      unit: 'ms',
      detail: OF,
    },
    await aLargeCampaign(sql, large),
    ...(await readPages(sql, new Date(from))),
    {
      name: 'the migration that counts what is kept',
      value: countedMs / (sizes.sends / 1e6) / 1_000,
      unit: 's a million sends',
      detail: `${OF}: ${Math.round(countedMs)} ms`,
    },
  ];
}

async function aDay(sql: PooledDatabase, from: number): Promise<Finding> {
  const filter = { serviceIds: null, from, to: from + DAY_MS };
  const sums = await medianMs(() =>
    inSnapshot(sql, async (own) => {
      await groupedPage(own, summaryReport(false), { by: ['hour', 'zone'], filter, order: 'key' }, PAGE);
    }),
  );
  const rival = await medianMs(() => sql.query(RIVAL, [new Date(from), new Date(from + DAY_MS)]));
  const tables = ['send_rollup', 'length_rollup', 'send_rollup_hour', 'length_rollup_hour'];
  const [{ rows, bytes } = { rows: 0, bytes: 0 }] = await sql.query<{ rows: number; bytes: number }>(
    `select (select count(*) from send_rollup)::float8 as rows, sum(pg_total_relation_size(t::regclass))::float8 as bytes
       from unnest($1::text[]) t`,
    [tables],
  );
  return {
    name: "a day's summary by hour and zone with its totals, against a GROUP BY over that day's sends",
    value: rival / sums,
    unit: '× faster',
    // Of fewer the rival has little to do, and both are round trips.
    ...(sizes.sends / sizes.days >= LARGE_DAY && { bound: { kind: 'at least', value: 50 } as const }),
    detail: `${OF}: ${sums.toFixed(1)} ms, ${rival.toFixed(1)} ms; ${rows} rows and ${Math.round(bytes / 1e6)} MB of rollups`,
  };
}

async function aLargeCampaign(sql: PooledDatabase, campaign: string): Promise<Finding> {
  const filter = { serviceIds: null, campaign };
  const read = async (own: Sql): Promise<void> => {
    await groupedPage(own, summaryReport(false), { by: ['zone'], filter, order: 'key' }, PAGE);
  };
  const ms = await medianMs(() => inSnapshot(sql, read));
  const lookUps = await inSnapshot(sql, async (own) => {
    const before = await lookUpsOf(own);
    await read(own);
    return (await lookUpsOf(own)) - before;
  });
  return {
    name: `a campaign of ${sizes.sends / 10} sends by zone, with its totals`,
    value: lookUps,
    unit: 'index look-ups',
    bound: { kind: 'at most', value: 30 },
    detail: `${OF}: ${ms.toFixed(1)} ms`,
  };
}

/** Index look-ups of the transaction until now, of functions that it called too. */
async function lookUpsOf(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ scans: number }>(
    'select coalesce(sum(idx_scan), 0)::float8 as scans from pg_stat_xact_user_tables',
  );
  return row?.scans ?? NaN;
}

/** Pages of lists, and a campaign's report, each by the functions that answer for them. */
async function readPages(sql: PooledDatabase, day: Date): Promise<Finding[]> {
  const [{ campaign } = { campaign: '' }] = await sql.query<{ campaign: string }>(
    'select id as campaign from campaign where id >= uuid_floor($1) order by id limit 1',
    [day],
  );
  const all = { serviceIds: null, newestOnly: false };
  const newest = { newest: true, from: undefined, limit: 51 };
  const dueFrom = day.toISOString();
  const dueTo = new Date(day.getTime() + DAY_MS).toISOString();
  const sends = (filter: Partial<SendFilter>): Promise<unknown> =>
    inSnapshot(sql, (own) => sendPage(own, { ...all, ...filter }, newest));
  const campaigns = (): Promise<void> =>
    inSnapshot(sql, async (own) => {
      const { rows } = await campaignPage(own, all, newest);
      await attentionStatesOf(own, rows);
      await countSends(own, rows);
      await nextDueOf(own, rows, new Date());
    });
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    'the newest sends': () => sends({}),
    'failed sends': () => sends({ state: ['failed'] }),
    "a campaign's sends": () => sends({ campaign }),
    'sends by due': () => sends({ dueFrom, dueTo }),
    'sends of a zone': () => sends({ zone: 'Zone/7' }),
    'failures by code and campaign': () =>
      failureGroups(sql, { ...all, state: [...ATTENTION_STATES], newestOnly: true }, ['code', 'campaign'], {
        after: undefined,
        limit: 51,
      }),
    campaigns,
    "a campaign's plan": () => cellPage(sql, { campaign }, { after: undefined, limit: 51 }),
    "a campaign's report": () => inSnapshot(sql, (own) => reportTotals(own, campaign)),
  };
  const measured: Finding[] = [];
  for (const [name, read] of Object.entries(reads))
    measured.push(under50Ms(`a page: ${name}`, await medianMs(read)));
  return measured;
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  await work();
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await timedAsync(work));
  return median(rounds);
}
