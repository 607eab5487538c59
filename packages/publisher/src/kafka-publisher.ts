// Publishes over Kafka with a producer of kafkajs, or of anything with the same interface. Kafka gives no verdict: a refused
// event comes back on campaign.events.dead and in GET /v1/rejections, so the check before sending matters more than over HTTP.
import { inBatches } from '../../../src/scheduler/accept/parse/in-batches.js';
import type { CampaignEvent } from './campaign-events.js';
import { prepare } from './check-event.js';
import { EventsRefused } from './published.js';

/** A connected producer of kafkajs. `idempotent: true` keeps it from writing an event twice, which would do no harm. */
export interface KafkaProducer {
  send(record: {
    topic: string;
    acks: number;
    messages: { key: string; value: string; headers: Record<string, string> }[];
  }): Promise<unknown>;
}

export interface KafkaPublisherOptions {
  readonly producer: KafkaProducer;
  /** [campaign.events] */
  readonly topic?: string;
  /** false: nothing is checked before sending, the scheduler alone judges [true]. */
  readonly check?: boolean;
}

const HEADERS = { 'content-type': 'application/cloudevents+json' };
/** The bounds of one send, which may become one record batch: below the 1 MiB that a broker takes by default. */
const MOST = { count: 500, bytes: 900 * 1024 };

export class KafkaPublisher {
  constructor(private readonly options: KafkaPublisherOptions) {}

  /**
   * Resolves when all replicas have the events. Throws EventsRefused where the check refused one (the others were sent), and
   * what the producer throws: then publish the same events again.
   */
  async publish(events: CampaignEvent | readonly CampaignEvent[]): Promise<void> {
    const { producer, topic = 'campaign.events', check = true } = this.options;
    const { right, published } = prepare([events].flat(), check);
    for (const batch of inBatches(right, MOST, ({ bytes }) => bytes)) {
      await producer.send({
        topic,
        acks: -1,
        messages: batch.map(({ event, text }) => ({ key: keyOf(event), value: text, headers: HEADERS })),
      });
    }
    const refused = published.filter((one) => one !== undefined);
    if (refused.length > 0) throw new EventsRefused(refused, published.length);
  }
}

/** One campaign's events stay in order. */
function keyOf({ subject, data }: CampaignEvent): string {
  return `${data.serviceId}/${subject}`;
}
