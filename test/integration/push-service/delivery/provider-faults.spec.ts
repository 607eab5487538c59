// The push service as it runs, against peers of FCM and APNs: whatever dies on the way, a device is handed over once or
// counts as unknown. The peers' own tally says so, not ours: sent ⊆ taken ⊆ sent ∪ unknown, none taken twice.
import { afterEach, expect, it } from 'vitest';
import { ApnsPeer } from '../../../../tools/peers/apns-peer.js';
import { fcmError, FcmPeer } from '../../../../tools/peers/fcm-peer.js';
import type { PeerAct } from '../../../../tools/peers/http2-peer.js';
import { eventually, lasting } from '../../../support/eventually.js';
import { cloneDatabase, type TestDatabase } from '../../../support/postgres/database.js';
import { testLength } from '../../../support/lengths.js';
import { TcpProxy } from '../../../support/peers/tcp-proxy.js';
import { Management, type Client } from '../../../contract/push-service/support/client.js';
import {
  APNS_PUBLIC_KEY,
  apnsCredential,
  FCM_PUBLIC_KEY,
  serviceAccount,
} from '../../../contract/push-service/support/credentials.js';
import {
  query,
  seedUsers,
  startReplica,
  type Replica,
} from '../../../contract/push-service/support/replica.js';
import { message, send } from '../../../contract/push-service/support/stage.js';

const DEVICES = testLength('PROVIDER_DEVICES', { normal: 6_000, long: 100_000 });
const AWAY_MS = testLength('PROVIDER_AWAY_MS', { normal: 3_000, long: 60_000 });
const PATIENCE = { withinMs: testLength('PROVIDER_MS', { normal: 120_000, long: 600_000 }), everyMs: 10 };
const TEST_MS = PATIENCE.withinMs * 2;

let fcm: FcmPeer;
let apns: ApnsPeer;
let toApns: TcpProxy;
let toDatabase: TcpProxy;
let management: Management;
let database: TestDatabase;
const running: Replica[] = [];

async function replica(): Promise<Replica> {
  const started = await startReplica(toDatabase.through(database.url), {
    PUSH_LEASE_MS: '1500',
    PUSH_FCM_URL: fcm.peer.origin,
    PUSH_FCM_TOKEN_URL: `${fcm.peer.origin}/token`,
    PUSH_APNS_URL: toApns.through(apns.peer.origin).replace(/\/$/, ''),
    PUSH_PROVIDER_CA: fcm.peer.ca + apns.peer.ca,
  });
  running.push(started);
  return started;
}

/** A service of so many devices, half of each type, with a credential for both. `streams`: of a connection to their peers. */
async function crowd(devices: number, streams = 1_000): Promise<Client> {
  database = await cloneDatabase();
  toDatabase = await TcpProxy.inFrontOf(database.url);
  const account = { projectId: 'shop', clientEmail: 'push@shop.iam.gserviceaccount.com', privateKeyId: 'k1' };
  const { key: _, ...apple } = apnsCredential();
  fcm = await FcmPeer.open({ ...account, publicKey: FCM_PUBLIC_KEY, maxConcurrentStreams: streams });
  apns = await ApnsPeer.open({ ...apple, publicKey: APNS_PUBLIC_KEY, maxConcurrentStreams: streams });
  toApns = await TcpProxy.inFrontOf(apns.peer.origin);
  management = new Management(await replica());
  const client = await management.newService();
  const path = `/v1/services/${encodeURIComponent(client.serviceId)}/credentials`;
  await management.ask('PUT', `${path}/fcm`, { serviceAccount: serviceAccount() });
  await management.ask('PUT', `${path}/apns`, apnsCredential());
  await seedUsers(database.url, client.serviceId, devices, false);
  return client;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
  await Promise.all([fcm.peer.close(), apns.peer.close()]);
  await Promise.all([toApns.close(), toDatabase.close()]);
  await database.drop();
});

interface Counts {
  readonly state: string;
  readonly targets: number;
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  readonly repeated: number;
  readonly chunks: number;
}

async function counts(): Promise<Counts> {
  const [row] = await query<Counts>(
    database.url,
    `select f.state, f.target_count::int as targets, f.sent_count::int as sent, f.failed_count::int as failed,
       f.unknown_count::int as unknown, f.repeated_count::int as repeated,
       (select count(*)::int from fan_out_chunk) as chunks from firing f`,
  );
  return row ?? { state: 'NONE', targets: 0, sent: 0, failed: 0, unknown: 0, repeated: 0, chunks: 0 };
}

const finished = (): Promise<unknown> =>
  eventually(async () => (await counts()).state === 'FINISHED', PATIENCE);

