// Puts the intake together: the HTTP route in every process, the Kafka consumer where this one has the role `accept`
// and brokers are configured.
import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Clock } from '../../platform/clock.js';
import { KAFKA, type KafkaConnection } from '../../platform/kafka.js';
import type { Log } from '../../platform/log.js';
import { CLOCK, LOG, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../decide/ports.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { AcceptEvents } from './accept-events.js';
import { EventsConsumer } from './events.consumer.js';
import { EventsController } from './events.controller.js';

/** Dead letters wait in the outbox under this topic where no brokers are configured. */
const DEFAULT_DEAD_TOPIC = 'campaign.events.dead';

class KafkaIntake implements OnApplicationBootstrap {
  constructor(
    private readonly config: SchedulerConfig,
    private readonly kafka: KafkaConnection | undefined,
    private readonly consumer: EventsConsumer,
  ) {}

  // Ended by KafkaConnection.close(), after the batch in hand.
  onApplicationBootstrap(): void {
    const { kafka, roles } = this.config;
    if (this.kafka === undefined || kafka === undefined || !roles.has('accept')) return;
    this.kafka.consume({
      groupId: kafka.groupId,
      topics: [kafka.topics.events],
      handle: (batch) => this.consumer.handle(batch),
    });
  }
}

@Module({
  controllers: [EventsController],
  providers: [
    {
      provide: AcceptEvents,
      inject: [SCHEDULER_CONFIG, DataSource, CLOCK, ZONE_RULES],
      useFactory: (config: SchedulerConfig, dataSource: DataSource, clock: Clock, rules: ZoneRules) =>
        new AcceptEvents({
          inTransaction: (work) => dataSource.transaction('READ COMMITTED', work),
          clock,
          rules,
          deadTopic: config.kafka?.topics.dead ?? DEFAULT_DEAD_TOPIC,
        }),
    },
    {
      provide: KafkaIntake,
      inject: [SCHEDULER_CONFIG, KAFKA, AcceptEvents, LOG],
      useFactory: (
        config: SchedulerConfig,
        kafka: KafkaConnection | undefined,
        intake: AcceptEvents,
        log: Log,
      ) => new KafkaIntake(config, kafka, new EventsConsumer(intake, log)),
    },
  ],
  exports: [AcceptEvents],
})
export class AcceptModule {}
