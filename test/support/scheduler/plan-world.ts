// Builders for the specs of planning, closing, reports and the ledger: a cloned database, a project, campaigns as
// acceptance leaves them, and sends led along the table's arrows by plain updates. Every builder has a valid default.
import { pino } from 'pino';
import { v7 } from 'uuid';
import { SteppedClock, type Clock } from '../../../src/platform/clock.js';
import type { Database, Sql } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { FullReads } from '../../../src/platform/loops/full-reads.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { gatewayNames } from '../../../src/scheduler/decide/audience/gateway-names.js';
import { writeName } from '../../../src/scheduler/store/gateway-name.store.js';
import type { Audience, Campaign, Delivery } from '../../../src/scheduler/decide/plan/campaign.js';
import type { PlanningProject } from '../../../src/scheduler/decide/plan/plan-types.js';
import { policyDefaults, type Policy } from '../../../src/scheduler/decide/timing/campaign-policy.js';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { CloseFinished } from '../../../src/scheduler/plan/close-finished.js';
import { PlanDue } from '../../../src/scheduler/plan/plan-due.js';
import { PlanMaker } from '../../../src/scheduler/plan/plan-maker.js';
import { beginRevision } from '../../../src/scheduler/store/revision/begin-revision.store.js';
import { SETTINGS_COLUMNS } from '../../../src/scheduler/store/project.store.js';
import { cloneDatabase } from '../postgres/database.js';
import { connected, SchedulerWorld, SERVICE, START } from './scheduler-world.js';

export { SERVICE, START };

export interface CampaignSeed {
  serviceId?: string;
  delivery?: Delivery;
  audience?: Campaign['audience'];
  messageType?: Campaign['messageType'];
  policy?: Partial<Policy>;
}

export class PlanWorld extends SchedulerWorld {
  readonly clock = new SteppedClock(START);
  readonly planDue: PlanDue;
  readonly closeFinished: CloseFinished;
  readonly #takeBack: WorkActs;

  private constructor(
    dataSource: PooledDatabase,
    url: string,
    drop?: () => Promise<void>,
    planAheadMs?: number,
  ) {
    super(dataSource, url, drop);
    this.planDue = plannerOn(dataSource, this.clock, planAheadMs);
    this.closeFinished = new CloseFinished(dataSource, this.clock);
    this.#takeBack = new WorkActs({ database: dataSource, clock: this.clock });
  }

  /** `planAheadMs`: as PLAN_AHEAD_HOURS. */
  static async open(planAheadMs?: number): Promise<PlanWorld> {
    const database = await cloneDatabase();
    const world = await PlanWorld.on(database.url, () => database.drop(), planAheadMs);
    await world.project();
    return world;
  }

  /** On a database that has the schema already; without a project. */
  static async on(url: string, drop?: () => Promise<void>, planAheadMs?: number): Promise<PlanWorld> {
    return new PlanWorld(await connected(url, 6), url, drop, planAheadMs);
  }

  async project(columns: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.insertProject(columns);
  }

  /** An event with its campaign and first revision, accepted and waiting to be planned. Returns our id. */
  async accepted(seed: CampaignSeed = {}): Promise<string> {
    const id = v7({ msecs: this.clock.now() });
    const event = v7({ msecs: this.clock.now() });
    const at = new Date(this.clock.now());
    const serviceId = seed.serviceId ?? SERVICE;
    const data: Campaign = {
      serviceId,
      campaignId: `c-${id}`,
      name: null,
      tags: [],
      messageType: seed.messageType ?? 'NOTIF',
      audience: seed.audience === undefined ? all : seed.audience,
      message: { default: { content: 'Hello' } },
      delivery: seed.delivery ?? { kind: 'now' },
      policy: { ...policyDefaults, ...seed.policy },
    };
    // No look-up may be made for them: this world has no gateway.
    for (const name of gatewayNames(data)) {
      await writeName(this.dataSource, serviceId, name, { known: true, at: this.clock.now() });
    }
    // At once, as the intake does: the database may go away between two statements.
    await this.dataSource.transaction(async (sql) => {
      await this.event(event, 'campaign', serviceId, sql);
      await this.insert(
        'campaign',
        {
          id,
          service_id: serviceId,
          campaign_id: data.campaignId,
          event,
          state: 'accepted',
          newest_time: at,
          state_at: at,
          state_by: 'accept',
          created_at: at,
        },
        sql,
      );
      await this.insert(
        'revision',
        {
          campaign: id,
          revision: 1,
          event,
          state: 'planning',
          data: JSON.stringify(data),
          request: JSON.stringify({ messageType: data.messageType, message: data.message }),
          taken_at: at,
        },
        sql,
      );
    });
    return id;
  }

  /** The campaign's next revision, as the intake takes it: its data with these members. Returns its number. */
  async revised(campaign: string, differs: Partial<Campaign>): Promise<number> {
    const at = new Date(this.clock.now());
    const event = v7({ msecs: this.clock.now() });
    return this.dataSource.transaction(async (sql) => {
      await sql.query('select from campaign where id = $1 for no key update', [campaign]);
      const [newest] = await sql.query<{ data: Campaign }>(
        'select data from revision where campaign = $1 order by revision desc limit 1',
        [campaign],
      );
      if (newest === undefined) throw new Error(`there is no campaign ${campaign}`);
      const data = { ...newest.data, ...differs };
      await this.event(event, 'revision', data.serviceId, sql);
      const revision = await beginRevision(sql, { campaign, data, time: at, now: at });
      const request = { messageType: data.messageType, message: data.message };
      await this.insert(
        'revision',
        {
          campaign,
          revision,
          event,
          state: 'planning',
          data: JSON.stringify(data),
          request: JSON.stringify(request),
          taken_at: at,
        },
        sql,
      );
      return revision;
    });
  }

