// The access token against a token endpoint that verifies the assertion with jose.
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { FcmPeer } from '../../../../tools/peers/fcm-peer.js';
import { machineNow, SystemClock } from '../../../platform/clock.js';
import { HTTP2_LIMITS } from '../../../platform/http2/http2-limits.js';
import { Http2Pool } from '../../../platform/http2/http2-pool.js';
import { AccessToken } from './access-token.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const account = { projectId: 'shop', clientEmail: 'push@shop.iam', privateKeyId: 'k1', privateKey };
const HOUR_MS = 3_599_000;
const AHEAD_MS = 300_000;

let fcm: FcmPeer;
let pool: Http2Pool;
let access: AccessToken;
let elapsedMs: number;

beforeEach(async () => {
  elapsedMs = 0;
  fcm = await FcmPeer.open({ ...account, publicKey });
  const { origin, ca } = fcm.peer;
  pool = new Http2Pool({
    origin,
    connections: 1,
    clock: new SystemClock(),
    limits: HTTP2_LIMITS,
    tls: { ca },
  });
  const clock = { elapsed: () => elapsedMs };
  access = new AccessToken({
    account,
    pool,
    address: new URL(`${origin}/token`),
    clock,
    realNow: machineNow,
  });
});
afterEach(async () => {
  await pool.drain(0);
  await fcm.peer.close();
});

it('is fetched once for however many ask, and kept', async () => {
  const given = await Promise.all([access.get(), access.get(), access.get()]);
  expect(new Set(given.map((one) => JSON.stringify(one))).size).toBe(1);
  expect([given[0]?.kind, (await access.get()).kind, fcm.asked]).toEqual(['token', 'token', 1]);
});

it('is renewed five minutes before its end, and used to its end where that fails', async () => {
  const first = await access.get();
  fcm.tokenAct = { status: 503 };
  elapsedMs = HOUR_MS - AHEAD_MS - 1;
  expect([access.get(), fcm.asked]).toEqual([first, 1]);
  elapsedMs = HOUR_MS - AHEAD_MS;
  expect(access.get()).toEqual(first);
  await eventually(() => fcm.asked === 2);
  elapsedMs = HOUR_MS - 1;
  expect(access.get()).toEqual(first);
  await eventually(() => fcm.asked === 3);
  elapsedMs = HOUR_MS;
  expect((await access.get()).kind).toBe('unavailable');
});

it('is asked for anew once it was refused, and only where it is the one', async () => {
  const first = await access.get();
  access.drop('another');
  expect(await access.get()).toEqual(first);
  if (first.kind === 'token') access.drop(first.token);
  expect(await access.get()).not.toEqual(first);
  expect(fcm.asked).toBe(2);
});

it('is refused in the endpoint’s words', async () => {
  fcm.tokenAct = { status: 400, body: { error: 'invalid_grant' } };
  expect(await access.get()).toEqual({ kind: 'refused', reason: 'invalid_grant', detail: '' });
});
