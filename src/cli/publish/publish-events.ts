// What carillon publish does: hands events to the intake, by HTTP or Kafka, and says in plain words what became of each.
import { setTimeout as rest } from 'node:timers/promises';
import { SystemClock } from '../../platform/clock.js';
import { processEnvironment } from '../../platform/env.js';
import { KafkajsConnection } from '../../platform/kafka/kafkajs-connection.js';
import { createLog } from '../../platform/log.js';
import { CLOSED_CAMPAIGN } from '../../scheduler/decide/lifecycle/campaign-state.js';
import { readKafkaConfig } from '../../scheduler/scheduler.config.js';
import { print, type JsonOption } from '../output.js';
import { UsageError } from '../usage-error.js';
import { readEvents, type EventJson } from './read-events.js';
import { SchedulerClient, type PublishedEvent } from './scheduler-client.js';

export interface PublishOptions extends JsonOption {
  /** Brokers, or true for those of KAFKA_BROKERS. */
  readonly kafka?: string | true;
  readonly follow?: true;
}

const POLL_MS = 1_000;

/** Ends with 1 where an event, or with --follow its campaign, was refused. */
export async function publishEvents(files: readonly string[], options: PublishOptions): Promise<void> {
  const events = await readEvents(files);
  if (options.kafka !== undefined) return publishToKafka(events, options.kafka, options);
  const client = SchedulerClient.fromEnvironment();
  const published = await client.publish(events);
  if (options.json !== true) for (const one of published) process.stdout.write(`${lineOf(one)}\n`);
  if (published.some(({ verdict }) => verdict === 'rejected')) process.exitCode = 1;
  const outcomes = options.follow === true ? await follow(client, published, options) : undefined;
  if (options.json === true) print(options, { events: published, ...(outcomes && { outcomes }) }, '');
}

function lineOf({ index, id, verdict, campaignId, problems, warnings, rejectionId }: PublishedEvent): string {
  const name = `event ${index + 1} (${id ?? 'without an id'})`;
  if (verdict === 'accepted') return `${name}: taken, campaign ${campaignId}${listed(warnings, 'warning: ')}`;
  if (verdict === 'duplicate') return `${name}: was taken before, nothing changed`;
  return `${name}: REFUSED, rejection ${rejectionId}${listed(problems)}`;
}

function listed(problems: PublishedEvent['warnings'], kind = ''): string {
  return (problems ?? [])
    .map(({ pointer, code, text }) => `\n  - ${kind}${pointer === '' ? '' : `${pointer} `}${text} (${code})`)
    .join('');
}

interface Outcome {
  readonly campaignId: string;
  readonly state: string;
}

async function follow(
  client: SchedulerClient,
  published: readonly PublishedEvent[],
  options: JsonOption,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const campaign of new Set(published.flatMap(({ campaignId }) => campaignId ?? []))) {
    let last = '';
    for (;;) {
      const { campaignId, state, detail } = await client.campaign(campaign);
      if (state !== last && options.json !== true) {
        process.stdout.write(`campaign ${campaignId}: ${state}${detail === null ? '' : `, ${detail}`}\n`);
      }
      last = state;
      if ((CLOSED_CAMPAIGN as readonly string[]).includes(state)) {
        outcomes.push({ campaignId, state });
        break;
      }
      await rest(POLL_MS);
    }
  }
  if (outcomes.some(({ state }) => state === 'rejected')) process.exitCode = 1;
  return outcomes;
}

async function publishToKafka(
  events: readonly EventJson[],
  brokers: string | true,
  options: PublishOptions,
): Promise<void> {
  if (options.follow === true) throw new UsageError('--follow asks over HTTP: leave --kafka out');
  const environment = processEnvironment();
  const kafka = readKafkaConfig(brokers === true ? environment : { ...environment, KAFKA_BROKERS: brokers });
  if (kafka === undefined) throw new UsageError('name brokers: --kafka host:port, or KAFKA_BROKERS');
  const { events: topic, dead } = kafka.topics;
  const connection = new KafkajsConnection(
    // None is made: a publisher finds its topic there.
    { ...kafka, topics: [] },
    { clock: new SystemClock(), log: createLog('carillon', 'silent') },
  );
  try {
    const headers = { 'content-type': 'application/cloudevents+json' };
    await connection.send(
      events.map((event) => ({ topic, key: keyOf(event), headers, value: JSON.stringify(event) })),
    );
  } finally {
    await connection.close();
  }
  const text = `${events.length} sent to ${topic}. Kafka gives no verdict: what is refused is on ${dead} and in GET /v1/rejections.`;
  print(options, { sent: events.length, topic }, text);
}

/** One campaign's events stay in order. */
function keyOf({ subject, data }: EventJson): string | null {
  const serviceId: unknown =
    typeof data === 'object' && data !== null && 'serviceId' in data ? data.serviceId : null;
  return typeof serviceId === 'string' && typeof subject === 'string' ? `${serviceId}/${subject}` : null;
}
