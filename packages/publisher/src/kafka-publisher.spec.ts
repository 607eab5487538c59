import { describe, expect, it } from 'vitest';
import { audience } from './audience.js';
import { CampaignEvents } from './campaign-events.js';
import type { ScheduledEvent } from './contract.js';
import { delivery } from './delivery.js';
import { KafkaPublisher, type KafkaProducer } from './kafka-publisher.js';
import { EventsRefused } from './published.js';

type Records = Parameters<KafkaProducer['send']>[0];

function campaign(campaignId: string, content = 'Hello'): ScheduledEvent {
  return new CampaignEvents({ source: '/shop/promotions', serviceId: 'shop-app' }).scheduled(campaignId, {
    audience: audience.everybody(),
    message: { default: { content } },
    delivery: delivery.now(),
  });
}

function publisher(check = true): { kafka: KafkaPublisher; sent: Records[] } {
  const sent: Records[] = [];
  const producer: KafkaProducer = { send: (records) => Promise.resolve(sent.push(records)) };
  return { kafka: new KafkaPublisher({ producer, check }), sent };
}

describe('publishing over Kafka', () => {
  it('gives each record the key of its campaign, its header and the whole event', async () => {
    const { kafka, sent } = publisher();
    const event = campaign('spring');
    await kafka.publish(event);
    expect(sent).toMatchObject([
      {
        topic: 'campaign.events',
        acks: -1,
        messages: [{ key: 'shop-app/spring', headers: { 'content-type': 'application/cloudevents+json' } }],
      },
    ]);
    expect(JSON.parse(sent[0]?.messages[0]?.value ?? '')).toEqual(event);
  });

  it('sends what is right, and throws what is not', async () => {
    const { kafka, sent } = publisher();
    const events = [campaign('first'), campaign('not a campaignId'), campaign('last')];
    const refused = await kafka.publish(events).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EventsRefused);
    expect(refused).toMatchObject({
      message: expect.stringContaining('1 of 3 events were refused') as unknown,
      refused: [{ event: events[1], refusedBy: 'check', problems: [{ pointer: '/subject' }] }],
    });
    expect(sent.flatMap(({ messages }) => messages.map(({ key }) => key))).toEqual([
      'shop-app/first',
      'shop-app/last',
    ]);
  });

  it('leaves the judgement to the scheduler with check: false', async () => {
    const { kafka, sent } = publisher(false);
    await kafka.publish(campaign('not a campaignId'));
    expect(sent).toHaveLength(1);
  });

  it('sends no more at once than a broker takes by default', async () => {
    const { kafka, sent } = publisher(false);
    await kafka.publish(
      Array.from({ length: 3 }, (_, index) => campaign(`large-${index}`, 'x'.repeat(400_000))),
    );
    expect(sent.map(({ messages }) => messages.length)).toEqual([2, 1]);
  });
});
