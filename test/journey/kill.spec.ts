// The scheduler is killed between handing a request over and recording its answer: nobody can know its fate but the
// push service, so the send is uncertain and is not repeated.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { DEVICES, SERVICE, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ scheduler: { CLAIM_LEASE_SECONDS: '15' } });
}, 120_000);
afterAll(async () => {
  await stage.close();
}, 60_000);

it('kill −9 between send and record: uncertain, none doubled, the next campaign goes on', async () => {
  const { scheduler } = stage.house.parts;
  await stage.management.addFault({
    kind: 'delay',
    ms: 4_000,
    operation: 'sendMessage',
    serviceId: SERVICE,
    count: 1,
  });
  const [killed = ''] = await stage.publish(1);
  await stage.eachSendIs([killed], 'sending');
  scheduler.signal('SIGKILL');
  await scheduler.ended();

  await scheduler.start();
  await stage.eachSendIs([killed], 'uncertain');
  const [next = ''] = await stage.publish(1);
  await stage.eachSendIs([next], 'sent');

  expect(await requestsTaken(stage)).toBe(2);
  expect(await stage.campaign(killed)).toMatchObject({ state: 'completed' });
  await eventually(async () => expect((await stage.ledger()).balanced).toBe(true));
}, 180_000);

/** Messages the push service has taken, by its own table: the uncertain one has no requestId at our side. */
async function requestsTaken({ house }: Stage): Promise<number> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: house.parts.postgres.urlOf('carillon') });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string; devices: string }>(
      'select count(*), coalesce(sum(sent_count), 0) as devices from push.message',
    );
    expect(Number(rows[0]?.devices)).toBe(2 * (DEVICES.GCM + DEVICES.APNS));
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}
