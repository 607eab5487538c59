// Puts the intake together: the HTTP route in every process, the Kafka consumer where this one has the role `accept`
// and brokers are configured.
import { Module } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import { KAFKA, type KafkaConnection } from '../../platform/kafka.js';
import type { Log } from '../../platform/log.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, LOG, ZONE_RULES } from '../../platform/tokens.js';
import { DRAFT_READER, PLAN_CHECKER, type DraftReader, type PlanChecker } from '../decide/campaign-draft.js';
import type { ZoneRules } from '../decide/ports.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { AcceptEvents } from './accept-events.js';
import { EventsConsumer } from './events.consumer.js';
import { EventsController } from './events.controller.js';
import { RefuseChangedPlan } from './refuse-changed-plan.js';

/** Dead letters wait in the outbox under this topic where no brokers are configured. */
const DEFAULT_DEAD_TOPIC = 'campaign.events.dead';

/** Begins once the database is there and migrated; ended by KafkaConnection.close(), after the batch in hand. */
class KafkaIntake {
  constructor(
    { kafka: settings, roles }: SchedulerConfig,
    kafka: KafkaConnection | undefined,
    consumer: EventsConsumer,
    loops: Loops,
  ) {
    if (kafka === undefined || settings === undefined || !roles.has('accept')) return;
    loops.onStart(() => {
      kafka.consume({
        groupId: settings.groupId,
        topics: [settings.topics.events],
        handle: (batch) => consumer.handle(batch),
      });
    });
  }
}

@Module({
  controllers: [EventsController],
  providers: [
    {
      provide: AcceptEvents,
      inject: [SCHEDULER_CONFIG, Database, CLOCK, ZONE_RULES],
      useFactory: (config: SchedulerConfig, database: Database, clock: Clock, rules: ZoneRules) =>
        new AcceptEvents({
          inTransaction: (work) => database.transaction(work),
          clock,
          rules,
          deadTopic: config.kafka?.topics.dead ?? DEFAULT_DEAD_TOPIC,
        }),
    },
    {
      provide: RefuseChangedPlan,
      inject: [Database, DRAFT_READER, PLAN_CHECKER],
      useFactory: (sql: Database, drafts: DraftReader, plans: PlanChecker) =>
        new RefuseChangedPlan({ sql, drafts, plans }),
    },
    {
      provide: KafkaIntake,
      inject: [SCHEDULER_CONFIG, KAFKA, AcceptEvents, LOG, Loops],
      useFactory: (
        config: SchedulerConfig,
        kafka: KafkaConnection | undefined,
        intake: AcceptEvents,
        log: Log,
        loops: Loops,
      ) => new KafkaIntake(config, kafka, new EventsConsumer(intake, log), loops),
    },
  ],
  exports: [AcceptEvents],
})
export class AcceptModule {}
