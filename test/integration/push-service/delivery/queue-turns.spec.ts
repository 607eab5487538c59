// How many claims a process has open: for each credential and for each provider, by how it answers now. The claims on a real
// database; that what is bounded is enough for those who answer, silent-provider.spec.ts shows.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { v5 } from 'uuid';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { Readiness } from '../../../../src/push-service/delivery/provider-port.js';
import { QueueTurns, type Claim } from '../../../../src/push-service/delivery/queue-turns.js';
import { insertMessages } from '../../../../src/push-service/messages/message.store.js';
import { addService, newMessage, openDatabase, type OpenedDatabase } from './push-rows.js';
import { ScriptedProvider } from './scripted-provider.js';

const QUEUES = 120;
const CHUNKS = 4;
const clock = new SteppedClock('2026-11-21T11:00:00Z');

let opened: OpenedDatabase;
/** By serviceId. */
const readinesses = new Map<string, Readiness>();
/** Services whose credential is one of APNs; the others have one of FCM. */
const ofApns = new Set<string>();
const setAll = (readiness: Readiness, from = 0, to = QUEUES): void => {
  for (let queue = from; queue < to; queue += 1) readinesses.set(`q${queue}`, readiness);
};

beforeAll(async () => {
  opened = await openDatabase();
  const { sql } = opened;
  await addService(sql, 'turns', new Date(clock.now()));
  await insertMessages(sql, [newMessage('turns', new Date(clock.now()))]);
});
afterAll(() => opened.close());
beforeEach(async () => {
  const { sql } = opened;
  ofApns.clear();
  await sql.query('truncate fan_out_chunk');
  await sql.query(
    `insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, device_ids, user_keys, countries, languages,
                                timezones)
     select firing.id, 1000 * queue + chunk, 'q' || queue, 'GCM', '{}', '{}', '{}', '{}', '{}'
     from firing, generate_series(0, $1::int - 1) as queue, generate_series(1, $2::int) as chunk`,
    [QUEUES, CHUNKS],
  );
});

let version = 1;

function newTurns(faultSince?: number): QueueTurns {
  return new QueueTurns({
    sql: opened.sql,
    clock,
    worker: '0198c7a0-0000-7000-8000-000000000001',
    leaseMs: 30_000,
    route: ({ serviceId }) => {
      const provider = new ScriptedProvider('unknown');
      provider.readiness = () => readinesses.get(serviceId) ?? 'untried';
      const kind = ofApns.has(serviceId) ? 'apns' : 'fcm';
      const credential = { id: v5(serviceId, v5.URL), version, kind } as const;
      return Promise.resolve({ provider, credential, faultSince });
    },
  });
}

/** All claims that there are. */
async function claimAll(turns: QueueTurns): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (;;) {
    const claim = await turns.claim('oldest');
    if (claim === undefined) return claims;
    claims.push(claim);
  }
}

const servicesOf = (claims: readonly Claim[]): Set<string> =>
  new Set(claims.map(({ queue }) => queue.serviceId));

it('are two of a credential whose provider answers, and sixty-four of a provider', async () => {
  setAll('paused');
  setAll('answering', 0, 3);
  const turns = newTurns();
  const few = await claimAll(turns);
  expect([few.length, servicesOf(few).size]).toEqual([6, 3]);
  for (const { release } of few) release();
  setAll('answering');
  const all = await claimAll(turns);
  expect([all.length, servicesOf(all).size]).toEqual([64, 64]);
  all[0]?.release();
  expect(await claimAll(turns)).toHaveLength(1);
});

it.each<[Readiness, number]>([
  ['untried', 48],
  ['silent', 16],
])('are one of a credential that is %s, and %i of all such', async (readiness, most) => {
  setAll(readiness);
  const claims = await claimAll(newTurns());
  expect([claims.length, servicesOf(claims).size]).toEqual([most, most]);
});

it('are one of a credential that was refused, until a push under it is accepted', async () => {
  setAll('paused');
  setAll('answering', 0, 3);
  expect(await claimAll(newTurns(clock.now()))).toHaveLength(3);
});

it('are not waited for by a new version of their credential', async () => {
  setAll('paused');
  setAll('silent', 0, 2);
  const turns = newTurns();
  expect(await claimAll(turns)).toHaveLength(2);
  version = 2;
  expect(await claimAll(turns)).toHaveLength(2);
});

it('are left to those who answer, and to those whom nobody has tried, whatever has fallen silent', async () => {
  setAll('untried', 0, 40);
  setAll('paused', 40);
  const turns = newTurns();
  expect(await claimAll(turns)).toHaveLength(40);
  // All of them fall silent with their claims open: no further one, and eight new ones all the same.
  setAll('silent', 0, 60);
  expect(await claimAll(turns)).toHaveLength(0);
  setAll('untried', 60, 80);
  expect(await claimAll(turns)).toHaveLength(8);
  setAll('answering', 80);
  expect(await claimAll(turns)).toHaveLength(16);
});

const apnsFrom = (first: number): void => {
  for (let queue = first; queue < QUEUES; queue += 1) ofApns.add(`q${queue}`);
};

it.each<Readiness>(['answering', 'silent'])(
  'are not taken from another provider by FCM that stalls and is %s yet',
  async (fcm) => {
    apnsFrom(60);
    setAll('answering', 0, 32);
    setAll('paused', 32);
    const turns = newTurns();
    const stalled = [...(await claimAll(turns)), ...(await claimAll(turns))];
    expect([stalled.length, servicesOf(stalled).size]).toEqual([64, 32]);
    setAll(fcm, 0, 32);
    setAll('answering', 60, 70);
    const healthy = await claimAll(turns);
    expect([healthy.length, servicesOf(healthy).size]).toEqual([20, 10]);
    setAll('answering', 70);
    expect(await claimAll(turns)).toHaveLength(44);
  },
);

it('are the same for a provider that nobody has tried yet, whatever has become of the other', async () => {
  apnsFrom(60);
  setAll('untried', 0, 60);
  setAll('paused', 60);
  const turns = newTurns();
  expect(await claimAll(turns)).toHaveLength(48);
  setAll('silent', 0, 60);
  setAll('untried', 60);
  expect(await claimAll(turns)).toHaveLength(48);
});
