// The pool against a peer that does what providers do: each rule of what may be repeated, and of what may not.
import { constants } from 'node:http2';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { emptyDataPeer } from '../../../test/support/peers/empty-data-peer.js';
import { eventually } from '../../../test/support/eventually.js';
import { TcpProxy } from '../../../test/support/peers/tcp-proxy.js';
import { Http2Peer, type PeerAct, type PeerBehaviour } from '../../../tools/peers/http2-peer.js';
import { SystemClock } from '../clock.js';
import { HTTP2_LIMITS, type Http2Limits } from './http2-limits.js';
import { Http2Pool } from './http2-pool.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Setting {
  connections?: number;
  limits?: Partial<Http2Limits>;
  maxConcurrentStreams?: number;
}

async function newPool(behaviour: PeerBehaviour, { connections = 1, limits, ...options }: Setting = {}) {
  const peer = await Http2Peer.open(behaviour, options);
  closing.push(() => peer.close());
  return { peer, pool: poolTo(peer.origin, peer.ca, connections, limits) };
}

function poolTo(origin: string, ca: string, connections: number, limits?: Partial<Http2Limits>): Http2Pool {
  const pool = new Http2Pool({
    origin,
    connections,
    clock: new SystemClock(),
    tls: { ca },
    limits: { ...HTTP2_LIMITS, tickMs: 10, gapMs: 20, ...limits },
  });
  closing.push(() => pool.drain(0));
  return pool;
}

const post = (path: string) => ({ headers: { ':method': 'POST', ':path': path }, body: 'x' });
const kinds = (outcomes: readonly { kind: string }[]): string[] => outcomes.map(({ kind }) => kind);

/** Holds every request until the test lets it go. */
function holding() {
  const held: { path: string; id: number; answer: (act: PeerAct) => void }[] = [];
  const behaviour: PeerBehaviour = ({ path, stream }) =>
    new Promise((answer) => held.push({ path, id: stream.id ?? 0, answer }));
  const hold = (count: number) => eventually(() => held.length >= count);
  return { held, behaviour, hold };
}

it('keeps a connection whose answers have empty DATA frames, however many', async () => {
  const peer = await emptyDataPeer();
  closing.push(() => peer.close());
  const pool = poolTo(peer.origin, '', 1);
  const ends = new Set<string>();
  for (let round = 0; round < 30; round += 1) {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => pool.request(post('/'))));
    for (const kind of kinds(outcomes)) ends.add(kind);
  }
  expect([...ends]).toEqual(['answered']);
  expect(peer.connected()).toBe(1);
});

