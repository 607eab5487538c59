// The package's one entry: everything that a publisher may rely on.
export type {
  Audience,
  CampaignOutcome,
  CampaignWithRevisions,
  CanceledEvent,
  CommandOutcome,
  Delivery,
  EventVerdict,
  Message,
  OccurrenceOutcome,
  PausedEvent,
  Policy,
  Reason,
  ResumedEvent,
  ScheduledData,
  ScheduledEvent,
  Segment,
  SendOutcome,
} from './contract.js';
export { audience } from './audience.js';
export { CampaignEvents, type CampaignEvent, type EnvelopeOptions } from './campaign-events.js';
export { checkEvent } from './check-event.js';
export { delivery } from './delivery.js';
export { EventsRefused, PublishError, type Published, type Refused, type Taken } from './published.js';
export { HttpPublisher, type HttpPublisherOptions } from './http-publisher.js';
export { KafkaPublisher, type KafkaPublisherOptions, type KafkaProducer } from './kafka-publisher.js';
export {
  outcomeOf,
  readOutcomes,
  type KafkaConsumer,
  type Outcome,
  type ReadOutcomesOptions,
} from './read-outcomes.js';
