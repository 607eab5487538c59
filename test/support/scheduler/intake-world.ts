// Builders for the intake's specs: a cloned database with one push project, events of valid default content, and a
// reading of what became of them.
import { v7 } from 'uuid';
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { SteppedClock, type Clock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import { createLog } from '../../../src/platform/logging/log.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { AcceptEvents } from '../../../src/scheduler/accept/accept-events.js';
import { EventParser } from '../../../src/scheduler/accept/event-parser.js';
import type { RawEvent } from '../../../src/scheduler/accept/parse/raw-event.js';
import type { Verdict } from '../../../src/scheduler/accept/write-batch.js';
import { cloneDatabase } from '../postgres/database.js';

export const SERVICE = 'shop-app';
export const SOURCE = '/shop/promotions';
export const START = '2027-03-01T00:00:00.000Z';

export type Json = Record<string, unknown>;

/** A structured CloudEvent that is taken; `at` its time. */
export function scheduled(campaignId: string, data: Json = {}, envelope: Json = {}): Json {
  return {
    specversion: '1.0',
    id: v7(),
    source: SOURCE,
    type: 'carillon.campaign.scheduled.v1',
    subject: campaignId,
    time: START,
    datacontenttype: 'application/json',
    data: {
      serviceId: SERVICE,
      messageType: 'NOTIF',
      audience: { type: 'CHANNEL', to: ['vip'] },
      message: { default: { content: 'hello' } },
      delivery: { now: true },
      ...data,
    },
    ...envelope,
  };
}

export function canceled(campaignId: string, data: Json = {}, envelope: Json = {}): Json {
  return commanded('canceled', campaignId, data, envelope);
}

export function commanded(
  kind: 'canceled' | 'paused' | 'resumed',
  campaignId: string,
  data: Json = {},
  envelope: Json = {},
): Json {
  return scheduled(
    campaignId,
    {},
    {
      type: `carillon.campaign.${kind}.v1`,
      data: { serviceId: SERVICE, ...data },
      ...envelope,
    },
  );
}

/** As a record of the given partition would bring it; each at the next offset. */
let nextOffset = 0;
export function fromKafka(event: unknown, place: { topic?: string; offset?: string } = {}): RawEvent {
  nextOffset += 1;
  return {
    via: 'kafka',
    record: {
      topic: place.topic ?? 'campaign.events',
      partition: 0,
      offset: place.offset ?? String(nextOffset),
    },
    key: null,
    headers: {},
    body: Buffer.isBuffer(event) ? event : Buffer.from(JSON.stringify(event)),
  };
}

export function fromHttp(event: unknown, serviceIds: readonly string[] = [SERVICE]): RawEvent {
  return {
    via: 'http',
    headers: { 'content-type': 'application/cloudevents+json' },
    body: Buffer.from(JSON.stringify(event)),
    caller: { tokenId: v7(), holds: (serviceId) => serviceIds.includes(serviceId), takes: () => true },
  };
}

/** The codes a verdict names, or its kind. */
export function outcomeOf(verdict: Verdict | undefined): string {
  if (verdict?.kind !== 'rejected') return verdict?.kind ?? 'none';
  return verdict.reasons.map(({ code }) => code).join(' ');
}

export class IntakeWorld {
  private constructor(
    readonly dataSource: PooledDatabase,
    readonly url: string,
    readonly clock: SteppedClock,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async open(): Promise<IntakeWorld> {
    const database = await cloneDatabase();
    const dataSource = dataSourceOf(database.url);
    await dataSource.initialize();
    await addProject(dataSource);
    return new IntakeWorld(dataSource, database.url, new SteppedClock(START), () => database.drop());
  }

  intake(): AcceptEvents {
    return intakeOf(this.dataSource, this.clock);
  }

  async outcomes(events: readonly RawEvent[]): Promise<string[]> {
    return (await this.intake().accept(events)).map(outcomeOf);
  }

  async rows<Row = Json>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.dataSource.query<Row>(text, parameters);
  }

  /** life-of-a-send.md, "Guarantee 3": events by verdict, and the rows each verdict must have, counted on their own. */
  async balance(): Promise<Json> {
    const [counts] = await this.rows(`select
      (select count(*)::int from event) as events,
      (select count(*)::int from campaign) as campaigns,
      (select count(*)::int from command where event is not null) as commands,
      (select count(*)::int from parked_command) as parked,
      (select count(*)::int from rejection) as rejections,
      (select count(*)::int from duplicate) as duplicates,
      (select count(*)::int from outbox where topic = 'campaign.events.dead') as letters,
      (select count(*)::int from inbox_key) as keys`);
    return counts ?? {};
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
    await this.dropDatabase();
  }
}

export function dataSourceOf(url: string): PooledDatabase {
  return createDataSource({
    url,
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: 8,
    applicationName: 'spec',
  });
}

const rules = loadZoneRules();

export function intakeOf(dataSource: PooledDatabase, clock: Clock): AcceptEvents {
  return new AcceptEvents({
    inTransaction: (work) => dataSource.transaction(work),
    clock,
    rules,
    parser: new EventParser({ rules }),
    topics: { dead: 'campaign.events.dead', outcomes: 'campaign.outcomes' },
    log: createLog('spec', 'silent'),
  });
}

export async function addProject(
  dataSource: PooledDatabase,
  serviceId = SERVICE,
  policyDefaults: Json = {},
): Promise<void> {
  await dataSource.query(
    `insert into project (service_id, base_url, sources, policy_defaults, created_at, updated_at)
     values ($1, 'http://127.0.0.1:1', $2, $3, $4, $4)`,
    [serviceId, ['/shop/promotions', '/team/*'], JSON.stringify(policyDefaults), new Date(START)],
  );
}
