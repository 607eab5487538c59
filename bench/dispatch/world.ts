// The database a measured scheduler stands on: durable, migrated by the scheduler itself, with campaigns and sends put
// down as planning leaves them, by the hundred thousand.
import { scheduler } from 'node:timers/promises';
import { v7 } from 'uuid';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { createDataSource, type Sql } from '../../src/platform/database/database.js';
import { Secret } from '../../src/platform/env.js';
import { migrate } from '../../src/platform/database/migrate-database.js';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { newMasterKey, Sealer } from '../../src/platform/secrets/sealed.js';
import { policyDefaults } from '../../src/scheduler/decide/timing/campaign-policy.js';
import { CHANNELS } from '../../src/scheduler/store/channels.js';
import { ensurePartitions } from '../../src/platform/database/day-partitions.js';
import { SECRET } from '../../src/scheduler/store/project.store.js';
import type { RunningPostgres } from '../../tools/postgres.js';
import type { KeyPair } from '../../tools/demo/push-client.js';
import { startProgram, type Program } from './program.js';
import { REQUEST } from './same-call.js';
import { ACCESS_KEY, SECRET_KEY, SERVICE } from './settings.js';

export interface Seed {
  readonly count: number;
  readonly state: 'planned' | 'accepted';
  readonly dueAt: number;
  /** Spreads the dues over so many milliseconds from `dueAt` on. */
  readonly overMs?: number;
  /**
   * Only for accepted sends: their results come due over so many milliseconds from now on. Without it they are due since `dueAt`.
   */
  readonly resultsOverMs?: number;
  /** One campaign of `count` sends for each. */
  readonly serviceIds?: readonly string[];
}

/** A campaign must end within this time, milliseconds. A campaign whose project is blocked never ends. */
const WITHIN_MS = 600_000;

export interface Seeded {
  readonly campaigns: readonly string[];
  /** performance.now() as their commit began: nobody saw them before. */
  readonly visibleAt: number;
}

export class World {
  readonly masterKey = newMasterKey('bench');

  private constructor(
    readonly sql: PooledDatabase,
    readonly url: string,
    private readonly root: string,
  ) {}

  static async open(root: string, postgres: RunningPostgres, name: string): Promise<World> {
    const url = await postgres.ensureDatabase(name);
    const sql = createDataSource({
      url,
      schema: 'scheduler',
      migrations: schedulerMigrations,
      poolSize: 3,
      applicationName: 'bench',
      // A million rows take longer than a statement of the scheduler may.
      limits: { statementMs: 0, answerMs: 0 },
    });
    await sql.initialize();
    await migrate(sql);
    // As housekeeping keeps them; made before the scheduler starts, so that rows lie where they do in production.
    await ensurePartitions(sql, new Date());
    return new World(sql, url, root);
  }

  async project(
    pushUrl: string,
    inFlight: number,
    serviceId: string = SERVICE,
    key: KeyPair = { accessKey: ACCESS_KEY, secretKey: SECRET_KEY },
  ): Promise<void> {
    const now = new Date();
    await this.sql.query(
      `insert into project (service_id, base_url, rate_per_second, in_flight, created_at, updated_at)
       values ($1, $2, 100000, $3, $4, $4)`,
      [serviceId, pushUrl, inFlight, now],
    );
    const sealed = new Sealer(new Secret(this.masterKey)).seal(
      key.secretKey,
      SECRET,
      serviceId,
      key.accessKey,
    );
    await this.sql.query(
      `insert into project_key (id, service_id, access_key, secret_sealed, position, created_at) values ($1, $2, $3, $4, 1, $5)`,
      [v7(), serviceId, key.accessKey, sealed, now],
    );
  }

  /** Campaigns of `count` chunks of one cell, each a send. The scheduler is notified with their commit. */
  async seed(seed: Seed): Promise<Seeded> {
    const { serviceIds = [SERVICE], state } = seed;
    const campaigns: string[] = [];
    let visibleAt = 0;
    await this.sql.transaction(async (tx) => {
      await tx.query("set local session_replication_role = 'replica'");
      for (const serviceId of serviceIds) campaigns.push(await campaignOf(tx, serviceId, seed));
      await tx.query('analyze send, campaign, cell, revision');
      await tx.query(`select pg_notify($1, '')`, [CHANNELS[state === 'planned' ? 'dispatch' : 'follow']]);
      visibleAt = performance.now();
    });
    return { campaigns, visibleAt };
  }

  async vacuum(): Promise<void> {
    await this.sql.query('vacuum (analyze)');
    await this.sql.query('checkpoint');
  }

  async one<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row> {
    const [row] = await this.sql.query<Row>(text, parameters);
    if (row === undefined) throw new Error('a query of the bench found no row');
    return row;
  }

  /**
   * Ends when no send of the campaign is in one of these states any more. Asks for its last chunk by key alone until that
   * is out of them: to look at all of them every time costs the database as much as a tenth of their dispatch.
   */
  async none(campaign: string, states: readonly string[], everyMs: number): Promise<void> {
    const { send } = await this.one<{ send: string }>(
      `select id as send from send where campaign = $1 order by campaign desc, occurrence desc, cell desc, chunk desc limit 1`,
      [campaign],
    );
    const until = performance.now() + WITHIN_MS;
    for (const which of ['id = $1', 'campaign = $1']) {
      const text = `select exists (select from send where ${which} and state = any($2::text[]) limit 1) as open`;
      const given = [which === 'id = $1' ? send : campaign, states];
      while ((await this.one<{ open: boolean }>(text, given)).open) {
        if (performance.now() > until) throw new Error(await this.stands(campaign));
        await scheduler.wait(everyMs);
      }
    }
  }

