// Puts the publishers together: a loop for outcomes and one for the outbox, where this process has the role `publish` and
// brokers are configured. Without brokers all of it waits in the database.
import { Module } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import { Health } from '../../platform/health.js';
import { KAFKA, type KafkaConnection } from '../../platform/kafka.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK } from '../../platform/tokens.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PublishOutbox } from './publish-outbox.js';
import { PublishOutcomes } from './publish-outcomes.js';

/** Real milliseconds between two rounds that published something: what comes meanwhile goes together. */
const GATHER_MS = 10;

@Module({
  providers: [
    {
      provide: PublishOutcomes,
      inject: [SCHEDULER_CONFIG, Database, KAFKA, CLOCK, Loops, Health],
      useFactory: publishersFrom,
    },
  ],
})
export class PublishModule {}

function publishersFrom(
  config: SchedulerConfig,
  database: Database,
  kafka: KafkaConnection | undefined,
  clock: Clock,
  loops: Loops,
  health: Health,
): PublishOutcomes | undefined {
  if (kafka === undefined || config.kafka === undefined || !config.roles.has('publish')) return undefined;
  const parts = { inTransaction: database.transaction.bind(database), kafka, clock };
  const outbox = new PublishOutbox({ ...parts, keptMs: config.outboxKeptMs });
  loops.add({ name: 'outbox', runOnce: () => outbox.runOnce(), idleMs: config.loopIdleMs });
  const outcomes = new PublishOutcomes({ ...parts, topic: config.kafka.topics.outcomes });
  loops.add({
    name: 'publish',
    runOnce: async (signal) => {
      let published = await outcomes.runOnce();
      while (outcomes.hasMore && !signal.aborted) published += await outcomes.runOnce();
      return published;
    },
    idleMs: () => outcomes.idleMs(config.loopIdleMs),
    gapMs: GATHER_MS,
  });
  health.add('outcomes', () => {
    const finding = outcomes.finding();
    return finding === undefined ? undefined : { note: finding };
  });
  return outcomes;
}
