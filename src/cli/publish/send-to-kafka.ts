// Sends events to the brokers, under keys that keep the events of each campaign in order.
import { SystemClock } from '../../platform/clock.js';
import { processEnvironment } from '../../platform/env.js';
import { KafkajsConnection } from '../../platform/kafka/kafkajs-connection.js';
import { createLog } from '../../platform/logging/log.js';
import { readKafkaConfig, type KafkaConfig } from '../../scheduler/scheduler.config.js';
import { UsageError } from '../shell/usage-error.js';
import type { EventJson } from './read-events.js';

/** `brokers`: true for those of KAFKA_BROKERS. Throws UsageError where there are none. */
export function kafkaOf(brokers: string | true): KafkaConfig {
  const environment = processEnvironment();
  const kafka = readKafkaConfig(brokers === true ? environment : { ...environment, KAFKA_BROKERS: brokers });
  if (kafka === undefined) throw new UsageError('name brokers: --kafka host:port, or KAFKA_BROKERS');
  return kafka;
}

export async function sendToKafka(events: readonly EventJson[], kafka: KafkaConfig): Promise<void> {
  const connection = new KafkajsConnection(
    // No topics, so that it makes none: a publisher expects its topic to exist.
    { ...kafka, topics: [] },
    { clock: new SystemClock(), log: createLog('carillon', 'silent') },
  );
  try {
    const headers = { 'content-type': 'application/cloudevents+json' };
    const { events: topic } = kafka.topics;
    await connection.send(
      events.map((event) => ({ topic, key: keyOf(event), headers, value: JSON.stringify(event) })),
    );
  } finally {
    await connection.close();
  }
}

/** Events of one campaign stay in order. */
function keyOf({ subject, data }: EventJson): string | null {
  const serviceId: unknown =
    typeof data === 'object' && data !== null && 'serviceId' in data ? data.serviceId : null;
  return typeof serviceId === 'string' && typeof subject === 'string' ? `${serviceId}/${subject}` : null;
}
