// One campaign of 1 200 cells, from the event's bytes to planned rows in a durable PostgreSQL, against the very same rows
// (cells and sends) written under another campaign by one statement over unnest.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database/database.js';
import { Sealer } from '../../src/platform/secrets/sealed.js';
import { Secret } from '../../src/platform/env.js';
import { migrate } from '../../src/platform/database/migrate-database.js';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { loadZoneRules } from '../../src/zone-rules/load-zone-rules.js';
import { AcceptEvents } from '../../src/scheduler/accept/accept-events.js';
import { EventParser } from '../../src/scheduler/accept/event-parser.js';
import type { RawEvent } from '../../src/scheduler/accept/parse/raw-event.js';
import type { ZoneRules } from '../../src/zone-rules/zone-rules.js';
import { PlanDue } from '../../src/scheduler/plan/plan-due.js';
import { PlanMaker } from '../../src/scheduler/plan/plan-maker.js';
import { ProjectStore } from '../../src/scheduler/store/project.store.js';
import { startPostgres } from '../../tools/postgres.js';
import { median, timedAsync, type Finding } from '../measure.js';

const CELLS = 1_200;
const ROUNDS = 9;
const SERVICE = 'bench';

export async function planToRows(): Promise<Finding> {
  const stateDir = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const postgres = await startPostgres({ stateDir });
  const dataSource = createDataSource({
    url: await postgres.ensureDatabase('bench'),
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: 4,
    applicationName: 'bench',
  });
  try {
    await dataSource.initialize();
    await migrate(dataSource);
    return await compare(dataSource);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await postgres.remove();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

async function compare(dataSource: PooledDatabase): Promise<Finding> {
  const clock = new SystemClock();
  const log = pino({ level: 'warn' });
  const rules = loadZoneRules({ directory: process.env['TZDATA_DIR'] });
  const now = new Date(clock.now());
  await dataSource.query(
    `insert into project (service_id, base_url, lookup_max, created_at, updated_at) values ($1, 'http://127.0.0.1:9', 0, $2, $2)`,
    [SERVICE, now],
  );
  const accept = new AcceptEvents({
    inTransaction: (work) => dataSource.transaction(work),
    clock,
    rules,
    parser: new EventParser({ rules }),
    topics: { dead: 'campaign.events.dead', outcomes: 'campaign.outcomes' },
    log,
  });
  const projects = new ProjectStore(
    dataSource,
    new Sealer(new Secret(`bench:${Buffer.alloc(32).toString('base64')}`)),
    clock,
  );
  const planDue = new PlanDue({
    database: dataSource,
    clock,
    log,
    rules,
    plans: new PlanMaker({ rules }),
    projects,
    offsetCacheMs: 86_400_000,
  });

  const ours: number[] = [];
  const inserts: number[] = [];
  let rows = 0;
  // The first round warms caches and plans on both sides.
  for (let round = -1; round < ROUNDS; round += 1) {
    const event = eventOf(`c-${round}`, rules, now);
    const before = await countRows(dataSource);
    const our = await timedAsync(async () => {
      const [verdict] = await accept.accept([event]);
      if (verdict?.kind !== 'accepted')
        throw new Error(`the event was not taken: ${JSON.stringify(verdict)}`);
      await planDue.runOnce();
    });
    rows = (await countRows(dataSource)) - before;
    const same = await sameRows(dataSource, `c-${round}`);
    const insert = await timedAsync(() => dataSource.query(INSERT_SAME, same));
    const inserted = (await countRows(dataSource)) - before - rows;
    if (inserted !== rows) throw new Error(`${rows} rows were planned, and ${inserted} inserted`);
    if (round < 0) continue;
    ours.push(our);
    inserts.push(insert);
  }
  if (rows < CELLS * 2) throw new Error(`only ${rows} rows were planned`);
  return {
    name: `a campaign of ${CELLS} cells, event to planned rows, against one unnest insert of the same rows`,
    value: median(inserts) / median(ours),
    unit: '×',
    bound: { kind: 'at least', value: 0.5 },
    detail: `${rows} rows, ours ${Math.round(median(ours))} ms, insert ${Math.round(median(inserts))} ms`,
  };
}

function eventOf(campaignId: string, rules: ZoneRules, now: Date): RawEvent {
  const zones = rules.names();
  const segments = Array.from({ length: CELLS }, (_, index) => ({
    zone: zones[index % zones.length],
    audience: { type: 'CHANNEL', to: [`channel-${index}`] },
  }));
  const at = new Date(now.getTime() + 7 * 86_400_000).toISOString().slice(0, 16);
  const event = {
    specversion: '1.0',
    id: v7(),
    source: '/bench',
    type: 'carillon.campaign.scheduled.v1',
    subject: campaignId,
    time: now.toISOString(),
    data: {
      serviceId: SERVICE,
      message: { default: { content: 'hello' } },
      delivery: { at, zone: 'recipient', segments },
    },
  };
  return {
    via: 'http',
    headers: { 'content-type': 'application/cloudevents+json' },
    body: Buffer.from(JSON.stringify(event)),
    caller: { tokenId: v7(), holds: () => true, takes: () => true },
  };
}

async function countRows(dataSource: PooledDatabase): Promise<number> {
  const [row] = await dataSource.query<{ count: number }>(
    'select (select count(*) from cell)::int + (select count(*) from send)::int as count',
  );
  return row?.count ?? 0;
}

/** What planning gives a value to, with its type; what begins at a default comes by itself. */
const CELL = {
  campaign: 'uuid',
  occurrence: 'text',
  cell: 'text',
  revision: 'int',
  zone: 'text',
  zone_source: 'text',
  segment: 'int',
  device_type: 'text',
  country: 'text',
  target: 'jsonb',
  local_reading: 'jsonb',
  intended_at: 'timestamptz',
  due_at: 'timestamptz',
  hand_off_at: 'timestamptz',
  mode: 'text',
  mode_rule: 'text',
  verdicts: 'jsonb',
  chunks: 'int',
} as const;
const SEND = {
  id: 'uuid',
  service_id: 'text',
  campaign: 'uuid',
  revision: 'int',
  occurrence: 'text',
  cell: 'text',
  chunk: 'int',
  state: 'text',
  mode: 'text',
  mode_rule: 'text',
  intended_at: 'timestamptz',
  due_at: 'timestamptz',
  next_at: 'timestamptz',
  state_at: 'timestamptz',
  state_by: 'text',
  created_at: 'timestamptz',
} as const;

const namesOf = (columns: Readonly<Record<string, string>>): string => Object.keys(columns).join(', ');
const unnested = (columns: Readonly<Record<string, string>>, first: number): string =>
  `select * from unnest(${Object.values(columns)
    .map((type, index) => `$${first + index}::${type}[]`)
    .join(', ')})`;

const INSERT_SAME = `
  with cells as (insert into cell (${namesOf(CELL)}) ${unnested(CELL, 1)})
  insert into send (${namesOf(SEND)}) ${unnested(SEND, 1 + Object.keys(CELL).length)}`;

/** The rows of a planned campaign under new ids, as columns. Read before the clock runs: only the insert is measured. */
async function sameRows(dataSource: PooledDatabase, campaignId: string): Promise<unknown[]> {
  const campaign = v7();
  const read = (
    columns: Readonly<Record<string, string>>,
    table: string,
  ): Promise<Record<string, unknown>[]> => {
    const texts = Object.entries(columns).map(([name, type]) =>
      type === 'jsonb' ? `r.${name}::text as ${name}` : `r.${name}`,
    );
    return dataSource.query(
      `select ${texts.join(', ')} from ${table} r join campaign c on c.id = r.campaign where c.campaign_id = $1`,
      [campaignId],
    );
  };
  const [cells, sends] = [await read(CELL, 'cell'), await read(SEND, 'send')];
  const valueOf = (row: Record<string, unknown>, name: string): unknown =>
    name === 'campaign' ? campaign : name === 'id' ? v7() : row[name];
  return [
    ...Object.keys(CELL).map((name) => cells.map((row) => valueOf(row, name))),
    ...Object.keys(SEND).map((name) => sends.map((row) => valueOf(row, name))),
  ];
}