describe('streams', () => {
  it('are never more than the peer allows, which it may change at any time', async () => {
    const { held, behaviour, hold } = holding();
    const { peer, pool } = await newPool(behaviour, { maxConcurrentStreams: 2 });
    const requests = Array.from({ length: 6 }, (_, at) => pool.request(post(`/${at}`)));
    await hold(2);
    expect(pool.most).toBe(2);
    peer.settings(5);
    await hold(5);
    peer.settings(1);
    await eventually(() => pool.most === 1);
    for (const { answer } of held.slice(0, 4)) answer({ status: 200 });
    await Promise.all(requests.slice(0, 4));
    // One is open, one allowed: the sixth still waits.
    expect(held.map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3', '/4']);
    held[4]?.answer({ status: 200 });
    await hold(6);
    held[5]?.answer({ status: 200 });
    expect(new Set(kinds(await Promise.all(requests)))).toEqual(new Set(['answered']));
  });

  it('are never more than our own bound', async () => {
    const { held, behaviour, hold } = holding();
    const { pool } = await newPool(behaviour, { limits: { streams: 3 } });
    const requests = Array.from({ length: 5 }, (_, at) => pool.request(post(`/${at}`)));
    await hold(3);
    expect(held).toHaveLength(3);
    held[0]?.answer({ status: 200 });
    await hold(4);
    for (const { answer } of held) answer({ status: 200 });
    await hold(5);
    held[4]?.answer({ status: 200 });
    await Promise.all(requests);
  });

  it('wait for a second connection once the first is full, and use both', async () => {
    const { held, behaviour, hold } = holding();
    const { peer, pool } = await newPool(behaviour, { connections: 2, maxConcurrentStreams: 2 });
    const requests = Array.from({ length: 4 }, () => pool.request(post('/')));
    await hold(4);
    expect([peer.connected, pool.connections, pool.most]).toEqual([2, 2, 4]);
    for (const { answer } of held) answer({ status: 200 });
    await Promise.all(requests);
  });
});

describe('what became of a request', () => {
  it('is its status, with its body unless it was taken', async () => {
    const { pool } = await newPool(({ path }) =>
      path === '/ok' ? { status: 200, body: 'unread' } : { status: 410, body: { reason: 'Unregistered' } },
    );
    expect(await pool.request(post('/ok'))).toMatchObject({ kind: 'answered', status: 200, body: '' });
    const body = '{"reason":"Unregistered"}';
    expect(await pool.request(post('/gone'))).toMatchObject({ kind: 'answered', status: 410, body });
  });

  it('is its status, though its body was cut', async () => {
    const { pool } = await newPool(({ stream, session }) => {
      stream.respond({ ':status': 503 });
      stream.write('half');
      setTimeout(() => session.destroy(), 50);
      return { silent: true };
    });
    expect(await pool.request(post('/'))).toMatchObject({ kind: 'answered', status: 503 });
  });

  it('is "not taken" where the peer refuses the stream, and "unknown" at any other reset', async () => {
    const { pool } = await newPool(({ path }) => ({ reset: Number(path.slice(1)) }));
    const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_CANCEL } = constants;
    const resets = [NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_CANCEL];
    const outcomes = await Promise.all(resets.map((code) => pool.request(post(`/${code}`))));
    expect(kinds(outcomes)).toEqual(['notTaken', 'unknown', 'unknown']);
  });

  it('is "unknown" where the connection is cut', async () => {
    const { behaviour, hold } = holding();
    const { peer, pool } = await newPool(behaviour);
    const requests = [pool.request(post('/1')), pool.request(post('/2'))];
    await hold(2);
    peer.cut();
    expect(kinds(await Promise.all(requests))).toEqual(['unknown', 'unknown']);
  });

  it('is "unknown" after the time a request has, whatever other requests are answered meanwhile', async () => {
    const { peer, pool } = await newPool(
      ({ path }) => (path === '/slow' ? { silent: true } : { status: 200 }),
      { limits: { requestMs: 200 } },
    );
    const slow = pool.request(post('/slow'));
    expect((await pool.request(post('/fast'))).kind).toBe('answered');
    expect(await slow).toEqual({ kind: 'unknown', reason: 'no answer in time' });
    expect((await pool.request(post('/fast'))).kind).toBe('answered');
    expect(peer.connected).toBe(1);
  });

  it('is "not taken" where there is no connection, and its like are not tried before the back-off is over', async () => {
    const { peer, pool } = await newPool(() => ({ status: 200 }), { limits: { backOffMs: 300 } });
    const { origin } = peer;
    await peer.close();
    closing.shift();
    const requests = [pool.request(post('/1')), pool.request(post('/2'))];
    expect(await Promise.all(requests)).toEqual(
      Array.from({ length: 2 }, () => ({ kind: 'notTaken', reason: 'ECONNREFUSED' })),
    );
    expect(pool.restMs).toBeGreaterThan(0);
    const again = await Http2Peer.open(() => ({ status: 200 }), { port: Number(new URL(origin).port) });
    closing.push(() => again.close());
    expect(await pool.request(post('/3'))).toEqual({ kind: 'notTaken', reason: 'ECONNREFUSED' });
    expect(again.connected).toBe(0);
  });

  it('is "not taken" where the peer is not the one that is trusted', async () => {
    const { peer } = await newPool(() => ({ status: 200 }));
    const stranger = await Http2Peer.open(() => ({ status: 200 }));
    closing.push(() => stranger.close());
    const pool = poolTo(peer.origin, stranger.ca, 1);
    expect((await pool.request(post('/'))).kind).toBe('notTaken');
  });
});

