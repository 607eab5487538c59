import { expect, it } from 'vitest';
import { deadlinesOf } from './deadlines.js';

const FIRED = Date.parse('2027-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const endsOf = (option: Record<string, unknown>) => {
  const message = { default: { content: 'c', option } } as unknown as Parameters<typeof deadlinesOf>[0];
  const { GCM, APNS } = deadlinesOf(message, FIRED, 2 * HOUR_MS);
  return [GCM, APNS].map(({ at, reason }) => `${reason} ${(at.getTime() - FIRED) / 1_000}`);
};

it.each([
  [{}, ['TIMEOUT 7200', 'TIMEOUT 7200']],
  [{ ttl: 60 }, ['EXPIRED 60', 'EXPIRED 60']],
  [{ ttl: 0 }, ['TIMEOUT 7200', 'TIMEOUT 7200']],
  [{ ttl: 86_400 }, ['TIMEOUT 7200', 'TIMEOUT 7200']],
  [{ ttl: '60' }, ['TIMEOUT 7200', 'TIMEOUT 7200']],
  [{ ttl: 60, android: { ttl: '30s' } }, ['EXPIRED 30', 'EXPIRED 60']],
  [{ ttl: 60, 'apns-expiration': FIRED / 1_000 + 90 }, ['EXPIRED 60', 'EXPIRED 90']],
])('of option %j: %j', (option, ends) => {
  expect(endsOf(option)).toEqual(ends);
});
