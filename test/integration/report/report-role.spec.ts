// The role carillon_report as somebody with psql has it: it reads the views, fast where their comments say so, and nothing
// else; and the queries of docs/use/reports-sql.md and of the examples in deploy/ run as it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installReportViews } from '../../../migrations/install-report-views.js';
import { migrate } from '../../../src/platform/database/migrate-database.js';
import { SEND_TERMS } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { REPORT_VIEWS } from '../../../src/scheduler/report/figures/report-views.js';
import { asReportRole, makeReportRole } from '../../support/postgres/report-role.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { endLongReports, isUnwatched } from '../../../src/scheduler/admin/housekeeping/report-watch.store.js';
import { eventually } from '../../support/eventually.js';
import { projectRoot } from '../../../tools/project.js';
import { insertRetries } from '../../../src/scheduler/store/send/retry.store.js';
import { v7 } from 'uuid';
import { addPastDays } from '../../../tools/past-days.js';
import { PlanWorld, START, users } from '../../support/scheduler/plan-world.js';

/** What now() is to the queries: the Thursday after START, so that they find what these specs plan whenever they run. */
const NOW = `timestamptz '2027-03-04T12:00:00Z'`;
const FROM = `date_trunc('week', ${NOW}) - interval '7 days'`;
const TO = `date_trunc('week', ${NOW})`;

let world: PlanWorld;
let client: Client;
let campaign: string;

beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  const { id, sends } = await world.planned({ audience: users(3) });
  campaign = id;
  await world.lead(sends[0] ?? '', ['sending', 'accepted', 'sent'], {
    request_id: 'r',
    answered_at: new Date(START + 1_000),
    target_count: 3,
    sent_count: 2,
  });
  await world.rows(
    `insert into breakdown_rollup (minute, service_id, campaign, zone, mode, device_type, country, state, reported_device_type, reported_country,
                                   language, outcome, reason, devices)
     select ${TO} - interval '1 day', k.service_id, k.id, 'Asia/Seoul', 'immediate', 'all', 'all', 'sent', 'GCM', 'KR', 'ko', t.outcome, t.reason, t.devices
       from campaign k, (values ('sent', null, 2), ('failed', 'REJECTED', 1), ('suppressed', 'NIGHT', 4)) as t(outcome, reason, devices)
      where k.id = $1`,
    [id],
  );
  await makeReportRole(world.url);
  client = await asReportRole(world.url);
});
afterAll(async () => {
  await client.end();
  await world.close();
});

const VIEWS = Object.keys(REPORT_VIEWS);
/** With the view of breakdowns. */
const ALL_VIEWS = [...VIEWS, 'report_breakdown'];

/** Its code and words, where the database refuses a statement. */
async function refusal(statement: string): Promise<string | undefined> {
  try {
    await client.query(statement);
    return undefined;
  } catch (error) {
    return `${(error as { code?: string }).code} ${(error as Error).message}`;
  }
}

