// Builders for the dispatch, follow and operate specs: a cloned database with a project, campaigns and sends in any
// state. Each builder has a valid default; a test names only what matters to it.
import { v7 } from 'uuid';
import type { Sql } from '../../../src/platform/database/database.js';
import { policyDefaults, type Policy } from '../../../src/scheduler/decide/timing/campaign-policy.js';
import { ENDED_STATES, type SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { WorkActs } from '../../../src/scheduler/operate/changes/work-acts.js';
import { SteppedClock } from '../../../src/platform/clock.js';
import { patchProject, putKey } from '../../../src/scheduler/admin/projects/project-write.store.js';
import { Secret } from '../../../src/platform/env.js';
import { migrate } from '../../../src/platform/database/migrate-database.js';
import { newMasterKey, Sealer } from '../../../src/platform/secrets/sealed.js';
import { SECRET } from '../../../src/scheduler/store/project.store.js';
import { cloneDatabase } from '../postgres/database.js';
import { explaining } from '../postgres/explaining.js';
import { ACCESS_KEY, SECRET_KEY } from './gateway.js';
import { connected, SchedulerWorld, SERVICE, START } from './scheduler-world.js';

export { SERVICE, START };

export interface SendRow {
  id: string;
  service_id: string;
  campaign: string;
  state: SendState;
  code: string | null;
  detail: string | null;
  goal: string | null;
  changes: number;
  mode: string;
  mode_rule: string;
  next_at: Date | null;
  due_at: Date | null;
  request_id: string | null;
  attempts: number;
  state_by: string;
  fired_by: string | null;
  polls: number;
  handed_off_at: Date | null;
  answered_at: Date | null;
  target_count: number | null;
  sent_count: number | null;
  complete_time: Date | null;
  retry_of: string | null;
  retries: number;
  next_send: string | null;
  gateway_status: string | null;
}

export interface SendSeed {
  state?: SendState;
  campaign?: string;
  serviceId?: string;
  mode?: 'immediate' | 'reserved' | 'scheduled';
  dueAt?: number;
  handOffAt?: number;
  chunk?: number;
  recipients?: string[];
  columns?: Readonly<Record<string, unknown>>;
}

/** Only what holds anything: each table that is emptied is a handful of new files, and most of a test's are empty. */
const CLEAR = `
do $$ declare filled text; begin
  select string_agg(coalesce(part.relid, one)::regclass::text, ', ') into filled
    from unnest('{project, project_key, project_pace, campaign, campaign_history, campaign_touched, revision, occurrence, cell,
                  send, send_recipients, standing_count, send_note, attempt, command, event, send_event, send_rollup, length_rollup,
                  send_rollup_hour, length_rollup_hour, breakdown_rollup, send_breakdown, rollup_retry, rollup_open, outbox, audit, send_set,
                  replica}'::regclass[]) one
    left join lateral pg_partition_tree(one) part on part.isleaf
   where pg_relation_size(coalesce(part.relid, one)) > 0;
  if filled is not null then execute 'truncate ' || filled || ' cascade'; end if;
end $$`;

const WITHOUT_TRIGGERS = "set local session_replication_role = 'replica'";

/** An id of now, but of START once that is over: a send ends no earlier than its id was made. */
function bornId(): string {
  return Date.now() < START ? v7() : v7({ msecs: START });
}

export class World extends SchedulerWorld {
  /** Whom the sends of send() go to, by id: the database forgets it once they have ended. */
  readonly usersOf = new Map<string, readonly string[]>();
  static async open(): Promise<World> {
    const database = await cloneDatabase();
    const world = await World.on(database.url, () => database.drop());
    // Its rows are written by hand, without the events that they come from: its ledger does not balance.
    await world.dataSource.query("update alert_round set begun_at = 'infinity' where name = 'ledger'");
    return world;
  }

  /** On an empty database, which is given the schema. */
  static async migrated(url: string): Promise<World> {
    const world = await World.on(url);
    await migrate(world.dataSource);
    return world;
  }

  /** On a database that has the schema already. */
  static async on(url: string, drop?: () => Promise<void>): Promise<World> {
    return new World(await connected(url, 8), url, drop);
  }

  /** Empties what a test left. */
  async clear(): Promise<void> {
    await this.dataSource.query(CLEAR);
  }

  /** Opens the secrets of this world's projects. */
  readonly masterKey = newMasterKey('spec');
  readonly sealer = new Sealer(new Secret(this.masterKey));

  /** A project with one key that the gateway of these specs knows. */
  async project(
    columns: Readonly<Record<string, unknown>> = {},
    keys: readonly (readonly [accessKey: string, secretKey: string])[] = [[ACCESS_KEY, SECRET_KEY]],
  ): Promise<string> {
    const serviceId = await this.insertProject(columns);
    for (const [index, [accessKey, secretKey]] of keys.entries()) {
      await this.insert('project_key', {
        id: v7(),
        service_id: serviceId,
        access_key: accessKey,
        secret_sealed: this.sealer.seal(secretKey, SECRET, serviceId, accessKey),
        position: index + 1,
        created_at: new Date(START),
      });
    }
    return serviceId;
  }

  /** A campaign of one occurrence and one cell, with its revision in force. */
  async campaign(
    seed: {
      state?: string;
      serviceId?: string;
      policy?: Partial<Policy>;
      messageType?: string;
      zone?: string;
      delivery?: object;
      target?: object;
    } = {},
  ): Promise<string> {
    const id = v7();
    const at = new Date(START);
    const serviceId = seed.serviceId ?? SERVICE;
    await this.withoutTriggers([
      [
        'campaign',
        {
          id,
          service_id: serviceId,
          campaign_id: `c-${id}`,
          event: v7(),
          state: seed.state ?? 'planned',
          newest_time: at,
          state_at: at,
          state_by: 'spec',
          created_at: at,
        },
      ],
      [
        'revision',
        {
          campaign: id,
          revision: 1,
          event: v7(),
          state: 'in-force',
          data: JSON.stringify({
            policy: { ...policyDefaults, ...seed.policy },
            delivery: seed.delivery ?? { kind: 'now' },
          }),
          request: JSON.stringify({
            messageType: seed.messageType ?? 'NOTIF',
            message: { default: { content: 'Hello' } },
          }),
          taken_at: at,
        },
      ],
      ['occurrence', { campaign: id, occurrence: 'once', revision: 1, state: 'planned', state_at: at }],
      [
        'cell',
        {
          campaign: id,
          occurrence: 'once',
          cell: 'cell',
          revision: 1,
          zone: seed.zone ?? 'UTC',
          zone_source: 'delivery',
          target: JSON.stringify(seed.target ?? { type: 'ALL' }),
          chunks: 1,
        },
      ],
    ]);
    return id;
  }

  /** A send in `state`, as if it had come there long ago; whom it goes to with it. */
  async send(seed: SendSeed = {}): Promise<string> {
    const campaign = seed.campaign ?? (await this.campaign({ serviceId: seed.serviceId ?? SERVICE }));
    const id = typeof seed.columns?.['id'] === 'string' ? seed.columns['id'] : bornId();
    const dueAt = seed.dueAt ?? START;
    const { chunk = 0, recipients } = seed;
    if (recipients !== undefined) this.usersOf.set(id, recipients);
    const endedAt = ENDED_STATES.includes(seed.state ?? 'planned') ? new Date(START) : 'infinity';
    await this.withoutTriggers([
      [
        'send',
        {
          id,
          ended_at: endedAt,
          recipients: recipients?.length ?? null,
          service_id: seed.serviceId ?? SERVICE,
          campaign,
          revision: 1,
          occurrence: 'once',
          cell: 'cell',
          chunk,
          state: seed.state ?? 'planned',
          state_at: new Date(START),
          state_by: 'spec',
          mode: seed.mode ?? 'immediate',
          mode_rule: 'DUE_NOW',
          intended_at: seed.mode === 'scheduled' ? null : new Date(dueAt),
          due_at: seed.mode === 'scheduled' ? null : new Date(dueAt),
          next_at: new Date(seed.handOffAt ?? dueAt),
          created_at: new Date(START),
          ...seed.columns,
        },
      ],
      ...(recipients === undefined
        ? []
        : [['send_recipients', { send: id, send_ended_at: endedAt, recipients }] as const]),
    ]);
    return id;
  }

  /** Further chunks of a send's cell, as it stands, from `first` on. */
  async copies(of: string, count: number, first = 1): Promise<void> {
    await this.dataSource.transaction(async (sql) => {
      await sql.query(WITHOUT_TRIGGERS);
      await sql.query(
        `insert into send (id, ended_at, recipients, service_id, campaign, revision, occurrence, cell, chunk, state, state_at, state_by, mode,
                           mode_rule, intended_at, due_at, next_at, created_at, request_id, handed_off_at,
                           target_count, sent_count)
         select uuidv7(), s.ended_at, s.recipients, s.service_id, s.campaign, s.revision, s.occurrence, s.cell, s.chunk + n, s.state, s.state_at,
                s.state_by, s.mode, s.mode_rule, s.intended_at, s.due_at, s.next_at, s.created_at,
                s.request_id, s.handed_off_at, s.target_count, s.sent_count
           from send s, generate_series($3::int, $3::int + $2::int - 1) n where s.id = $1`,
        [of, count, first],
      );
    });
  }

  /** Every page of what was cancelled, as of START. */
  async takeBack(): Promise<void> {
    const loop = new WorkActs({ database: this.dataSource, clock: new SteppedClock(START) });
    while ((await loop.runOnce()) > 0);
  }

  /** Makes a process count as dead: as if it had been silent long enough. */
  async isGone(by: string): Promise<void> {
    await this.dataSource.query(
      `delete from replica where id in (select fired_by from send where state = 'sending' and state_by = $1)`,
      [by],
    );
  }

  /** What an operator does about a key or an address that was no use. */
  async change(what: 'key' | 'address', baseUrl: string): Promise<void> {
    const now = new Date(START);
    if (what === 'key')
      await putKey(this.dataSource, this.sealer, {
        serviceId: SERVICE,
        accessKey: ACCESS_KEY,
        secretKey: new Secret(SECRET_KEY),
        now,
      });
    else await patchProject(this.dataSource, { serviceId: SERVICE, settings: { baseUrl }, now });
  }

  async read(id: string): Promise<SendRow> {
    const [row] = await this.dataSource.query<SendRow>('select * from send where id = $1', [id]);
    if (row === undefined) throw new Error(`there is no send ${id}`);
    return row;
  }

  /** The plan of every statement of `work`, those inside functions and triggers too, as auto_explain shows it. */
  async plansOf(work: (sql: Sql) => Promise<void>): Promise<string[]> {
    const connection = await explaining(this.dataSource);
    try {
      return await connection.plansOf(work);
    } finally {
      await connection.release();
    }
  }

  /** `from>to` of every change of state, oldest first; without the birth of one that was put down in the middle of its life. */
  async path(id: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ from_state: string | null; to_state: string }>(
      "select from_state, to_state from send_history where send = $1 and not (sequence = 1 and by = 'spec') order by sequence",
      [id],
    );
    return rows.map((row) => `${row.from_state ?? ''}>${row.to_state}`);
  }

  /** Puts rows down in the middle of their lives; the triggers would ask for their births. */
  async withoutTriggers(
    rows: readonly (readonly [string, Readonly<Record<string, unknown>>])[],
  ): Promise<void> {
    await this.dataSource.transaction(async (sql) => {
      await sql.query(WITHOUT_TRIGGERS);
      for (const [table, row] of rows) await this.insert(table, row, sql);
    });
  }
}
