// Puts the publisher together: one loop where this process has the role `publish` and brokers are configured. Without
// brokers the rows wait in the outbox.
import { Module } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import { KAFKA, type KafkaConnection } from '../../platform/kafka.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK } from '../../platform/tokens.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PublishOutbox } from './publish-outbox.js';

@Module({
  providers: [
    {
      provide: PublishOutbox,
      inject: [SCHEDULER_CONFIG, Database, KAFKA, CLOCK, Loops],
      useFactory: (
        config: SchedulerConfig,
        database: Database,
        kafka: KafkaConnection | undefined,
        clock: Clock,
        loops: Loops,
      ): PublishOutbox | undefined => {
        if (kafka === undefined || config.kafka === undefined || !config.roles.has('publish'))
          return undefined;
        const publisher = new PublishOutbox({
          inTransaction: (work) => database.transaction(work),
          kafka,
          outcomesTopic: config.kafka.topics.outcomes,
          clock,
          keptMs: config.outboxKeptMs,
        });
        loops.add({ name: 'publish', runOnce: () => publisher.runOnce(), idleMs: config.loopIdleMs });
        return publisher;
      },
    },
  ],
})
export class PublishModule {}