describe('the role carillon_report', () => {
  it('reads the views by their names alone', async () => {
    for (const view of ALL_VIEWS) {
      const { rows } = await client.query(`select * from ${view} where campaign = $1`, [campaign]);
      expect([view, rows.length > 0]).toEqual([view, true]);
    }
    const { rows } = await client.query('select sum(devices_sent)::int as sent from report_cell');
    expect(rows).toEqual([{ sent: 2 }]);
  });

  it('reads no other table or view of either service', async () => {
    const relations = await world.rows<{ name: string }>(
      `select format('%I.%I', relnamespace::regnamespace, relname) as name from pg_class
        where relnamespace in ('scheduler'::regnamespace, 'push'::regnamespace) and relkind in ('r', 'p', 'v') and relname <> all($1)`,
      [ALL_VIEWS],
    );
    expect(relations.length).toBeGreaterThan(80);
    for (const { name } of relations)
      expect([name, await refusal(`select from ${name}`)]).toEqual([
        name,
        expect.stringMatching(/^42501 permission denied for (table|view|schema) /),
      ]);
  });

  it('writes nothing, by no statement and no function, even where it lifts its own read-only default', async () => {
    expect(await refusal('create temporary table kept (n int)')).toMatch(/^25006 /);
    await client.query('set default_transaction_read_only = off');
    try {
      expect(await refusal('create table scheduler.mine (n int)')).toMatch(/^42501 /);
      expect(await refusal('create table push.mine (n int)')).toMatch(/^42501 /);
      for (const view of ALL_VIEWS) {
        expect(await refusal(`delete from ${view}`)).toMatch(/^(42501|55000) /);
      }
      const functions = await world.rows<{ name: string; call: string }>(
        `select p.oid::regprocedure::text as name,
                format('select %s(%s)', p.oid::regproc,
                       (select string_agg(case when t.oid = 'uuid[]'::regtype then format('array[%L]::uuid[]', $1::text)
                                               when t.typelem <> 0 and t.typlen = -1 then format('array[null]::%s', t.oid::regtype)
                                               when t.oid = 'uuid'::regtype then format('%L::uuid', $1::text)
                                               when t.oid = 'text'::regtype then '''send'''
                                               when t.oid = 'timestamptz'::regtype then 'now()'
                                               else format('%L::%s', case when t.typcategory = 'N' then '1' else null end, t.oid::regtype) end, ', ' order by a.place)
                          from unnest(p.proargtypes) with ordinality a(type, place) join pg_type t on t.oid = a.type)) as call
           from pg_proc p where p.pronamespace = 'scheduler'::regnamespace and p.provolatile = 'v' and p.prorettype <> 'trigger'::regtype`,
        [campaign],
      );
      expect(functions.length).toBeGreaterThan(15);
      const taken: string[] = [];
      for (const { name, call } of functions) {
        const refused = await refusal(call);
        // Statements that are refused before they read anything have their own error texts.
        if (!/^(42501|23514 send .* may not go|40001 the database server was) /.test(refused ?? ''))
          taken.push(`${name}: ${refused}`);
      }
      expect(taken).toEqual([]);
    } finally {
      await client.query('reset default_transaction_read_only');
    }
  });

  it('is cut off after a minute, and does not hold a transaction open for longer', async () => {
    const { rows } = await client.query(
      `select name, setting from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout',
              'default_transaction_read_only', 'TimeZone') order by 1`,
    );
    expect(rows).toEqual([
      { name: 'TimeZone', setting: 'UTC' },
      { name: 'default_transaction_read_only', setting: 'on' },
      { name: 'idle_in_transaction_session_timeout', setting: '60000' },
      { name: 'statement_timeout', setting: '60000' },
    ]);
  });

  it('is refused what PostgreSQL lets every role do: temporary tables, advisory locks, large objects, notifications by function', async () => {
    await client.query('set default_transaction_read_only = off');
    try {
      for (const statement of [
        'create temporary table kept (n int)',
        'select 1 as n into temporary kept',
        "select pg_notify('carillon_plan', '')",
        'select pg_advisory_lock(1)',
        "select lo_from_bytea(0, 'fills the disk')",
        "select pg_logical_emit_message(false, 'fills', 'the log')",
        'select pg_try_advisory_xact_lock_shared(1, 2)',
        'set temp_file_limit = -1',
        'alter role carillon_report set temp_file_limit = -1',
      ])
        expect([statement, await refusal(statement)]).toEqual([statement, expect.stringMatching(/^42501 /)]);
    } finally {
      await client.query('reset default_transaction_read_only');
    }
  });

  it('is cut off by the scheduler where it has lifted its own time-outs, and left alone where it is quick', async () => {
    const endless = await asReportRole(world.url);
    const idle = await asReportRole(world.url);
    for (const one of [endless, idle]) {
      one.on('error', () => undefined);
      await one.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
    }
    const ended = endless.query('select pg_sleep(3600)').then(
      () => 'slept',
      (error: { code?: string }) => error.code,
    );
    await idle.query('begin; select 1');
    const running = async (): Promise<number> =>
      (
        await world.rows<{ n: number }>(
          "select count(*)::int as n from pg_stat_activity where usename = 'carillon_report' and datname = current_database() and xact_start is not null",
        )
      )[0]?.n ?? 0;
    await eventually(async () => expect(await running()).toBe(2));
    expect(await endLongReports(world.dataSource)).toBe(0);

    // The role that owns the schema is no superuser: the script gave it this right.
    const owner = new Client({ connectionString: world.url });
    await owner.connect();
    try {
      await owner.query(
        `create role owner_of_the_spec; grant create on database ${new URL(world.url).pathname.slice(1)} to owner_of_the_spec`,
      );
      await owner.query('set role owner_of_the_spec');
      const asOwner: Sql = {
        query: async <Row>(text: string, parameters?: readonly unknown[]) =>
          (await owner.query(text, parameters as unknown[])).rows as Row[],
      };
      expect(await isUnwatched(asOwner)).toBe(true);
      expect(await endLongReports(asOwner, 0)).toBe(0);
      await makeReportRole(world.url);
      expect(await isUnwatched(asOwner)).toBe(false);
      expect(await endLongReports(asOwner, 0)).toBe(2);
      // The owner has kept these rights for itself.
      await owner.query("select pg_notify('carillon_plan', ''), pg_advisory_lock(1)");
      await owner.query('create temporary table kept (n int)');
    } finally {
      await owner.query('reset role; drop table if exists kept');
      await owner.query('drop owned by owner_of_the_spec; drop role owner_of_the_spec');
      await owner.end();
    }
    expect(await ended).toBe('57P01');
    await eventually(async () => expect(await running()).toBe(0));
    expect(await refusal('select 1')).toBeUndefined();
    await Promise.all([endless, idle].map((one) => one.end().catch(() => undefined)));
  });

  it('keeps its grants when a migration makes the views anew, and gets them from one that comes after it', async () => {
    await world.dataSource.transaction((sql) => installReportViews(sql));
    expect(await refusal('select 1 from report_campaign')).toBeUndefined();
    await makeReportRole(world.url);
    expect(await refusal('select 1 from report_campaign')).toBeUndefined();

    const later = await PlanWorld.open();
    try {
      await later.rows('drop schema scheduler cascade');
      // Nothing is there to be granted yet.
      await makeReportRole(later.url);
      await migrate(later.dataSource);
      const analyst = await asReportRole(later.url);
      const { rows } = await analyst.query('select * from report_send');
      await analyst.end();
      expect(rows).toEqual([]);
    } finally {
      await later.close();
    }
  });
});

