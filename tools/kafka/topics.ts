// The topics of Carillon.
import { schedulerEnvironment } from '../../src/scheduler/scheduler.config.js';

const { KAFKA_EVENTS_TOPIC, KAFKA_DEAD_TOPIC, KAFKA_OUTCOMES_TOPIC } = schedulerEnvironment.shape;

/** By what they carry; the names are the scheduler's own defaults. */
export const TOPICS = {
  events: KAFKA_EVENTS_TOPIC.parse(undefined),
  dead: KAFKA_DEAD_TOPIC.parse(undefined),
  outcomes: KAFKA_OUTCOMES_TOPIC.parse(undefined),
  recipientZones: 'recipient.zones',
} as const;