  /** Describes a campaign that does not end: how many sends are in which state, and why its project is blocked. */
  private async stands(campaign: string): Promise<string> {
    const rows = await this.sql.query<object>(
      `select s.state, count(*)::int as sends, p.blocked_code as blocked, p.blocked_detail as why
         from send s join project p using (service_id) where s.campaign = $1 group by s.state, p.service_id`,
      [campaign],
    );
    return `not over after ${WITHIN_MS / 60_000} min: ${JSON.stringify(rows)}`;
  }

  /** The scheduler as it is run in production, with these roles; returns once it is up. */
  async scheduler(roles: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
    const program = startProgram(this.root, 'dist/src/scheduler/main.js', {
      env: {
        DATABASE_URL: this.url,
        CARILLON_MASTER_KEY: this.masterKey,
        CARILLON_ROLES: roles,
        SCHEDULER_PORT: '0',
        METRICS_PORT: '0',
        KAFKA_BROKERS: '',
        ...env,
      },
    });
    await program.line((text) => text.includes('the scheduler is up'));
    return program;
  }

  async close(): Promise<void> {
    await this.sql.destroy();
  }
}

async function campaignOf(tx: Sql, serviceId: string, seed: Seed): Promise<string> {
  const { count, state, dueAt, overMs = 0, resultsOverMs = null } = seed;
  const campaign = v7();
  const now = new Date();
  await tx.query(
    `insert into campaign (id, service_id, campaign_id, event, state, newest_time, plan_at, state_at, state_by, created_at)
     values ($1, $2, $1::uuid::text, $1, 'planned', $3, null, $3, 'bench', $3)`,
    [campaign, serviceId, now],
  );
  await tx.query(
    `insert into revision (campaign, revision, event, state, data, request, taken_at)
     values ($1, 1, $1, 'in-force', $2, $3, $4)`,
    [
      campaign,
      JSON.stringify({ policy: policyDefaults, delivery: { kind: 'now' } }),
      JSON.stringify(REQUEST),
      now,
    ],
  );
  await tx.query(
    `insert into occurrence (campaign, occurrence, revision, state, state_at) values ($1, 'once', 1, 'planned', $2)`,
    [campaign, now],
  );
  await tx.query(
    `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, chunks)
     values ($1, 'once', 'cell', 1, 'UTC', 'delivery', '{"type":"ALL"}', $2)`,
    [campaign, count],
  );
  const rows = [campaign, serviceId, count, state, new Date(dueAt), overMs, now, resultsOverMs];
  if (count < BULK) await tx.query(sendsInto('send'), rows);
  else await inBulk(tx, rows);
  return campaign;
}

/** Builds indexes after the rows are there, and not row by row: that took an hour for ten million. */
const BULK = 200_000;

// Ids as planning makes them, rising; dues of whole milliseconds, as its are: a send is signed with its due.
const sendsInto = (table: string): string => `
  insert into ${table} (id, service_id, campaign, revision, occurrence, cell, chunk, state, state_at, state_by, mode, mode_rule,
                    intended_at, due_at, next_at, attempts, request_id, handed_off_at, answered_at, created_at)
  select uuidv7(), $2, $1, 1, 'once', 'cell', n, $4, at, 'bench', 'immediate', 'DUE_NOW', at, at,
         case $4 when 'planned' then at else coalesce($7::timestamptz + ($8::float8 * n / $3::int) * interval '1 millisecond', at) end,
         case $4 when 'planned' then 0 else 1 end, case $4 when 'planned' then null else 'r-' || n end,
         case $4 when 'planned' then null else at end, case $4 when 'planned' then null else at end,
         $7
    from (select n, date_trunc('milliseconds', $5::timestamptz + ($6::float8 * n / $3::int) * interval '1 millisecond') as at
            from generate_series(0, $3::int - 1) as n) as rows`;

/** Into the part of what is open while it stands apart without an index; attaching it builds what its parent has. */
async function inBulk(tx: Sql, rows: readonly unknown[]): Promise<void> {
  // The part's own, which its parent has not.
  const [own] = await tx.query<{ work: string; key: string }>(
    `select pg_get_indexdef('send_work'::regclass) as work, pg_get_constraintdef(oid) as key
       from pg_constraint where conrelid = 'send_open'::regclass and contype = 'p'`,
  );
  if (own === undefined) throw new Error('what is open has no index of its own');
  await tx.query("set local maintenance_work_mem = '512MB'");
  await tx.query('alter table send detach partition send_open');
  await tx.query('alter table send_open drop constraint send_open_pkey');
  await tx.query(`do $$ declare one regclass; begin
    for one in select indexrelid from pg_index where indrelid = 'send_open'::regclass loop execute format('drop index %s', one); end loop;
  end $$`);
  await tx.query(sendsInto('send_open'), [...rows]);
  await tx.query(own.work);
  await tx.query(`alter table send_open add ${own.key}`);
  await tx.query(`alter table send attach partition send_open for values from ('infinity') to (maxvalue)`);
}
