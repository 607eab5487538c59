// Provider credentials at rest and in the processes that send: which version is current, whose secret opens, and what
// was learned of one. On a real database.
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { SteppedClock } from '../../../../src/platform/clock.js';
import { Secret } from '../../../../src/platform/env.js';
import { createLog } from '../../../../src/platform/logging/log.js';
import { formerKeys, reseal } from '../../../../src/platform/secrets/reseal.js';
import { newMasterKey, Sealer } from '../../../../src/platform/secrets/sealed.js';
import { troubledInWords } from '../../../../src/push-service/credentials/credential-health.js';
import { credentialMetrics } from '../../../../src/push-service/metrics.js';
import {
  CREDENTIAL_SECRET,
  deleteCredential,
  listCredentials,
  listTroubled,
  putCredential,
  recordCheck,
  recordNews,
  takeCheck,
  type CredentialKind,
} from '../../../../src/push-service/credentials/credential.store.js';
import { Credentials } from '../../../../src/push-service/credentials/credentials.js';
import { SEALED } from '../../../../src/push-service/sealed-columns.js';
import { eventually } from '../../../support/eventually.js';
import { addService, openDatabase, type OpenedDatabase } from '../delivery/push-rows.js';

const [OLD, NEW] = [newMasterKey('old'), newMasterKey('new')];
const sealer = new Sealer(new Secret(OLD));
const clock = new SteppedClock('2027-03-01T00:00:00Z');
const now = new Date(clock.now());
const log = createLog('spec', 'silent');

let opened: OpenedDatabase;
let credentials: Credentials;

beforeAll(async () => {
  opened = await openDatabase();
});
afterAll(() => opened.close());
beforeEach(async () => {
  await opened.sql.query('truncate account cascade');
  for (const id of ['shop', 'other']) await addService(opened.sql, id, now);
  clock.set(now.getTime());
  credentials = new Credentials({ sql: opened.sql, sealer, clock, log, periodMs: 5_000 });
});

function put(serviceId: string, secret: string, kind: CredentialKind = 'fcm', by = sealer) {
  const secretSealed = by.seal(secret, CREDENTIAL_SECRET, serviceId, kind);
  return putCredential(
    opened.sql,
    { id: v7(), serviceId, kind, settings: { projectId: secret }, secretSealed },
    now,
  );
}

async function current(serviceId = 'shop') {
  const found = await credentials.get(serviceId, 'fcm');
  if (found === undefined) throw new Error('there is no credential');
  return found;
}

it('is one of a service and a kind, and a change is a new version of which nothing is known', async () => {
  expect(await credentials.get('shop', 'fcm')).toBeUndefined();
  await put('shop', 'first');
  credentials.clear();
  const first = (await current()).ref;
  expect(await recordNews(opened.sql, first, { kind: 'proven' }, now)).toEqual({
    serviceId: 'shop',
    kind: 'fcm',
  });
  expect(await put('shop', 'second')).toMatchObject({ version: 2, provenAt: null });
  // Remembered until it is notified of the change.
  expect((await current()).ref).toEqual(first);
  expect(await credentials.open(first)).toBeUndefined();
  credentials.clear();
  const { ref } = await current();
  expect(ref).toEqual({ ...first, version: 2 });
  expect(await credentials.open(ref)).toEqual({
    serviceId: 'shop',
    secret: 'second',
    settings: { projectId: 'second' },
    isProven: false,
  });
  await deleteCredential(opened.sql, 'shop', 'fcm');
  expect((await put('shop', 'third'))?.version).toBe(1);
  credentials.clear();
  expect((await current()).ref.id).not.toBe(first.id);
  expect(await put('none', 'x')).toBeUndefined();
});

it('opens in its own row alone', async () => {
  for (const id of ['shop', 'other']) await put(id, id);
  await opened.sql.query(
    `update provider_credential set secret_sealed =
       (select secret_sealed from provider_credential where service_id = 'shop') where service_id = 'other'`,
  );
  expect(await credentials.open((await current('other')).ref)).toBe('unreadable');
  expect(await credentials.open((await current('shop')).ref)).toMatchObject({ secret: 'shop' });
});

it('is sealed anew under the next master key, as the same version, and counted until then', async () => {
  await put('shop', 'mine');
  const both = new Sealer(new Secret(`${NEW},${OLD}`));
  const [hanging] = await formerKeys(opened.sql, both, SEALED);
  expect(hanging?.text).toContain('1 of provider_credential (shop fcm) need the master key old');
  const renewed = new Credentials({ sql: opened.sql, sealer: both, clock, log, periodMs: 0 });
  const { ref } = await current();
  expect(await renewed.open(ref)).toMatchObject({ secret: 'mine' });
  await reseal(opened.sql, both, SEALED);
  expect(await formerKeys(opened.sql, both, SEALED)).toEqual([]);
  expect(await renewed.open(ref)).toMatchObject({ secret: 'mine' });
  // This one lacks the new key.
  expect(await credentials.open(ref)).toBe('unreadable');
});