describe('the filters that are cheap', () => {
  const planOf = async (query: string): Promise<string> => {
    // With few rows PostgreSQL would rather read them all: this asks for its plan without that choice.
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${query}`);
    await client.query('reset enable_seqscan');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const partitions = async (): Promise<string[]> =>
    (
      await world.rows<{ name: string }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'send'::regclass`,
      )
    ).map(({ name }) => name);

  beforeAll(() => addPastDays(world.dataSource, Date.parse('2026-01-20T00:00:00Z'), 21));

  it.each(VIEWS)('%s by campaign reads by the index of a campaign, of every day', async (view) => {
    const plan = await planOf(`select * from ${view} where campaign = '${campaign}'`);
    for (const name of await partitions()) {
      expect(plan).toMatch(new RegExp(`(Index|Bitmap Heap) Scan .*on ${name} `));
      expect(plan).not.toContain(`Seq Scan on ${name} `);
    }
    expect(plan.match(/Index Cond: \(+campaign = /g)?.length).toBeGreaterThanOrEqual(
      (await partitions()).length,
    );
  });

  it.each([
    ['report_campaign', "created_at >= '2027-02-22' and created_at < '2027-03-08'"],
    ['report_campaign', "first_due >= '2027-02-22'"],
    ['report_cell', "due_at >= '2027-02-22' and due_at < '2027-03-08'"],
    ['report_cell', "first_due < '2027-03-08' and last_due >= '2027-02-22'"],
    ['report_lateness', "due_at >= '2027-02-22' and due_at < '2027-03-08'"],
  ])('%s where %s reads the sends of what is left alone, by the same index', async (view, where) => {
    const plan = await planOf(`select * from ${view} where ${where}`);
    for (const name of await partitions()) expect(plan).not.toContain(`Seq Scan on ${name} `);
    expect(plan.match(/Index Cond: \(+campaign = /g)?.length).toBeGreaterThanOrEqual(
      (await partitions()).length,
    );
  });

  it('a filter by the due of a cell comes before the sends are read', async () => {
    const far = await client.query<{ 'QUERY PLAN': string }>(
      "explain (analyze, timing off, costs off) select * from report_cell where due_at > '2099-01-01'",
    );
    const sends = far.rows.map((row) => row['QUERY PLAN']).filter((line) => / on send_/.test(line));
    expect(sends.length).toBeGreaterThan(0);
    expect(sends.filter((line) => !line.includes('(never executed)'))).toEqual([]);
  });

  const dayOf = (day: number): string => {
    const at = new Date(Date.parse('2026-01-20') + day * 86_400_000);
    return `send_${at.toISOString().slice(0, 10).replaceAll('-', '_')}`;
  };

  it('report_send by the end of sends reads the days from then on alone', async () => {
    const of = async (from: string): Promise<string[]> => {
      const plan = await planOf(`select * from report_send where ended_at >= '${from}'`);
      return (await partitions()).filter((name) => plan.includes(` on ${name} `)).sort();
    };
    const all = await of('2000-01-01');
    expect(all).toEqual((await partitions()).sort());
    const later = await of('2026-02-05');
    expect(all.filter((name) => !later.includes(name)).sort()).toEqual(
      [...Array.from({ length: 16 }, (_, day) => dayOf(day)), 'send_old'].sort(),
    );
  });
});

describe('the queries of the pages', () => {
  const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
  const page = read('docs/use/reports-sql.md');
  const Dashboard = z.object({
    panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ rawSql: z.string() })) })),
  });
  const { panels } = Dashboard.parse(JSON.parse(read('deploy/grafana/carillon-reports.json')));

  /** By heading or title. */
  const QUERIES: readonly (readonly [title: string, query: string])[] = [
    ...page
      .split(/^### /m)
      .slice(1)
      .flatMap((part) =>
        [...part.matchAll(/```sql\n(.*?)```/gs)].map(
          ([, query = '']) => [part.split('\n')[0] ?? '', query.replaceAll('now()', NOW)] as const,
        ),
      ),
    ...panels.flatMap(({ title, targets }) =>
      targets.map(({ rawSql }) => [`Grafana: ${title}`, asGrafanaAsks(rawSql)] as const),
    ),
    ...read('deploy/metabase/questions.sql')
      .split(/;\n/)
      .filter((text) => text.includes('select'))
      .map((text) => {
        const title = /^-- (.*?)\. Chart: /m.exec(text)?.[1] ?? '';
        return [`Metabase: ${title}`, text.replaceAll('{{from}}', FROM).replaceAll('{{to}}', TO)] as const;
      }),
  ];
  const rowsOf = async (title: string): Promise<Record<string, unknown>[]> => {
    const found = QUERIES.find(([of]) => of === title);
    return (await client.query<Record<string, unknown>>(found?.[1] ?? `no query of ${title}`)).rows;
  };

  beforeAll(async () => {
    // In Seoul at ten on the Saturday of last week; one of its requests is retried, one fails for good.
    const { id, sends } = await world.planned({
      audience: users(4),
      delivery: { kind: 'wall', local: '2027-03-03T10:00', zone: 'Asia/Seoul' },
    });
    const due = `${TO} - interval '2 days' + interval '1 hour'`;
    await world.damage(`update cell set due_at = ${due} where campaign = $1`, [id]);
    await world.damage(`update send set due_at = ${due}, intended_at = ${due} where campaign = $1`, [id]);
    const [first = '', second = '', third = '', fourth = ''] = sends;
    const [{ due_at: dueAt } = { due_at: new Date(0) }] = await world.rows<{ due_at: Date }>(
      'select due_at from send where id = $1',
      [first],
    );
    const counts = (sent: number): Record<string, unknown> => ({
      request_id: `r-${sent}`,
      answered_at: dueAt,
      complete_time: new Date(dueAt.getTime() + 4_000),
      target_count: 10,
      sent_count: sent,
      handed_off_at: dueAt,
    });
    await world.lead(first, ['sending', 'reserved', 'accepted', 'sent'], counts(9));
    await world.lead(second, ['sending', 'reserved', 'accepted', 'failed'], counts(0));
    await world.lead(third, ['sending', 'rejected']);
    await world.damage("update send set code = 'ALL_FAILED' where id = $1", [second]);
    await world.damage("update send set code = 'BAD_CHANNEL' where id = $1", [third]);
    const retry = v7({ msecs: START });
    await insertRetries(world.dataSource, [{ of: second, id: retry, dueAt: START }], START, 'spec');
    await world.lead(retry, ['sending', 'accepted', 'sent'], { ...counts(10), answered_at: new Date(START) });
    await world.lead(fourth, ['skipped']);
    const nobody = await world.planned();
    await world.lead(nobody.sends[0] ?? '', ['sending', 'accepted', 'empty'], {
      target_count: 0,
      sent_count: 0,
    });
    while ((await world.closeFinished.runOnce()) > 0);
  });

  it('stand beside what the figures are: every term of sends, every kind of length, every view', () => {
    const pages = `${read('docs/use/reports.md')}\n${page}`;
    const documented = [...pages.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name);
    expect(documented).toEqual(expect.arrayContaining([...SEND_TERMS, ...ALL_VIEWS]));
    expect(documented).toEqual(
      expect.arrayContaining(['immediate', 'reserved', 'deferral', 'recovered-after']),
    );
  });

  it('are all of the page’s, and some of each example', () => {
    expect(page.match(/```sql/g)).toHaveLength(
      QUERIES.filter(([title]) => !/^(Grafana|Metabase): /.test(title)).length,
    );
    expect(QUERIES.length).toBeGreaterThan(14);
    expect(QUERIES.filter(([title]) => title.endsWith(': '))).toEqual([]);
  });

  it.each(QUERIES)('%s', async (_, query) => {
    const { rows } = await client.query<Record<string, unknown>>(query);
    expect(rows).not.toEqual([]);
  });

  it('show what was: by hour and zone, how late, why it failed, and what a retry came to', async () => {
    expect(await rowsOf("Last week's sends by hour and zone")).toEqual([
      {
        zone: 'Asia/Seoul',
        local_hour: 10,
        planned: '4',
        sent: '2',
        otherwise: '2',
        devices: '20',
        devices_sent: '19',
        percent_sent: '95.0',
      },
    ]);
    expect(await rowsOf('Devices by type and language, as breakdowns report them')).toEqual([
      {
        device_type: 'GCM',
        language: 'ko',
        sent: '2',
        failed: '1',
        unknown: null,
        suppressed: '4',
        why: 'NIGHT, REJECTED',
      },
    ]);
    expect(await rowsOf('Worst lateness')).toMatchObject([
      { kind: 'reserved', zone: 'Asia/Seoul', max_ms: 4_000 },
      { kind: 'immediate', max_ms: 1_000 },
    ]);
    expect(await rowsOf('Reasons of failure')).toMatchObject([
      { state: 'rejected', reason: 'BAD_CHANNEL', sends: '1' },
    ]);
    expect(await rowsOf('Retries, and what they came to')).toMatchObject([
      { was: 'failed', code: 'ALL_FAILED', retry_is: 'sent', still_counts: true, retries: '1' },
    ]);
    const zones = await rowsOf('Why one zone got fewer than expected');
    expect(zones.find(({ zone }) => zone === 'Asia/Seoul')).toMatchObject({
      planned: '8',
      sent: '3',
      empty: '1',
      skipped: '1',
    });
  });
});

/** With the macros of Grafana's data source put in place. */
function asGrafanaAsks(query: string): string {
  return query
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 between ${FROM} and ${TO}`)
    .replaceAll('$__timeFrom()', `(${FROM})`)
    .replaceAll(/\$__timeGroup\((\w+), '1h'\)/g, `date_trunc('hour', $1)`);
}
