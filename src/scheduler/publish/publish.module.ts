// Puts the publisher together: one loop where this process has the role `publish` and brokers are configured. Without
// brokers the rows wait in the outbox.
import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Clock } from '../../platform/clock.js';
import { KAFKA, type KafkaConnection } from '../../platform/kafka.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK } from '../../platform/tokens.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PublishOutbox } from './publish-outbox.js';

@Module({
  providers: [
    {
      provide: PublishOutbox,
      inject: [SCHEDULER_CONFIG, DataSource, KAFKA, CLOCK, Loops],
      useFactory: (
        config: SchedulerConfig,
        dataSource: DataSource,
        kafka: KafkaConnection | undefined,
        clock: Clock,
        loops: Loops,
      ): PublishOutbox | undefined => {
        if (kafka === undefined || config.kafka === undefined || !config.roles.has('publish'))
          return undefined;
        const publisher = new PublishOutbox({
          inTransaction: (work) => dataSource.transaction(work),
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