  async event(
    id: string,
    verdict: string,
    serviceId: string | null = SERVICE,
    sql: Sql = this.dataSource,
  ): Promise<void> {
    const at = new Date(this.clock.now());
    await this.insert(
      'event',
      {
        id,
        verdict,
        service_id: serviceId,
        received_at: at,
        via: 'http',
        body: Buffer.from('{}'),
      },
      sql,
    );
  }

  /** A planned campaign and the ids of its sends, in order of cell and chunk. */
  async planned(seed: CampaignSeed = {}): Promise<{ id: string; sends: string[] }> {
    const id = await this.accepted(seed);
    await this.planDue.runOnce();
    return { id, sends: (await this.sends(id)).map((send) => send.id) };
  }

  /** Every page of what was cancelled. */
  async takeBack(): Promise<void> {
    while ((await this.#takeBack.runOnce()) > 0);
  }

  async sends(campaign: string): Promise<SendFacts[]> {
    return this.rows<SendFacts>(
      `select s.*, r.recipients, extract(epoch from due_at)::float8 * 1000 as due_ms,
              extract(epoch from next_at)::float8 * 1000 as hand_off_ms
         from send s left join send_recipients r on r.send = s.id where campaign = $1 order by cell, chunk, id`,
      [campaign],
    );
  }

  /** Leads a send along the states, one statement each, and sets the columns with the last of them. */
  async lead(
    send: string,
    path: readonly SendState[],
    columns: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const at = new Date(this.clock.now());
    for (const [index, state] of path.entries()) {
      const extra = Object.entries({
        ...(state === 'sending' ? { handed_off_at: at } : {}),
        ...(index === path.length - 1 ? columns : {}),
      });
      await this.rows(
        `update send set state = $2, changes = changes + 1, code = null, state_at = $3, state_by = 'spec'
                ${extra.map(([name], position) => `, ${name} = $${position + 4}`).join('')}
          where id = $1`,
        [send, state, at, ...extra.map(([, value]) => value)],
      );
    }
  }

  async campaign(
    id: string,
  ): Promise<{ state: string; code: string | null; detail: string | null; plan_tries: number }> {
    const [row] = await this.rows<Awaited<ReturnType<PlanWorld['campaign']>>>(
      'select * from campaign where id = $1',
      [id],
    );
    if (row === undefined) throw new Error(`there is no campaign ${id}`);
    return row;
  }

  /** Every state the campaign was in, oldest first. */
  async path(id: string): Promise<string[]> {
    const rows = await this.rows<{ to_state: string }>(
      'select to_state from campaign_history where campaign = $1 order by sequence',
      [id],
    );
    return rows.map((row) => row.to_state);
  }

  async count(table: string): Promise<number> {
    const [row] = await this.rows<{ count: number }>(`select count(*)::int as count from ${table}`);
    return row?.count ?? 0;
  }

  async rows<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.dataSource.query<Row>(text, parameters);
  }

  /** Runs a statement past triggers and foreign keys, as an accident would. */
  async damage(text: string, parameters: readonly unknown[] = []): Promise<void> {
    await this.dataSource.transaction(async (sql) => {
      await sql.query("set local session_replication_role = 'replica'");
      await sql.query(text, [...parameters]);
    });
  }
}

export interface SendFacts {
  id: string;
  cell: string;
  chunk: number;
  occurrence: string;
  state: SendState;
  code: string | null;
  detail: string | null;
  mode: string;
  mode_rule: string;
  schedule_code: string | null;
  recipients: string[] | null;
  due_ms: number | null;
  hand_off_ms: number;
}

/**
 * The planner as its stage makes it, with the projects' planning columns fresh from the database. It reads from the
 * start each time, however slow the machine: by a clock that stands, a new campaign's id may lie below one that was read.
 */
/** `planAheadMs`: as PLAN_AHEAD_HOURS. */
export function plannerOn(database: Database, clock: Clock, planAheadMs?: number): PlanDue {
  const log = pino({ level: 'silent' });
  const rules = loadZoneRules();
  return new PlanDue({
    fullReads: new FullReads(clock, { everyMs: 0, oneIn: 0 }),
    database,
    clock,
    log,
    rules,
    plans: new PlanMaker({ rules }),
    projects: projectsOf(database),
    offsetCacheMs: 86_400_000,
    planAheadMs,
  });
}

export const all: Audience = { type: 'ALL', deviceType: null, country: [] };

export function users(count: number, prefix = 'user'): Audience {
  const to = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  return { type: 'USER', to, deviceType: null, country: [] };
}

/** Planning's view of push projects, by serviceId. */
export function projectsOf(database: Sql): {
  getMany(ids: readonly string[]): Promise<Map<string, PlanningProject & { lookupMax: number }>>;
} {
  return {
    async getMany(ids) {
      const rows = await database.query<PlanningProject & { serviceId: string; lookupMax: number }>(
        `select ${SETTINGS_COLUMNS} from project where service_id = any($1::text[])`,
        [ids],
      );
      return new Map(rows.map((row) => [row.serviceId, row]));
    },
  };
}