describe('GOAWAY', () => {
  it('without error: what is above its last stream is not taken, the rest is still answered, a successor opens', async () => {
    const { held, behaviour, hold } = holding();
    const { peer, pool } = await newPool(behaviour);
    const requests = Array.from({ length: 5 }, (_, at) => pool.request(post(`/${at}`)));
    await hold(5);
    peer.goaway(0, held[1]?.id ?? 0);
    expect(kinds(await Promise.all(requests.slice(2)))).toEqual(['notTaken', 'notTaken', 'notTaken']);
    await eventually(() => peer.connected === 2);
    const next = pool.request(post('/next'));
    await hold(6);
    for (const { answer } of held) answer({ status: 200 });
    expect(kinds(await Promise.all([...requests.slice(0, 2), next]))).toEqual([
      'answered',
      'answered',
      'answered',
    ]);
  });

  it.each([
    [constants.NGHTTP2_PROTOCOL_ERROR, 'exceeded_max_concurrent_streams'],
    [constants.NGHTTP2_ENHANCE_YOUR_CALM, 'too_many_pings'],
  ])('with code %i: up to its last stream unknown, above it not taken', async (code, reason) => {
    const { held, behaviour, hold } = holding();
    const { peer, pool } = await newPool(behaviour);
    const requests = Array.from({ length: 5 }, (_, at) => pool.request(post(`/${at}`)));
    await hold(5);
    peer.goaway(code, held[1]?.id ?? 0, { reason });
    expect(kinds(await Promise.all(requests))).toEqual([
      'unknown',
      'unknown',
      'notTaken',
      'notTaken',
      'notTaken',
    ]);
    const next = pool.request(post('/next'));
    await hold(6);
    held[5]?.answer({ status: 200 });
    expect((await next).kind).toBe('answered');
  });

  it('loses nothing of what is asked at its very moment, and has nothing taken twice', async () => {
    const taken = new Map<string, number>();
    let seen = 0;
    const { pool } = await newPool(
      ({ path }) => {
        seen += 1;
        if (seen % 97 === 0) return { goaway: seen % 2 === 0 ? 0 : 1 };
        if (seen % 31 === 0) return { reset: 7 };
        taken.set(path, (taken.get(path) ?? 0) + 1);
        return { status: 200 };
      },
      {
        connections: 2,
        maxConcurrentStreams: 50,
        limits: { gapMs: 5, backOffMs: 5, backOffCapMs: 5, requestMs: 1_000 },
      },
    );
    const ends = new Map<string, string>();
    const send = async (path: string): Promise<void> => {
      for (;;) {
        const { kind } = await pool.request(post(path));
        ends.set(path, kind);
        if (kind !== 'notTaken') return;
        await wait(1);
      }
    };
    await Promise.all(Array.from({ length: 2_000 }, (_, at) => send(`/${at}`)));
    expect(Math.max(...taken.values())).toBe(1);
    const answered = [...ends].filter(([, kind]) => kind === 'answered').map(([path]) => path);
    const unknown = [...ends].filter(([, kind]) => kind === 'unknown').map(([path]) => path);
    expect(answered.length + unknown.length).toBe(2_000);
    expect(answered.every((path) => taken.has(path))).toBe(true);
    const may = new Set([...answered, ...unknown]);
    expect([...taken.keys()].every((path) => may.has(path))).toBe(true);
  });
});