/** Returns the counts, once they and the rows are found to agree with what the peers took. */
async function compare(devices: number): Promise<Counts> {
  const found = await counts();
  expect(found).toMatchObject({ state: 'FINISHED', targets: devices, chunks: 0, repeated: 0 });
  expect(found.sent + found.failed + found.unknown).toBe(devices);
  const rows = await query<{ token: string; outcome: string }>(
    database.url,
    'select v.device_token as token, d.outcome from delivery d join device v on v.id = d.device_id',
  );
  const taken = new Map([...fcm.tally.all, ...apns.tally.all]);
  expect([...taken.values()].filter((times) => times !== 1)).toEqual([]);
  const tokensOf = (...outcomes: string[]) =>
    new Set(rows.filter(({ outcome }) => outcomes.includes(outcome)).map(({ token }) => token));
  const sent = tokensOf('sent');
  const sentOrUnknown = tokensOf('sent', 'unknown');
  expect([sent.size, sentOrUnknown.size]).toEqual([found.sent, found.sent + found.unknown]);
  expect([...sent].filter((token) => !taken.has(token))).toEqual([]);
  expect([...taken.keys()].filter((token) => !sentOrUnknown.has(token))).toEqual([]);
  return found;
}

it(
  `hands ${DEVICES} devices over once or counts them unknown, two replicas killed on the way`,
  async () => {
    // Slow enough for two to die on the way.
    const client = await crowd(DEVICES, 20);
    const late: PeerAct = { status: 200, afterMs: 100 };
    for (const { tally } of [fcm, apns]) tally.always(late);
    await Promise.all([replica(), replica()]);
    await send(client, message());
    for (let kill = 1; kill <= 2; kill += 1) {
      const taken = (kill * DEVICES) / 6;
      await eventually(() => fcm.tally.all.size + apns.tally.all.size > taken, PATIENCE);
      await running.shift()?.kill();
    }
    // They died while there was work left, or it would prove nothing.
    expect((await counts()).state).toBe('SENDING');
    await finished();
    const { sent, unknown } = await compare(DEVICES);
    expect(unknown).toBeGreaterThan(0);
    // What left within a quarter of a second and one answer's time, of each that died.
    expect(unknown).toBeLessThan(DEVICES / 2);
    expect(sent).toBeGreaterThan(0);
  },
  TEST_MS,
);

it(
  'goes on through GOAWAYs, refused streams and cuts in mid-stream, and through a 429 for everything',
  async () => {
    const devices = 1_200;
    const client = await crowd(devices);
    const acts: PeerAct[] = [{ goaway: 0 }, { goaway: 1 }, { reset: 7 }, { cut: true }];
    for (let user = 100; user <= devices; user += 100) {
      const act = acts[Math.floor(user / 200) % acts.length] ?? { reset: 7 };
      for (const { tally } of [fcm, apns]) tally.script(`token-user-${user}`, act);
    }
    await send(client, message());
    await eventually(() => fcm.tally.all.size > 200 && apns.tally.all.size > 200, PATIENCE);
    const limited = fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED');
    fcm.tally.always({ ...limited, headers: { 'retry-after': '1' } });
    await lasting(1_000);
    fcm.tally.always(undefined);
    await finished();
    const found = await compare(devices);
    expect(found.failed).toBe(0);
    expect(found.unknown).toBeLessThan(devices / 2);
  },
  TEST_MS,
);

it(
  `waits for a provider that is away for ${AWAY_MS} ms and an hour of the clock, its connections cut with all streams open`,
  async () => {
    const devices = 3_000;
    const client = await crowd(devices);
    apns.tally.always({ status: 200, afterMs: 100 });
    await send(client, message());
    await eventually(() => apns.tally.all.size > 200, PATIENCE);
    await toApns.close();
    apns.tally.always(undefined);
    const open = apns.tally.all.size;
    await lasting(AWAY_MS);
    // FCM goes on meanwhile.
    await eventually(() => fcm.tally.all.size === devices / 2, PATIENCE);
    expect(apns.tally.all.size).toBe(open);
    // Consent, night and end are judged again by then.
    await management.setClock({ mode: 'ahead', ms: 3_600_000 });
    await toApns.open();
    await finished();
    const found = await compare(devices);
    expect(found.failed).toBe(0);
    expect(found.unknown).toBeGreaterThan(0);
    expect(apns.tally.all.size).toBeGreaterThan(open);
  },
  TEST_MS,
);

it(
  'loses no answer that comes in while the database is away for longer than a lease',
  async () => {
    const devices = 3_000;
    const client = await crowd(devices, 100);
    for (const { tally } of [fcm, apns]) tally.always({ status: 200, afterMs: 300 });
    await replica();
    await send(client, message());
    await eventually(() => fcm.tally.all.size > 400 && apns.tally.all.size > 400, PATIENCE);
    await toDatabase.close();
    // All that was handed over is answered, and every lease is over.
    await lasting(AWAY_MS);
    const taken = fcm.tally.all.size + apns.tally.all.size;
    expect(taken).toBeLessThan(devices);
    await toDatabase.open();
    await finished();
    const { sent } = await compare(devices);
    expect(sent).toBe(devices);
  },
  TEST_MS,
);
