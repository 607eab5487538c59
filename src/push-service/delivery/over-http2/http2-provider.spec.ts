import { expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { FakeCredentials } from '../../../../test/support/peers/provider-stages.js';
import { createLog } from '../../../platform/logging/log.js';
import type { CredentialRef } from '../provider-port.js';
import { Http2Provider } from './http2-provider.js';
import type { ProviderClient } from './provider-client.js';

const MINUTE_MS = 60_000;
const ref: CredentialRef = { id: 'c1', version: 1, kind: 'fcm' };
const GOOD = { serviceId: 's1', secret: 'key', settings: {}, isProven: true };

/** Each credential that is open has a window of one. */
const sizeOf = (held: Http2Provider): number => held.load.window;

function stage() {
  const credentials = new FakeCredentials();
  const closed: string[] = [];
  const pool = { most: 500, restMs: 0, connections: 0 };
  let elapsed = 0;
  const clock = { elapsed: () => elapsed, now: () => elapsed, at: () => () => undefined };
  const held = new Http2Provider(
    { credentials, clock, realNow: () => elapsed, log: createLog('spec', 'silent'), abortMs: 0 },
    ({ secret }) =>
      secret === 'broken'
        ? ['no key', 'no project']
        : ({ pool, close: () => Promise.resolve(void closed.push(secret)) } as unknown as ProviderClient),
  );
  return { credentials, held, closed, pool, advance: (ms: number): void => void (elapsed += ms) };
}

it.each([
  ['unreadable', 'unreadable', 'paused', []],
  ['broken', { ...GOOD, secret: 'broken' }, 'refused', [{ kind: 'fault', reason: 'no key; no project' }]],
] as const)(
  'reads what is %s once a minute, and when it is to be checked',
  async (kind, opened, rests, news) => {
    const { credentials, held, advance } = stage();
    credentials.opened = opened;
    for (let times = 0; times < 100; times += 1) expect((await held.open(ref)).kind).toBe(kind);
    expect([credentials.opens, credentials.news, held.readiness(ref)]).toEqual([1, news, rests]);
    await held.open(ref, true);
    expect(credentials.opens).toBe(2);
    advance(MINUTE_MS);
    expect(held.readiness(ref)).toBe('untried');
    credentials.opened = GOOD;
    expect((await held.open(ref)).kind).toBe('open');
    expect([held.readiness(ref), sizeOf(held)]).toEqual(['untried', 1]);
  },
);

it('releases a credential that nobody uses any more, with its key', async () => {
  const { credentials, held, closed, pool, advance } = stage();
  credentials.opened = GOOD;
  await held.open(ref);
  advance(10 * MINUTE_MS - 1);
  await held.release();
  pool.connections = 1;
  advance(1);
  await held.release();
  expect([sizeOf(held), closed]).toEqual([1, []]);
  pool.connections = 0;
  await held.release();
  expect(sizeOf(held)).toBe(0);
  await eventually(() => closed.length === 1);
});

it('releases a credential that was removed, even with open requests', async () => {
  const { credentials, held, closed, pool } = stage();
  credentials.opened = GOOD;
  await held.open(ref);
  pool.connections = 2;
  await held.release();
  expect(sizeOf(held)).toBe(1);
  credentials.isRemoved = true;
  await held.release();
  expect(sizeOf(held)).toBe(0);
  await eventually(() => closed.length === 1);
});
