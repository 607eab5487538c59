// A session that ended leaves nothing behind. Everything else a consumer does is tried on a real broker
// (test/integration/platform/kafkajs-conformance.spec.ts).
import type { Kafka } from 'kafkajs';
import { expect, it } from 'vitest';
import { SystemClock } from '../clock.js';
import { createLog, type Log } from '../logging/log.js';
import { KafkajsConsumer } from './kafkajs-consumer.js';

/** Its consumers fail at once: a real one takes ten seconds to leave what it has never reached. */
const kafka = {
  consumer: () => ({
    events: {},
    on: () => undefined,
    connect: () => Promise.reject(new Error('connect ECONNREFUSED')),
    disconnect: () => Promise.resolve(),
  }),
} as unknown as Kafka;

it('ends its watch over a session that could not connect', async () => {
  /** Timers of the process as each session begins. */
  const timers: number[] = [];
  const consumer = new KafkajsConsumer({
    kafka,
    groupId: 'spec',
    topics: ['topic'],
    handle: () => Promise.resolve(),
    prepare: () => {
      timers.push(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length);
      return Promise.resolve();
    },
    clock: new SystemClock(),
    log: createLog('spec', 'silent'),
  });
  consumer.start();
  await expect.poll(() => timers.length, { timeout: 60_000 }).toBeGreaterThan(4);
  await consumer.stop();
  expect((timers[4] ?? 0) - (timers[1] ?? 0)).toBeLessThan(2);
});

it('counts failures anew once a session has joined the group, however it ended', async () => {
  const handlers = new Map<string, (event: { payload: object }) => void>();
  const events = { GROUP_JOIN: 'join', CRASH: 'crash' };
  const joining = {
    consumer: () => ({
      events,
      on: (name: string, handler: (event: { payload: object }) => void) => handlers.set(name, handler),
      connect: () => Promise.resolve(),
      subscribe: () => Promise.resolve(),
      run: () => {
        handlers.get(events.GROUP_JOIN)?.({ payload: {} });
        handlers.get(events.CRASH)?.({ payload: { error: new Error('the broker is broken') } });
        return Promise.resolve();
      },
      disconnect: () => Promise.resolve(),
    }),
  } as unknown as Kafka;
  const failures: unknown[] = [];
  const log: Log = createLog('spec', 'silent');
  log.error = (fields: object) => void failures.push((fields as { failures?: number }).failures);
  const consumer = new KafkajsConsumer({
    kafka: joining,
    groupId: 'spec',
    topics: ['topic'],
    handle: () => Promise.resolve(),
    prepare: () => Promise.resolve(),
    clock: new SystemClock(),
    log,
  });
  consumer.start();
  await expect.poll(() => failures.length, { timeout: 60_000 }).toBeGreaterThan(2);
  await consumer.stop();
  expect(failures.slice(0, 3)).toEqual([1, 1, 1]);
});
