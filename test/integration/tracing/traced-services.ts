// A whole scheduler with Kafka and the real push service, both in this process, and what each says of a trace: its log lines,
// what the push service kept of a request, and the outcomes that were published.
import { Client as PgClient } from 'pg';
import { v7 } from 'uuid';
import { createLog } from '../../../src/platform/logging/log.js';
import type { Tracing } from '../../../src/platform/tracing/tracing.js';
import type { Client } from '../../contract/push-service/support/client.js';
import { openStage, type Stage } from '../../contract/push-service/support/stage.js';
import { cloneDatabase } from '../../support/postgres/database.js';
import { eventually, eventuallyFound } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka/kafka.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { canceled, scheduled, type Json } from '../../support/scheduler/intake-world.js';
import { produce, readAll } from '../../support/scheduler/kafka-world.js';

export interface Outcome extends Json {
  type: string;
  subject: string;
  traceparent?: string;
  tracestate?: string;
}

export interface Line extends Json {
  msg: string;
  traceId?: string;
}

export interface TracingOfBoth {
  readonly scheduler?: Tracing;
  readonly push?: Tracing;
}

export class TracedServices {
  private constructor(
    readonly scheduler: TestScheduler,
    readonly push: Client,
    readonly lines: { readonly scheduler: Line[]; readonly push: Line[] },
    private readonly kafka: { brokers: string[]; events: string; outcomes: ReturnType<typeof readAll> },
    private readonly pushDatabase: PgClient,
    private readonly deps: { readonly stage: Stage; readonly drop: () => Promise<void> },
  ) {}

  static async open(tracing: TracingOfBoth = {}): Promise<TracedServices> {
    const { brokers, newTopics } = await testKafka();
    const [events = '', dead = '', outcomes = ''] = await newTopics(['events', 'dead', 'outcomes']);
    const lines = { scheduler: [] as Line[], push: [] as Line[] };
    const to = (kept: Line[]) => ({ write: (line: string) => void kept.push(JSON.parse(line) as Line) });
    const stage = await openStage(
      {},
      { log: createLog('push', 'debug', to(lines.push)), ...given(tracing.push) },
    );
    const database = await cloneDatabase();
    const config = schedulerConfig(database.url, {
      LOOP_IDLE_MS: '50',
      KAFKA_BROKERS: brokers.join(','),
      KAFKA_GROUP_ID: events,
      KAFKA_EVENTS_TOPIC: events,
      KAFKA_DEAD_TOPIC: dead,
      KAFKA_OUTCOMES_TOPIC: outcomes,
    });
    const log = createLog('scheduler', 'debug', to(lines.scheduler));
    const scheduler = await startScheduler(config, { log, ...given(tracing.scheduler) });
    await eventually(() => scheduler.dataSource.isInitialized);
    const push = await stage.project();
    await push.post('users', user());
    const made = await scheduler.call('POST', '/v1/projects', {
      authorization: await scheduler.bearer(['admin']),
      body: {
        serviceId: push.serviceId,
        baseUrl: stage.target.url,
        key: push.keys,
        sources: ['/shop/promotions'],
      },
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    const pushDatabase = new PgClient({ connectionString: stage.target.databaseUrl });
    await pushDatabase.connect();
    const kafka = { brokers, events, outcomes: readAll(brokers, outcomes) };
    const deps = { stage, drop: () => database.drop() };
    return new TracedServices(scheduler, push, lines, kafka, pushDatabase, deps);
  }

  async close(): Promise<void> {
    await this.kafka.outcomes.close();
    await this.scheduler.close();
    await this.pushDatabase.end();
    await this.deps.stage.close();
    await this.deps.drop();
  }

  /** One that goes out at once to everybody. */
  event(envelope: Json = {}): Json & { subject: string } {
    const data = { serviceId: this.push.serviceId, audience: { type: 'ALL' } };
    const id = `c-${v7()}`;
    return { ...scheduled(id, data, { time: new Date().toISOString(), ...envelope }), subject: id };
  }

  cancelOf(campaignId: string): Json {
    return canceled(campaignId, { serviceId: this.push.serviceId }, { time: new Date().toISOString() });
  }

  async viaHttp(event: Json | Json[], headers: Record<string, string> = {}): Promise<Answer> {
    const type = `application/cloudevents${Array.isArray(event) ? '-batch' : ''}+json`;
    return this.scheduler.call('POST', '/v1/events', {
      authorization: await this.scheduler.bearer(['publisher']),
      body: event,
      headers: { 'content-type': type, ...headers },
    });
  }

  async viaKafka(event: Json, headers: Record<string, string> = {}): Promise<void> {
    const { brokers, events } = this.kafka;
    await produce(brokers, events, [{ value: JSON.stringify(event), headers }]);
  }

  /** The campaign's outcomes, once one of that type is among them; by default the last of all. */
  async outcomesOf(campaignId: string, until = 'campaign.completed'): Promise<Outcome[]> {
    return eventuallyFound(() => {
      const found = this.kafka.outcomes.messages
        .map(({ value }) => JSON.parse(value) as Outcome)
        .filter(({ subject }) => subject === campaignId);
      return found.some(({ type }) => type === `carillon.outcome.${until}.v1`) ? found : undefined;
    });
  }

  /** What the push service keeps beside the campaign's requests; null where that is nothing. */
  async keptAtPush(campaignId: string): Promise<({ traceparent: string; tracestate?: string } | null)[]> {
    const sends = await this.scheduler.dataSource.query<{ id: string }>(
      `select s.request_id as id from send s join campaign c on c.id = s.campaign where c.campaign_id = $1`,
      [campaignId],
    );
    const { rows } = await this.pushDatabase.query<{ trace: { traceparent: string } | null }>(
      `select request::jsonb -> 'trace' as trace from push.message where id = any($1::uuid[])`,
      [sends.map(({ id }) => id)],
    );
    return rows.map(({ trace }) => trace);
  }

  /** Texts of the lines of a trace. */
  said(by: keyof TracedServices['lines'], traceId: string): string[] {
    return this.lines[by].filter((line) => line.traceId === traceId).map(({ msg }) => msg);
  }
}

const given = (tracing: Tracing | undefined): { tracing?: Tracing } =>
  tracing === undefined ? {} : { tracing };

function user(): Json {
  return {
    userId: 'u-1',
    deviceType: 'GCM',
    deviceToken: 'token-1',
    isNotificationAgreement: true,
    isAdAgreement: true,
    isNightAdAgreement: true,
  };
}
