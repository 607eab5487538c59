// The scheduler is killed between handing a request over and recording its answer: nobody can know its fate but the
// push service, so the send is uncertain and is not repeated.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { DEVICES, SERVICE, Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ scheduler: { REPLICA_SILENT_SECONDS: '10' } });
});
afterAll(async () => {
  await stage.close();
});

it('kill −9 between send and record: uncertain, none doubled, the next campaign goes on', async () => {
  const { scheduler } = stage.house.parts;
  await stage.management.addFault({
    kind: 'delay',
    // As long as a busy machine may take to show the send on the wire; and less than a call may take.
    ms: 9_000,
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

  // The uncertain one has no requestId on our side: the push service knows it, once.
  const taken = await stage.management.requestsTaken(SERVICE);
  expect(taken).toHaveLength(2);
  for (const requestId of taken) expect(await stage.management.deliveredTo(requestId)).toEqual(DEVICES);
  expect(await stage.campaign(killed)).toMatchObject({ state: 'completed' });
  await eventually(async () => expect((await stage.ledger()).balanced).toBe(true));
}, 180_000);
