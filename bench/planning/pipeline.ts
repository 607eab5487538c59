// What the benches of planning share: a durable PostgreSQL with one push project, and the scheduler's own pieces from an event's bytes
// to planned rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database/database.js';
import { migrate } from '../../src/platform/database/migrate-database.js';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { Secret } from '../../src/platform/env.js';
import { Sealer } from '../../src/platform/secrets/sealed.js';
import { AcceptEvents } from '../../src/scheduler/accept/accept-events.js';
import { EventParser } from '../../src/scheduler/accept/event-parser.js';
import type { RawEvent } from '../../src/scheduler/accept/parse/raw-event.js';
import { PlanDue } from '../../src/scheduler/plan/plan-due.js';
import type { PlanMaker } from '../../src/scheduler/plan/plan-maker.js';
import { ProjectStore } from '../../src/scheduler/store/project.store.js';
import type { ZoneRules } from '../../src/zone-rules/zone-rules.js';
import { startPostgres } from '../../tools/postgres.js';

export const SERVICE = 'bench';

export interface BenchDatabase {
  readonly dataSource: PooledDatabase;
  readonly url: string;
  /** Removed at the end. */
  readonly folder: string;
}

export async function withDatabase<Result>(
  poolSize: number,
  work: (database: BenchDatabase) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const postgres = await startPostgres({ stateDir: folder });
  const url = await postgres.ensureDatabase('bench');
  const dataSource = createDataSource({
    url,
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize,
    applicationName: 'bench',
  });
  try {
    await dataSource.initialize();
    await migrate(dataSource);
    await dataSource.query(
      `insert into project (service_id, base_url, lookup_max, created_at, updated_at) values ($1, 'http://127.0.0.1:9', 0, now(), now())`,
      [SERVICE],
    );
    return await work({ dataSource, url, folder });
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes one event and plans what is due; throws where the event is not taken. */
export function planner(
  dataSource: PooledDatabase,
  rules: ZoneRules,
  plans: PlanMaker,
): (event: RawEvent) => Promise<void> {
  const clock = new SystemClock();
  const log = pino({ level: 'warn' });
  const accept = new AcceptEvents({
    inTransaction: (work) => dataSource.transaction(work),
    clock,
    rules,
    parser: new EventParser({ rules }),
    topics: { dead: 'campaign.events.dead', outcomes: 'campaign.outcomes' },
    log,
  });
  const sealer = new Sealer(new Secret(`bench:${Buffer.alloc(32).toString('base64')}`));
  const projects = new ProjectStore(dataSource, sealer, clock);
  const offsetCacheMs = 86_400_000;
  const planDue = new PlanDue({ database: dataSource, clock, log, rules, plans, projects, offsetCacheMs });
  return async (event) => {
    const [verdict] = await accept.accept([event]);
    if (verdict?.kind !== 'accepted') throw new Error(`the event was not taken: ${JSON.stringify(verdict)}`);
    await planDue.runOnce();
  };
}

/** A campaign on the recipients' clocks in a week: `audience` and `delivery` say the rest. */
export function eventOf(
  campaignId: string,
  { audience, delivery }: { readonly audience?: object; readonly delivery?: object },
): RawEvent {
  const now = Date.now();
  const event = {
    specversion: '1.0',
    id: v7(),
    source: '/bench',
    type: 'carillon.campaign.scheduled.v1',
    subject: campaignId,
    time: new Date(now).toISOString(),
    data: {
      serviceId: SERVICE,
      ...(audience !== undefined && { audience }),
      message: { default: { content: 'hello' } },
      delivery: {
        at: new Date(now + 7 * 86_400_000).toISOString().slice(0, 16),
        zone: 'recipient',
        ...delivery,
      },
    },
  };
  return {
    via: 'http',
    headers: { 'content-type': 'application/cloudevents+json' },
    body: Buffer.from(JSON.stringify(event)),
    caller: { tokenId: v7(), holds: () => true, takes: () => true },
  };
}
