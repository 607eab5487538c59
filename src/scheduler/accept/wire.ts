// Wires the intake: in every process what takes events from HTTP, and the Kafka consumer where this process has the role `accept`
// and brokers are configured.
import { Counter } from 'prom-client';
import type { Sql } from '../../platform/database/database.js';
import { JoinedDatabase } from '../../platform/database/request-transaction.js';
import type { Core } from '../core.js';
import type { DraftReader, PlanChecker } from '../decide/plan/plan-ports.js';
import { AcceptEvents } from './accept-events.js';
import { EndParked } from './end-parked.js';
import type { EventParser } from './event-parser.js';
import { EventsConsumer } from './events.consumer.js';
import { RefuseChangedPlan } from './refuse-changed-plan.js';
import { WarnOfTaken } from './warn-of-taken.js';
import { SettleRejection } from './rejections/settle-rejection.js';

/** The topics in the outbox where no brokers are configured. */
const USUAL_TOPICS = { dead: 'campaign.events.dead', outcomes: 'campaign.outcomes' };

type Inside = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

export function wireAccept(core: Core, parser: EventParser, drafts: DraftReader, plans: PlanChecker) {
  const { config, planning: database, clock, rules, log, kafka, loops, metrics, tracing } = core;
  const topics = config.kafka?.topics ?? USUAL_TOPICS;
  const joined = new JoinedDatabase(database);
  const inTransaction: Inside = (work) => joined.transaction(work);
  const events = new AcceptEvents({
    inTransaction,
    clock,
    rules,
    parser,
    topics,
    log,
    tracing,
  });
  if (kafka !== undefined && config.kafka !== undefined && config.roles.has('accept')) {
    const {
      groupId,
      topics: { events: topic },
    } = config.kafka;
    const passedOver = new Counter({
      name: 'carillon_kafka_records_passed_over_total',
      help: 'Kafka records, or batches as one, that could not be decoded: each is a rejection as UNREADABLE',
      registers: [metrics],
    });
    const consumer = new EventsConsumer({
      intake: events,
      sql: database,
      log,
      passedOver: (count) => passedOver.inc(count),
      placeLost: () => kafka.beginAnew(),
    });
    // KafkaConnection.close() ends it, after the batch in hand.
    loops.onStart(() =>
      kafka.consume({
        groupId,
        topics: [topic],
        handle: (batch) => consumer.handle(batch),
        begin: (assigned) => consumer.begin(assigned),
      }),
    );
  }
  return {
    events,
    previewed: new RefuseChangedPlan(database, drafts, plans),
    warner: new WarnOfTaken(plans, clock, log),
    rejections: new SettleRejection(events, joined, clock),
    parked: new EndParked({ inTransaction, clock, parser, deadTopic: topics.dead }),
  };
}
