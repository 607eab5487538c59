// Publishes a campaign over Kafka and reads its outcomes: KAFKA_BROKERS. Needs kafkajs beside the package.
import {
  audience,
  CampaignEvents,
  delivery,
  KafkaPublisher,
  readOutcomes,
  type Outcome,
} from '@carillon/publisher';
import { Kafka, logLevel, Partitioners } from 'kafkajs';

const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',');
const kafka = new Kafka({ clientId: 'my-shop', brokers, logLevel: logLevel.WARN });
const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
const consumer = kafka.consumer({ groupId: `my-shop-${Date.now()}` });
const campaignId = `from-kafka-${Date.now()}`;

const LAST = ['completed', 'expired', 'canceled', 'rejected'];
await consumer.connect();
const ended = new Promise<void>((resolve, reject) => {
  const handle = ({ subject, type, data }: Outcome): void => {
    if (subject !== campaignId || !type.startsWith('carillon.outcome.campaign.')) return;
    console.log(data.state);
    if (LAST.includes(data.state)) resolve();
  };
  readOutcomes({ consumer, handle }).catch(reject);
});

const events = new CampaignEvents({ source: '/shop/promotions', serviceId: 'shop-app' });
await producer.connect();
await new KafkaPublisher({ producer }).publish(
  events.scheduled(campaignId, {
    audience: audience.users(['vip-seoul']),
    message: { default: { content: 'Hello' } },
    delivery: delivery.now(),
  }),
);
await ended;
await Promise.all([producer.disconnect(), consumer.disconnect()]);
