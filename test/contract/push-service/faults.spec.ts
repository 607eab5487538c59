// The sandbox's faults, and with them every status that §4 lists for an operation but a right request never gets.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Client } from './support/client.js';
import { finalResult, message, openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
  await client.register({ userId: 'u' });
  await client.post('channels', { channelName: 'c' });
  await client.post('schedules', { scheduleCode: 's', scheduleTime: '00:00' });
});

beforeEach(() => stage.management.clearFaults());
afterAll(() => stage.close());

const id = '01a1fd88-82be-7740-b50c-b8586a23f334';

/** Each operation of §4 with a request that is right but for its effect. */
const operations: Readonly<Record<string, (by: Client) => Promise<Answer>>> = {
  registerUser: (by) => by.register(),
  getUser: (by) => by.get('users/u'),
  deleteUser: (by) => by.delete('users/u'),
  createChannel: (by) => by.post('channels', { channelName: 'x' }),
  updateChannels: (by) => by.put('channels', [{ channelName: 'c' }]),
  listChannels: (by) => by.get('channels'),
  deleteChannels: (by) => by.delete('channels', [{ channelName: 'c' }]),
  addChannelUser: (by) => by.get('channels/c/users/u'),
  removeChannelUser: (by) => by.delete('channels/c/users/u'),
  sendMessage: (by) => by.post('messages', message()),
  getMessage: (by) => by.get(`messages/${id}`),
  getReserveStatus: (by) => by.get(`reservations/${id}/reserve-status`),
  cancelReservation: (by) => by.delete(`reservations/${id}`),
  cancelScheduledMessage: (by) => by.delete(`schedules/s/messages/${id}`),
};

/** Each operation with a part of the request that no such part can be. */
const unreadable: Readonly<Record<string, (by: Client) => Promise<Answer>>> = {
  registerUser: (by) => by.post('users', {}),
  getUser: (by) => by.get(by.path('users/%00')),
  deleteUser: (by) => by.delete(by.path('users/%FF')),
  createChannel: (by) => by.post('channels', {}),
  updateChannels: (by) => by.put('channels', {}),
  listChannels: (by) => by.get('channels?pageSize=x'),
  deleteChannels: (by) => by.delete('channels', {}),
  addChannelUser: (by) => by.get(by.path('channels/%00/users/u')),
  removeChannelUser: (by) => by.delete(by.path('channels/c/users/%00')),
  sendMessage: (by) => by.post('messages', {}),
  getMessage: (by) => by.get(by.path('messages/%FF')),
  getReserveStatus: (by) => by.get(by.path('reservations/%FF/reserve-status')),
  cancelReservation: (by) => by.delete(by.path('reservations/%FF')),
  cancelScheduledMessage: (by) => by.delete(by.path(`schedules/%00/messages/${id}`)),
};

const ERRORS = [
  ['unexpected', 500, '900', 'Unexpected Error'],
  ['endpointError', 503, '500', 'Endpoint Error'],
  ['endpointTimeout', 504, '510', 'Endpoint Timeout'],
  ['rateLimited', 429, '420', 'Rate Limited'],
  ['throttleLimited', 429, '410', 'Throttle Limited'],
  ['quotaExceeded', 429, '400', 'Quota Exceeded'],
] as const;

describe.each(Object.keys(operations))('§4 %s', (operation) => {
  const call = operations[operation] ?? (() => Promise.reject(new Error('no such operation')));

  it.each(ERRORS)('can be made to answer %s: %d/%s', async (error, status, code, text) => {
    await stage.management.addFault({ kind: 'error', operation, error, count: 1, retryAfterSeconds: 7 });
    const answer = await call(client);
    expect(refusal(answer)).toEqual([status, code, text]);
    expect(answer.headers['retry-after']).toBe(status === 429 || status === 503 ? '7' : undefined);
  });

  it('answers 401 to a wrong signature and 403 while the service is suspended', async () => {
    const project = await stage.project();
    const stranger = Object.assign(Object.create(project) as Client, {
      keys: { ...project.keys, secretKey: 'wrong' },
    });
    expect(refusal(await call(stranger)).slice(0, 2)).toEqual([401, '200']);
    const service = `/v1/services/${encodeURIComponent(project.serviceId)}`;
    await stage.management.ask('PATCH', service, { suspended: true });
    expect(refusal(await call(project)).slice(0, 2)).toEqual([403, '210']);
    await stage.management.ask('DELETE', service);
    expect(refusal(await call(project)).slice(0, 2)).toEqual([404, '300']);
  });

  it('answers 400 to a request that cannot be read', async () => {
    const answer = await unreadable[operation]?.(client);
    expect(answer?.status).toBe(400);
    expect(answer?.json()).toMatchObject({ error: { errorCode: '100' } });
  });
});

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

  it('strikes as often as it is told to, only its service, and is listed with what it did', async () => {
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
  ])('refuses %j', async (fault) => {
    expect((await stage.management.call('POST', '/v1/sandbox/faults', fault)).status).toBe(400);
  });
});
