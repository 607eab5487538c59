// The intake: what HTTP hands events to in every process, and the Kafka consumer where this one has the role `accept` and
// brokers are configured.
import type { Core } from '../core.js';
import type { DraftReader, PlanChecker } from '../decide/plan/campaign-draft.js';
import { AcceptEvents } from './accept-events.js';
import { EventsConsumer } from './events.consumer.js';
import { RefuseChangedPlan } from './refuse-changed-plan.js';

/** Dead letters wait in the outbox under this topic where no brokers are configured. */
const DEFAULT_DEAD_TOPIC = 'campaign.events.dead';

export interface Intake {
  readonly events: AcceptEvents;
  readonly previewed: RefuseChangedPlan;
}

export function wireAccept(core: Core, drafts: DraftReader, plans: PlanChecker): Intake {
  const { config, database, clock, rules, log, kafka, loops } = core;
  const events = new AcceptEvents({
    inTransaction: (work) => database.transaction(work),
    clock,
    rules,
    deadTopic: config.kafka?.topics.dead ?? DEFAULT_DEAD_TOPIC,
  });
  if (kafka !== undefined && config.kafka !== undefined && config.roles.has('accept')) {
    const { groupId, topics } = config.kafka;
    const consumer = new EventsConsumer(events, log);
    // Ended by KafkaConnection.close(), after the batch in hand.
    loops.onStart(() =>
      kafka.consume({ groupId, topics: [topics.events], handle: (batch) => consumer.handle(batch) }),
    );
  }
  return { events, previewed: new RefuseChangedPlan({ sql: database, drafts, plans }) };
}