describe('a connection', () => {
  it('that went silent is pinged and given up: its requests are unknown, the next has another', async () => {
    const { held, behaviour, hold } = holding();
    const peer = await Http2Peer.open(behaviour);
    const proxy = await TcpProxy.inFrontOf(peer.origin);
    closing.push(
      () => peer.close(),
      () => proxy.close(),
    );
    const pool = poolTo(proxy.through(peer.origin).replace(/\/$/, ''), peer.ca, 1, {
      quietMs: 100,
      pingMs: 100,
    });
    const first = pool.request(post('/1'));
    await hold(1);
    held[0]?.answer({ status: 200 });
    await first;
    const second = pool.request(post('/2'));
    await hold(2);
    proxy.stall();
    expect(await second).toMatchObject({ kind: 'unknown' });
    const third = pool.request(post('/3'));
    await hold(3);
    held[2]?.answer({ status: 200 });
    expect([(await third).kind, peer.connected]).toEqual(['answered', 2]);
  });

  it('whose peer takes its time, but answers PINGs, is kept', async () => {
    const { peer, pool } = await newPool(() => ({ status: 200, afterMs: 400 }), {
      limits: { quietMs: 50, pingMs: 50 },
    });
    expect((await pool.request(post('/'))).kind).toBe('answered');
    expect((await pool.request(post('/'))).kind).toBe('answered');
    expect(peer.connected).toBe(1);
  });

  it('is sent no PING while idle, and is closed once it was not used for long', async () => {
    const { peer, pool } = await newPool(() => ({ status: 200 }), { limits: { quietMs: 300, idleMs: 900 } });
    await pool.request(post('/'));
    let pings = 0;
    for (const session of peer.sessions) session.on('ping', () => (pings += 1));
    await eventually(() => pool.connections === 0);
    expect([pings, peer.connected]).toEqual([0, 1]);
    expect((await pool.request(post('/'))).kind).toBe('answered');
    expect(peer.connected).toBe(2);
  });

  it('is opened but once in a while, and more rarely where it fails', async () => {
    const { peer, pool } = await newPool(() => ({ cut: true }), {
      limits: { gapMs: 10, backOffMs: 50, backOffCapMs: 200 },
    });
    const rests: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      expect((await pool.request(post('/'))).kind).toBe('unknown');
      await eventually(() => pool.restMs > 0, { everyMs: 1 });
      rests.push(pool.restMs);
      await eventually(() => pool.restMs === 0, { everyMs: 1 });
    }
    expect(peer.connected).toBe(4);
    const [first = 0, second = 0, third = 0, fourth = 0] = rests;
    expect(first).toBeLessThanOrEqual(50);
    expect(second).toBeGreaterThan(50);
    expect(third).toBeGreaterThan(100);
    expect(fourth).toBeLessThanOrEqual(200);
  });

  it('is left for another where its peer asks for that, and what is open on it is answered', async () => {
    const { held, behaviour, hold } = holding();
    const { peer, pool } = await newPool(behaviour);
    const requests = [pool.request(post('/1')), pool.request(post('/2'))];
    await hold(2);
    held[0]?.answer({ status: 503 });
    const first = await requests[0];
    if (first?.kind === 'answered') pool.retire(first.connection);
    const third = pool.request(post('/3'));
    await hold(3);
    expect(peer.connected).toBe(2);
    for (const { answer } of held) answer({ status: 200 });
    expect(kinds(await Promise.all([...requests, third]))).toEqual(['answered', 'answered', 'answered']);
  });
});

describe('the end', () => {
  it('lets what is open be answered and begins nothing more', async () => {
    const { held, behaviour, hold } = holding();
    const { pool } = await newPool(behaviour, { maxConcurrentStreams: 1 });
    const requests = [pool.request(post('/1')), pool.request(post('/2'))];
    await hold(1);
    const drained = pool.drain(60_000);
    expect((await pool.request(post('/3'))).kind).toBe('notTaken');
    held[0]?.answer({ status: 200 });
    expect(kinds(await Promise.all(requests))).toEqual(['answered', 'notTaken']);
    await drained;
    expect(pool.connections).toBe(0);
  });

  it('comes in time: what is not answered until then is unknown', async () => {
    const { behaviour, hold } = holding();
    const { pool } = await newPool(behaviour);
    const request = pool.request(post('/'));
    await hold(1);
    await pool.drain(50);
    expect((await request).kind).toBe('unknown');
  });

  it('takes back what waits for a stream when its caller gives up', async () => {
    const { held, behaviour, hold } = holding();
    const { pool } = await newPool(behaviour, { maxConcurrentStreams: 1 });
    const stop = new AbortController();
    const requests = [pool.request(post('/1'), stop.signal), pool.request(post('/2'), stop.signal)];
    await hold(1);
    stop.abort();
    expect((await requests[1])?.kind).toBe('notTaken');
    held[0]?.answer({ status: 200 });
    expect((await requests[0])?.kind).toBe('answered');
  });

  it('begins nothing for a caller who has given up, though a stream is free', async () => {
    const seen: string[] = [];
    const { pool } = await newPool(({ path }) => {
      seen.push(path);
      return { status: 200 };
    });
    await pool.request(post('/1'));
    expect((await pool.request(post('/2'), AbortSignal.abort())).kind).toBe('notTaken');
    expect(seen).toEqual(['/1']);
  });
});
