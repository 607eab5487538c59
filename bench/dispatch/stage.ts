// What the dispatch benches stand on: a durable PostgreSQL, a push service in another process, one project, and sends
// that are due.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { v7 } from 'uuid';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource, migrate } from '../../src/platform/database.js';
import { Secret } from '../../src/platform/env.js';
import { newMasterKey, Sealer } from '../../src/platform/sealed.js';
import { loadZoneRules } from '../../src/platform/zone-rules.js';
import { policyDefaults } from '../../src/scheduler/decide/policy.js';
import { DispatchDue } from '../../src/scheduler/dispatch/dispatch-due.js';
import { UndiciPushApi } from '../../src/scheduler/dispatch/undici-push-api.js';
import { ProjectStore } from '../../src/scheduler/store/project.store.js';
import { startPostgres } from '../../tools/postgres.js';

export const SERVICE = 'bench';
export const IN_FLIGHT = 64;

export interface Stage {
  readonly sql: DataSource;
  readonly clock: SystemClock;
  readonly pushApi: UndiciPushApi;
  /** A dispatcher of its own, and the wake it asks its loop for. */
  dispatcher(): { dispatch: DispatchDue; woken: () => Promise<void> };
  /** Plans that many sends, all due at `dueAt`; as planning leaves them. */
  plan(count: number, dueAt: number): Promise<string>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const stateDir = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const postgres = await startPostgres({ stateDir });
  const stub = spawn(process.execPath, [fileURLToPath(new URL('stub.js', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [said] = (await once(stub.stdout, 'data')) as [Buffer];
  const sql = createDataSource({
    url: await postgres.ensureDatabase('bench'),
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: 6,
    applicationName: 'bench',
  });
  await sql.initialize();
  await migrate(sql);
  const clock = new SystemClock();
  await sql.query('select ensure_month_partitions($1)', [new Date(clock.now())]);
  const sealer = new Sealer(new Secret(newMasterKey('bench')));
  await sql.query(
    `insert into project (service_id, base_url, in_flight, rate_per_second, created_at, updated_at)
     values ($1, $2, $3, 100000, $4, $4)`,
    [SERVICE, said.toString().trim(), IN_FLIGHT, new Date(clock.now())],
  );
  await sql.query(
    `insert into project_key (id, service_id, access_key, secret_sealed, position, created_at) values ($1, $2, 'key', $3, 1, $4)`,
    [v7(), SERVICE, sealer.seal('secret'), new Date(clock.now())],
  );
  const projects = new ProjectStore(sql, sealer, clock);
  const pushApi = new UndiciPushApi(projects, clock, { connectTimeoutMs: 3_000, timeoutMs: 10_000 });
  return {
    sql,
    clock,
    pushApi,
    dispatcher: () => {
      let wake: (() => void) | undefined;
      const dispatch = new DispatchDue({
        sql,
        pushApi,
        projects,
        rules: loadZoneRules(),
        clock,
        log: pino({ level: 'warn' }),
        by: 'bench',
        leaseMs: 30_000,
        aheadMs: 2_000,
        batch: 1_000,
        wake: () => wake?.(),
      });
      return { dispatch, woken: () => new Promise((resolve) => (wake = resolve)) };
    },
    plan: (count, dueAt) => planSends(sql, count, dueAt, clock.now()),
    close: async () => {
      await pushApi.close();
      await sql.destroy();
      stub.kill();
      await postgres.remove();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

async function planSends(sql: DataSource, count: number, dueAt: number, now: number): Promise<string> {
  const campaign = v7();
  const at = new Date(now);
  await sql.query(
    `insert into campaign (id, service_id, campaign_id, event, state, newest_time, state_at, state_by, created_at, plan_at)
     values ($1::uuid, $2, $1::uuid::text, $3, 'accepted', $4, $4, 'bench', $4, null)`,
    [campaign, SERVICE, v7(), at],
  );
  await sql.query(
    `insert into revision (campaign, revision, event, state, data, request, taken_at) values ($1, 1, $2, 'in-force', $3, $4, $5)`,
    [
      campaign,
      v7(),
      JSON.stringify({ policy: policyDefaults, delivery: { kind: 'now' } }),
      JSON.stringify({ messageType: 'NOTIF', message: { default: { content: 'Hello from the bench' } } }),
      at,
    ],
  );
  await sql.query(
    `insert into occurrence (campaign, occurrence, revision, state, state_at) values ($1, 'once', 1, 'planned', $2)`,
    [campaign, at],
  );
  await sql.query(
    `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, chunks)
     values ($1, 'once', 'cell', 1, 'UTC', 'delivery', '{"type":"USER"}', $2)`,
    [campaign, count],
  );
  await sql.query(
    `insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, state, state_at, state_by, mode, mode_rule,
                       intended_at, due_at, hand_off_at, recipients, created_at)
     select u.id, $2, $3, 1, 'once', 'cell', u.chunk - 1, 'planned', $4, 'bench', 'immediate', 'DUE_NOW', $5, $5, $5,
            array['user-' || u.chunk], $4
       from unnest($1::uuid[]) with ordinality as u(id, chunk)`,
    [Array.from({ length: count }, () => v7({ msecs: now })), SERVICE, campaign, at, new Date(dueAt)],
  );
  await sql.query('analyze send');
  return campaign;
}
