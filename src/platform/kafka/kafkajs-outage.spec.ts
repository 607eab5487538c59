// Which errors of the Kafka client are an outage, and what a broker's broken disk is called.
import kafkajs from 'kafkajs';
import { expect, it } from 'vitest';
import { SystemClock } from '../clock.js';
import type { KafkaClientHealth } from './kafka.js';
import { KafkaOutage, kafkaReason } from './kafkajs-outage.js';
import { createLog } from '../logging/log.js';

const { KafkaJSConnectionError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } = kafkajs;

function newOutage() {
  const lines: string[] = [];
  const part = { name: 'kafka producer', ok: false, detail: 'broken' };
  const outage = new KafkaOutage({
    clients: (): KafkaClientHealth[] => [part],
    clock: new SystemClock(),
    log: createLog('spec', 'info', {
      write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg),
    }),
  });
  return { outage, lines, part };
}

const protocol = (type: string, retriable: boolean) =>
  new KafkaJSProtocolError(Object.assign(new Error(type), { type, code: 0, retriable }));

it('a broker that cannot be reached is an outage, and so is what it refuses on its way back', async () => {
  const { outage, lines, part } = newOutage();
  const noLeader = protocol('LEADER_NOT_AVAILABLE', true);
  expect(outage.judge(noLeader)).toBeUndefined();
  const refused = new KafkaJSConnectionError('Connection error: connect ECONNREFUSED');
  expect(
    await outage.judge(new KafkaJSNumberOfRetriesExceeded(refused, { retryCount: 3, retryTime: 1 })),
  ).toBe(true);
  expect(await outage.judge(noLeader)).toBe(true);
  expect(outage.judge(protocol('TOPIC_AUTHORIZATION_FAILED', false))).toBeUndefined();
  part.ok = true;
  await expect
    .poll(() => lines)
    .toEqual([
      expect.stringMatching(/^Kafka is away \(.*ECONNREFUSED\)/),
      expect.stringMatching(/^Kafka is back after/),
    ]);
});

it('names the disk of a broker that cannot write', async () => {
  const { outage, lines } = newOutage();
  const error = protocol('KAFKA_STORAGE_ERROR', true);
  expect(kafkaReason(error)).toMatch(/disk of a Kafka broker is full or broken/);
  expect(await outage.judge(error)).toBe(true);
  expect(lines).toEqual([expect.stringMatching(/^Kafka is away \(the disk of a Kafka broker is full/)]);
  outage.stop();
});

it('takes no error of others for its own', () => {
  const { outage } = newOutage();
  expect(
    outage.judge(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
  ).toBeUndefined();
});
