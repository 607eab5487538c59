// The scheduler is killed between handing a request over and recording its answer: nobody can know its fate but the
// push service, so the send is uncertain and is not repeated.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { DEVICES, SERVICE, Stage } from './stage.js';

/** Longer than a busy machine takes to kill a process. */
const ANSWERED_AFTER_MS = 20_000;

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({
    scheduler: { REPLICA_SILENT_SECONDS: '10', PUSH_TIMEOUT_MS: String(3 * ANSWERED_AFTER_MS) },
  });
});
afterAll(async () => {
  await stage.close();
});

it('kill −9 between send and record: uncertain, none doubled, the next campaign goes on', async () => {
  const { scheduler } = stage.house.services;
  await stage.management.addFault({
    kind: 'delay',
    ms: ANSWERED_AFTER_MS,
    operation: 'sendMessage',
    serviceId: SERVICE,
    count: 1,
  });
  const [killed = ''] = await stage.publish(1);
  // The state says only that the request may be in flight; this says that it has arrived.
  await eventually(async () => expect(await stage.management.faultsStruck()).toBe(1));
  await stage.eachSendIs([killed], 'sending');
  scheduler.signal('SIGKILL');
  await scheduler.ended();

  await scheduler.start();
  await stage.eachSendIs([killed], 'uncertain');
  const [next = ''] = await stage.publish(1);
  await stage.eachSendIs([next], 'sent');

  // The uncertain one has no requestId on our side: the push service knows it, once it has taken it.
  const taken = await eventually(async () => {
    const requests = await stage.management.requestsTaken(SERVICE);
    return requests.length >= 2 && requests;
  });
  for (const requestId of taken)
    await eventually(async () => expect(await stage.management.deliveredTo(requestId)).toEqual(DEVICES));
  await eventually(async () => expect(await stage.campaign(killed)).toMatchObject({ state: 'completed' }));
  await eventually(async () => expect((await stage.ledger()).balanced).toBe(true));
  expect(await stage.management.requestsTaken(SERVICE)).toHaveLength(2);
}, 240_000);
