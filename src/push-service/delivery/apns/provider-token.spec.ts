// The provider token: what Apple asks of it, verified by jose, and when it is made anew.
import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { parseApnsCredential } from './apns-credential.js';
import { ProviderToken } from './provider-token.js';

const MINUTE_MS = 60_000;
const NOW = Date.parse('2027-03-01T00:00:00Z');
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SECRET = EC.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const SETTINGS = {
  keyId: 'ABCDE12345',
  teamId: 'TEAM123456',
  topic: 'com.example.shop',
  environment: 'sandbox',
};

function newToken() {
  const credential = parseApnsCredential({
    serviceId: 's1',
    secret: SECRET,
    settings: SETTINGS,
    isProven: false,
  });
  if (Array.isArray(credential)) throw new Error(credential.join());
  const real = { elapsedMs: 0, aheadMs: 0 };
  const clock = { elapsed: () => real.elapsedMs };
  return { real, token: new ProviderToken(credential, clock, () => NOW + real.elapsedMs + real.aheadMs) };
}

it('is an ES256 JWT of the team and the key, made by the machine’s own time', async () => {
  const { payload, protectedHeader } = await jwtVerify(newToken().token.get(), EC.publicKey, {
    currentDate: new Date(NOW),
  });
  expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'ABCDE12345' });
  expect(payload).toEqual({ iss: 'TEAM123456', iat: NOW / 1_000 });
});

it('is used for 35 minutes at least and 45 at most', () => {
  const { real, token } = newToken();
  const first = token.get();
  real.elapsedMs = 35 * MINUTE_MS - 1;
  expect(token.get()).toBe(first);
  real.elapsedMs = 45 * MINUTE_MS;
  expect(token.get()).not.toBe(first);
});

it('is renewed once it was refused, but no sooner than after 20 minutes', () => {
  const { real, token } = newToken();
  const first = token.get();
  real.elapsedMs = 20 * MINUTE_MS - 1;
  expect([token.renew(first), token.get()]).toEqual([false, first]);
  real.elapsedMs = 20 * MINUTE_MS;
  expect(token.renew(first)).toBe(true);
  const second = token.get();
  expect(second).not.toBe(first);
  // A caller that was refused with the first token goes on with the second.
  expect([token.renew(first), token.get()]).toEqual([true, second]);
});

it.each([
  ['set back', -2 * 60 * MINUTE_MS],
  ['set ahead, or run on while the machine stood still', 2 * 60 * MINUTE_MS],
])('is made anew once the machine’s time was %s: its own time is wrong then', (_, stepMs) => {
  const { real, token } = newToken();
  const first = token.get();
  real.elapsedMs = MINUTE_MS;
  real.aheadMs = 1_000;
  expect(token.get()).toBe(first);
  real.aheadMs = stepMs;
  expect(token.renew(first)).toBe(true);
  const second = token.get();
  expect(decodeJwt(second).iat).toBe((NOW + real.elapsedMs + stepMs) / 1_000);
  // By the same time, the young one is kept.
  expect([token.renew(second), token.get()]).toEqual([false, second]);
});

it('needs a P-256 key, ten characters of key and team, a topic and an environment; all faults are named', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const secret = rsa.export({ type: 'pkcs8', format: 'pem' }).toString();
  const faults = parseApnsCredential({
    serviceId: 's1',
    secret,
    settings: { keyId: 'short' },
    isProven: false,
  });
  expect(faults).toHaveLength(5);
  expect(JSON.stringify(faults)).not.toContain('BEGIN');
});
