// One campaign of 1 200 cells, from the event's bytes to planned rows in a durable PostgreSQL, against one unnest insert
// of as many rows (every row that planning leaves: cells, sends, live sends, history) into a table of the send's columns.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { v7 } from 'uuid';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource, migrate, rowsOf } from '../../src/platform/database.js';
import { Sealer } from '../../src/platform/sealed.js';
import { Secret } from '../../src/platform/env.js';
import { loadZoneRules } from '../../src/platform/zone-rules.js';
import { AcceptEvents } from '../../src/scheduler/accept/accept-events.js';
import type { RawEvent } from '../../src/scheduler/accept/raw-event.js';
import type { ZoneRules } from '../../src/scheduler/decide/ports.js';
import { PlanDue } from '../../src/scheduler/plan/plan-due.js';
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

async function compare(dataSource: DataSource): Promise<Finding> {
  const clock = new SystemClock();
  const rules = loadZoneRules({ directory: process.env['TZDATA_DIR'] });
  const now = new Date(clock.now());
  await dataSource.query(
    `insert into project (service_id, base_url, created_at, updated_at) values ($1, 'http://127.0.0.1:9', $2, $2)`,
    [SERVICE, now],
  );
  await dataSource.query('create table plain (like send)');
  await dataSource.query('alter table plain add primary key (id)');
  const accept = new AcceptEvents({
    inTransaction: (work) => dataSource.transaction(work),
    clock,
    rules,
    deadTopic: 'campaign.events.dead',
  });
  const projects = new ProjectStore(
    dataSource,
    new Sealer(new Secret(`bench:${Buffer.alloc(32).toString('base64')}`)),
    clock,
  );
  const log = pino({ level: 'warn' });
  const planDue = new PlanDue({
    database: dataSource,
    clock,
    log,
    rules,
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
    const plain = plainRows(rows, now);
    const insert = await timedAsync(() => dataSource.query(INSERT_PLAIN, plain));
    if (round < 0) continue;
    ours.push(our);
    inserts.push(insert);
  }
  if (rows < CELLS * 4) throw new Error(`only ${rows} rows were planned`);
  return {
    name: `a campaign of ${CELLS} cells, event to planned rows, against one unnest insert of as many rows`,
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
    caller: { tokenId: v7(), holds: () => true },
  };
}

async function countRows(dataSource: DataSource): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    dataSource,
    `select (select count(*) from cell)::int + (select count(*) from send)::int + (select count(*) from live_send)::int
          + (select count(*) from send_history)::int as count`,
  );
  return row?.count ?? 0;
}

const INSERT_PLAIN = `
  insert into plain (id, service_id, campaign, revision, occurrence, cell, chunk, history, state, mode, mode_rule,
                     intended_at, due_at, hand_off_at, state_at, state_by, created_at, retries, attempts, looks)
  select id, service_id, campaign, 1, occurrence, cell, 0, 1, state, mode, mode_rule, intended_at, due_at, hand_off_at,
         $11, 'bench', $11, 0, 0, 0
    from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                $9::timestamptz[], $10::timestamptz[], $9::timestamptz[])
         as u(id, service_id, campaign, occurrence, cell, state, mode, mode_rule, intended_at, due_at, hand_off_at)`;

/** Made before the clock runs: only the insert is the yardstick. */
function plainRows(count: number, now: Date): unknown[] {
  const ids = Array.from({ length: count }, () => v7());
  const fill = <Value>(value: Value): Value[] => ids.map(() => value);
  return [
    ids,
    fill(SERVICE),
    fill(ids[0]),
    fill('once'),
    ids.map((_, index) => `America/Argentina/Buenos_Aires|given|${index}|all|all`),
    fill('planned'),
    fill('reserved'),
    fill('RESERVABLE'),
    fill(now),
    fill(now),
    now,
  ];
}
