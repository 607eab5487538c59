// The sandbox's faults that are no answers, and what may be asked for. Those that are a status: statuses.spec.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from './support/client.js';
import { finalResult, message, openStage, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
  await client.register({ userId: 'u' });
});

beforeEach(() => stage.management.clearFaults());
afterAll(() => stage.close());

describe('faults that are no answers', () => {
  const other = { operation: 'sendMessage', count: 1 };

  it('answerLost takes effect and sends nothing', async () => {
    const project = await stage.project();
    await project.post('channels', { channelName: 'before' });
    await stage.management.addFault({ kind: 'answerLost', operation: 'createChannel', count: 1 });
    await expect(project.post('channels', { channelName: 'lost' })).rejects.toThrow(
      /socket hang up|ECONNRESET/,
    );
    expect((await project.get('channels')).list().map((one) => one['channelName'])).toEqual([
      'before',
      'lost',
    ]);
  });

  it('reset does nothing', async () => {
    const project = await stage.project();
    await stage.management.addFault({ kind: 'reset', operation: 'createChannel', count: 1 });
    await expect(project.post('channels', { channelName: 'x' })).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect((await project.get('channels')).list()).toEqual([]);
  });

  it('truncated takes effect and cuts the answer off', async () => {
    await stage.management.addFault({ kind: 'truncated', operation: 'listChannels', count: 1 });
    await expect(client.get('channels')).rejects.toThrow(/aborted|cut off|hang up|ECONNRESET/);
    expect((await client.get('channels')).status).toBe(200);
  });

  it('delay answers later and rightly', async () => {
    await stage.management.addFault({ kind: 'delay', ms: 200, ...other });
    const begin = performance.now();
    const answer = await client.post('messages', message());
    expect(performance.now() - begin).toBeGreaterThanOrEqual(195);
    expect(await finalResult(client, answer.field('requestId'))).toMatchObject({ messageStatusCode: '200' });
  });

  it('strikes as often as it is set to, only its service, and is listed with what it did', async () => {
    const project = await stage.project();
    await stage.management.addFault({
      kind: 'error',
      error: 'unexpected',
      operation: '*',
      serviceId: project.serviceId,
      count: 2,
    });
    expect((await client.get('channels')).status).toBe(200);
    const statuses: number[] = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await project.get('channels')).status);
    expect(statuses).toEqual([500, 500, 200]);
    const [fault] = (await stage.management.ask('GET', '/v1/sandbox/faults')).list();
    expect(fault).toMatchObject({ left: 0, struck: 2 });
  });

  it('never strikes at probability 0', async () => {
    await stage.management.addFault({ kind: 'error', error: 'unexpected', operation: '*', probability: 0 });
    for (let call = 0; call < 5; call += 1) expect((await client.get('channels')).status).toBe(200);
  });

  it.each([
    [{ kind: 'error', operation: 'sendMessage', error: 'nothing' }],
    [{ kind: 'delay', operation: 'sendMessage' }],
    [{ kind: 'error', operation: 'unknown', error: 'unexpected' }],
    [{ kind: 'firing', ending: 'DONE' }],
    [{ kind: 'error', operation: 'reservationFiring', error: 'unexpected' }],
    [{ kind: 'delay', ms: 5, operation: '*', times: 3 }],
    [{ kind: 'firing', ending: 'FAIL', servceId: 'misspelt' }],
  ])('refuses %j', async (fault) => {
    expect((await stage.management.call('POST', '/v1/sandbox/faults', fault)).status).toBe(400);
  });
});
