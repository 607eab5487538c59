import { audience, CampaignEvents, delivery, HttpPublisher } from '@carillon/publisher';

const events = new CampaignEvents({ source: '/shop/promotions', serviceId: 'shop-app' });
const carillon = new HttpPublisher(); // CARILLON_URL, CARILLON_TOKEN

const event = events.scheduled(`first-${Date.now()}`, {
  name: 'My first campaign',
  audience: audience.users(['vip-seoul']),
  message: { default: { content: 'Hello' } },
  delivery: delivery.now(),
});
const taken = await carillon.publish(event); // what is refused is thrown, with every reason
for await (const { state } of carillon.follow(taken)) console.log(state);