it('is refused from the first word of it until a push is accepted', async () => {
  await put('shop', 'mine');
  const { ref } = await current();
  const learned = async (kind: 'fault' | 'proven', reason: string) => {
    credentials.learned(ref, kind === 'fault' ? { kind, reason } : { kind });
    await eventually(async () => {
      const [row] = await listCredentials(opened.sql, 'shop');
      return row?.fault === (kind === 'proven' ? null : reason);
    });
    await eventually(async () => ((await current()).faultSince === undefined) === (kind === 'proven'));
  };
  await recordNews(opened.sql, ref, { kind: 'proven' }, now);
  expect(await credentials.open(ref)).toMatchObject({ isProven: true });
  await learned('fault', 'InvalidProviderToken');
  clock.advance(1_000);
  await learned('fault', 'Forbidden');
  expect((await current()).faultSince).toBe(now.getTime());
  // Else a process that begins now would never report that it is over.
  expect(await credentials.open(ref)).toMatchObject({ isProven: false });
  expect(await listTroubled(opened.sql, now)).toMatchObject([
    { serviceId: 'shop', kind: 'fcm', fault: 'Forbidden' },
  ]);
  await learned('proven', '');
  expect(await listTroubled(opened.sql, now)).toEqual([]);
  // Of a former version nothing is learned any more.
  await put('shop', 'next');
  credentials.learned(ref, { kind: 'fault', reason: 'late' });
  credentials.clear();
  credentials.learned((await current()).ref, { kind: 'warning', reason: 'THIRD_PARTY_AUTH_ERROR' });
  await eventually(async () => (await listTroubled(opened.sql, now)).length === 1);
  expect(await listTroubled(opened.sql, now)).toMatchObject([
    { fault: null, warning: 'THIRD_PARTY_AUTH_ERROR' },
  ]);
});

it('is named by health with what to do, and by a metric while it is refused', async () => {
  for (const id of ['shop', 'other']) await put(id, id);
  credentials.learned((await current()).ref, { kind: 'fault', reason: 'PERMISSION_DENIED' });
  credentials.learned((await current('other')).ref, { kind: 'warning', reason: 'SENDER_ID_MISMATCH' });
  const said = () => troubledInWords(opened.sql, clock);
  await eventually(async () => (await said()).length === 2);
  expect(await said()).toEqual([
    'fcm of other: devices fail (SENDER_ID_MISMATCH): change it at the provider.',
    `fcm of shop is refused since ${now.toISOString()} (PERMISSION_DENIED): carillon-push credential check shop fcm says why.`,
  ]);
  const registry = new Registry();
  for (const metric of credentialMetrics(opened.sql, clock)) registry.registerMetric(metric);
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('carillon_'));
  expect(lines).toEqual(['carillon_push_credential_refused{service="shop",kind="fcm"} 1']);
  // A warning is over once nobody repeats it.
  clock.advance(3_600_001);
  expect(await said()).toHaveLength(1);
});

it('is checked once in its rest, and begins anew in every process when a check ends a fault', async () => {
  await put('shop', 'mine');
  const turn = await takeCheck(opened.sql, 'shop', 'fcm', 60);
  if (turn === undefined) throw new Error('the first check is to be had');
  expect(await takeCheck(opened.sql, 'shop', 'fcm', 60)).toBeUndefined();
  expect(await takeCheck(opened.sql, 'shop', 'fcm', 0)).toBeDefined();
  const { ref } = await current();
  expect(await recordCheck(opened.sql, turn, { good: true, says: 'fine' })).toBe(false);
  credentials.learned(ref, { kind: 'fault', reason: 'PERMISSION_DENIED' });
  await eventually(async () => (await current()).faultSince !== undefined);
  expect(await recordCheck(opened.sql, turn, { good: false, says: 'no role' })).toBe(false);
  expect((await listCredentials(opened.sql, 'shop'))[0]).toMatchObject({ version: 1, checkSays: 'no role' });
  expect(await recordCheck(opened.sql, turn, { good: true, says: 'fine' })).toBe(true);
  expect((await listCredentials(opened.sql, 'shop'))[0]).toMatchObject({ version: 2, fault: null });
});
