// GET /v1/stream over real HTTP: what changes in the database reaches those who may see it, merged, and once more after a cut.
import { once } from 'node:events';
import { connect } from 'node:net';
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { moveSends } from '../../../src/scheduler/store/send/move.store.js';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { announce } from '../../../src/scheduler/store/change.store.js';
import { eventually } from '../../support/eventually.js';
import { EventStream } from '../../support/scheduler/event-stream.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { SERVICE, World } from '../../support/scheduler/world.js';

let world: World;
let scheduler: TestScheduler;
let operator: string;
let publisher: string;
let stranger: string;
const open: EventStream[] = [];

beforeAll(async () => {
  world = await World.open();
  await world.project();
  scheduler = await start('api,publish');
  operator = await scheduler.bearer(['operator']);
  publisher = await scheduler.bearer(['publisher'], [SERVICE]);
  stranger = await scheduler.bearer(['admin'], ['other-app']);
});
// A token has eight streams at most.
afterEach(async () => {
  for (const stream of open.splice(0)) stream.cut();
  await eventually(() => streams().size === 0);
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

const streams = () => scheduler.internals.stream.streams;

async function start(roles: string): Promise<TestScheduler> {
  const env = { CARILLON_ROLES: roles, LOOP_IDLE_MS: '50' };
  const started = await startScheduler(schedulerConfig(world.url, env));
  await eventually(() => started.dataSource.isInitialized);
  await eventually(() => started.internals.listener.finding() === undefined);
  return started;
}

async function listen(
  authorization: string,
  query = '',
  headers: Record<string, string> = {},
  at = scheduler,
) {
  const stream = await EventStream.open(`${at.url}/v1/stream${query}`, { authorization, ...headers });
  open.push(stream);
  return stream;
}

async function move(id: string, fromState: SendState, toState: SendState): Promise<void> {
  const how = { attempts: null, code: 'BY_HAND', detail: null, requestId: null, nextAt: null };
  expect(
    await moveSends(world.dataSource, [{ id, fromState, toState, ...how }], { at: Date.now(), by: 'spec' }),
  ).toBe(1);
}

async function sending(): Promise<{ campaign: string; send: string }> {
  const campaign = await world.campaign({ state: 'running' });
  return { campaign, send: await world.send({ campaign, state: 'sending' }) };
}

describe('a stream', () => {
  it('says which campaign changed, what asks for attention, and the sends of the campaign that is named', async () => {
    const { campaign, send } = await sending();
    const [all, one] = [await listen(operator), await listen(operator, `?campaign=${campaign}`)];
    expect(all.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(all.headers.get('x-request-id')).toBeTruthy();
    await move(send, 'sending', 'rejected');
    await eventually(() => one.of('send').length > 0);
    expect(one.of('send')[0]?.data).toMatchObject({
      serviceId: SERVICE,
      campaign,
      states: { rejected: 1 },
      sends: [send],
    });
    await eventually(() => all.of('attention').length > 0);
    expect(all.of('campaign').at(-1)?.data).toMatchObject({ campaign, sends: { rejected: 1 } });
    expect(all.of('attention')[0]?.data).toMatchObject({ serviceId: SERVICE, campaigns: [campaign] });
    expect(all.of('send')).toEqual([]);
  });

  it('says that a project was stopped, and how far a set is, to those who may read these', async () => {
    const [mine, theirs] = [await listen(operator), await listen(publisher)];
    await scheduler.call('POST', `/v1/projects/${SERVICE}/stop`, { authorization: operator });
    await eventually(() => mine.of('project').length > 0);
    expect(mine.of('project')[0]?.data).toEqual({ serviceId: SERVICE, blocked: 'STOPPED' });
    await scheduler.call('POST', `/v1/projects/${SERVICE}/start`, { authorization: operator });
    const made = await scheduler.call('POST', '/v1/retries/preview', { authorization: operator, body: {} });
    const { token } = made.body as { token: string };
    await eventually(() => mine.of('set').length > 0);
    expect(mine.of('set')[0]?.data).toMatchObject({ token, kind: 'retry' });
    expect([...theirs.of('project'), ...theirs.of('set')]).toEqual([]);
  });

  it('says that an alert began', async () => {
    const stream = await listen(operator);
    const alert = v7();
    await world.insert('alert', {
      id: alert,
      cause: 'DISK',
      since: new Date(),
      last_seen_at: new Date(),
      detail: 'x',
    });
    await eventually(() => stream.of('alert').length > 0);
    expect(stream.of('alert')[0]?.data).toEqual({ alert, cause: 'DISK', serviceId: null, isOpen: true });
    await world.dataSource.query('delete from alert');
  });

  it('shows nothing of services that the token does not hold', async () => {
    const [theirs, ours] = [await listen(stranger), await listen(publisher)];
    const { campaign, send } = await sending();
    const named = await listen(stranger, `?campaign=${campaign}`);
    await move(send, 'sending', 'accepted');
    await eventually(() => ours.of('campaign').some(({ data }) => data['campaign'] === campaign));
    expect([...theirs.events, ...named.events].map(({ event }) => event)).toEqual(['ping', 'ping']);
  });

  it('merges a burst: a campaign has at most four events a second, and no count is lost', async () => {
    const stream = await listen(operator);
    const subject = v7();
    const data = { campaign: subject, sends: { sent: 1 } };
    const began = performance.now();
    for (let index = 0; index < 200; index += 1)
      await announce(world.dataSource, [{ event: 'campaign', serviceId: SERVICE, subject, data }]);
    const seconds = (performance.now() - began) / 1_000;
    const ofIt = () => stream.of('campaign').filter((one) => one.data['campaign'] === subject);
    const sum = () =>
      ofIt().reduce((all, one) => all + ((one.data['sends'] as { sent: number }).sent ?? 0), 0);
    await eventually(() => sum() === 200);
    expect(ofIt().length).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1);
  });
});

describe('a reader that comes back', () => {
  it('gets what it missed, in this process and in another, and nothing twice', async () => {
    const other = await start('api');
    try {
      const [here, there] = [await listen(operator), await listen(operator, '', {}, other)];
      const first = await sending();
      await move(first.send, 'sending', 'accepted');
      for (const stream of [here, there])
        await eventually(() => stream.of('campaign').some(({ data }) => data['campaign'] === first.campaign));
      const { lastId = '' } = here;
      here.cut();
      there.cut();
      const missed = await sending();
      await move(missed.send, 'sending', 'accepted');
      await eventually(() => scheduler.internals.changes.lastId !== lastId);
      for (const at of [scheduler, other]) {
        const back = await listen(operator, '', { 'last-event-id': lastId }, at);
        await eventually(() => back.of('campaign').length > 0);
        expect(back.of('campaign').map(({ data }) => data['campaign'])).toEqual([missed.campaign]);
        expect(back.of('reset')).toEqual([]);
      }
      const byQuery = await listen(operator, `?lastEventId=${lastId}`);
      await eventually(() => byQuery.of('campaign').length > 0);
    } finally {
      await other.close();
    }
  });

  it('is told to read everything anew where that is not known any more', async () => {
    const back = await listen(operator, '', { 'last-event-id': 'gone' });
    expect(back.events.map(({ event }) => event)).toEqual(['reset']);
    scheduler.internals.changes.lost();
    await eventually(() => back.of('reset').length === 2);
  });
});

describe('bounds', () => {
  it('let a token have eight streams', async () => {
    const own = await scheduler.bearer(['analyst']);
    for (let index = 0; index < 8; index += 1) expect((await listen(own)).status).toBe(200);
    expect((await listen(own)).status).toBe(429);
    open.at(-2)?.cut();
    await eventually(async () => expect((await listen(own)).status).toBe(200));
  });

  it('cut off a reader that does not read, and no other', async () => {
    const { hostname, port } = new URL(scheduler.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.pause();
    socket.write(`GET /v1/stream HTTP/1.1\r\nhost: x\r\nauthorization: ${operator}\r\n\r\n`);
    await eventually(() => streams().size === 1);
    // More than the kernel holds for it.
    const text = 'x'.repeat(1_000_000);
    const { lastId } = scheduler.internals.changes;
    for (let index = 0; index < 16; index += 1) {
      const one = { event: 'campaign', serviceId: SERVICE, subject: v7(), data: { text } };
      scheduler.internals.changes.take(JSON.stringify({ id: v7(), changes: [one] }));
    }
    await eventually(() => scheduler.internals.changes.lastId !== lastId);
    const good = await listen(operator);
    const subject = v7();
    await announce(world.dataSource, [{ event: 'campaign', serviceId: SERVICE, subject, data: { subject } }]);
    await eventually(() => good.of('campaign').some(({ data }) => data['subject'] === subject));
    await eventually(() => streams().size === 1);
    expect(await (await fetch(scheduler.metricsUrl)).text()).toContain(
      'carillon_streams_cut_total{reason="slow"} 1',
    );
    socket.destroy();
  });

  it('end a stream with its token, and with its process', async () => {
    const own = await start('api');
    const made = await scheduler.call('POST', '/v1/tokens', {
      authorization: await scheduler.bearer(['admin']),
      body: { name: 'short-lived', roles: ['analyst'], serviceIds: ['*'] },
    });
    const { id, token } = made.body as { id: string; token: string };
    const [revoked, other] = [
      await listen(`Bearer ${token}`, '', {}, own),
      await listen(operator, '', {}, own),
    ];
    const admin = await scheduler.bearer(['admin']);
    await scheduler.call('DELETE', `/v1/tokens/${id}`, { authorization: admin });
    own.internals.tokens.forget();
    await own.internals.stream.streams.ping();
    await eventually(() => revoked.isOver);
    expect(other.isOver).toBe(false);
    const began = performance.now();
    await own.close();
    await eventually(() => other.isOver);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
