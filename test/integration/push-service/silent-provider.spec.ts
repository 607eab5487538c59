// A provider that takes connections and streams and answers none of them, for an hour by the service's clock: the devices of
// others go on, what it was handed counts as unknown and goes no second time, and the rest is sent once it answers.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { wakeDue } from '../../../src/push-service/delivery/chunk.store.js';
import { ChunkDelivery } from '../../../src/push-service/delivery/deliver-chunks.js';
import { expandNext } from '../../../src/push-service/delivery/expand-firing.js';
import { insertMessages } from '../../../src/push-service/messages/message.store.js';
import { eventually, lasting } from '../../support/eventually.js';
import { apnsStage, fcmStage, LIMITS, Shelf, type Stage } from '../../support/provider-stages.js';
import { addService, newMessage, openDatabase, type OpenedDatabase } from './push-rows.js';

const HOUR_MS = 3_600_000;
const DEVICES = 40;
const log = pino({ level: 'silent' });
const clock = new SteppedClock('2026-11-21T02:00:00Z');

let opened: OpenedDatabase;
let fcm: Stage;
let apns: Stage;

beforeAll(async () => {
  opened = await openDatabase();
  const limits = { ...LIMITS, requestMs: 250 };
  fcm = await fcmStage(new Shelf(), clock, limits);
  apns = await apnsStage(new Shelf(), clock, limits);
});
afterAll(async () => {
  for (const { provider, peer } of [fcm, apns]) {
    await provider.close(0);
    await peer.close();
  }
  await opened.close();
});

/** A message to as many devices of each type, expanded. */
async function fire(serviceId = 's1'): Promise<void> {
  const { sql } = opened;
  const now = new Date(clock.now());
  await addService(sql, serviceId, now);
  await sql.query(
    `with made as (
       insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                              night_ad_agreement, created_at, updated_at)
       select $3, $3 || '-user-' || i, 'KR', 'ko', 32400, true, true, true, $1::timestamptz, $1::timestamptz
       from generate_series(1, $2::int) as i returning key, user_id)
     insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
     select $3, key, type, type || user_id, sha256((type || user_id)::bytea), $1::timestamptz, $1::timestamptz
     from made, unnest('{GCM,APNS}'::text[]) as type`,
    [now, DEVICES, serviceId],
  );
  await insertMessages(sql, [newMessage(serviceId, now)]);
  await expandNext({ database: sql, clock, log, timeoutMs: HOUR_MS, deliveryMs: 6 * HOUR_MS }, 'oldest');
}

/** Workers, and the loop that makes ready again what waited. */
function deliver(workers = 2, silent = apns): () => Promise<void> {
  const { sql } = opened;
  const stop = new AbortController();
  const delivery = new ChunkDelivery({
    sql,
    clock,
    log,
    leaseMs: 30_000,
    workers,
    route: ({ serviceId, deviceType }) => {
      const { provider, kind } = deviceType === 'GCM' ? fcm : silent;
      const credential = { id: `${kind} of ${serviceId}`, version: 1, kind };
      return Promise.resolve({ provider, credential, faultSince: undefined });
    },
  });
  const work = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await delivery.deliverNext('by-turns', stop.signal);
      await wakeDue(sql);
      await lasting(20);
    }
  };
  const working = Promise.all(Array.from({ length: workers }, () => work()));
  return async () => {
    stop.abort();
    await working;
  };
}

it('holds up its own devices alone, and loses nothing but the answers to what it was handed', async () => {
  const handed = new Map<string, number>();
  const next = apns.tally.next.bind(apns.tally);
  apns.tally.next = (token) => {
    handed.set(token, (handed.get(token) ?? 0) + 1);
    return next(token);
  };
  apns.tally.always({ silent: true });
  await fire();
  const stopped = deliver();
  await eventually(() => fcm.tally.all.size === DEVICES && apns.provider.load.paused === 1);
  const unanswered = handed.size;
  // One request at a time until one is taken, and a pause after four.
  expect(unanswered).toBeLessThanOrEqual(5);
  clock.advance(HOUR_MS);
  apns.tally.always(undefined);
  await eventually(async () => (await opened.sql.query('select from fan_out_chunk')).length === 0, {
    withinMs: 30_000,
    everyMs: 50,
  });
  await stopped();
  expect(
    await opened.sql.query(
      'select outcome, reason, count(*)::int as count from delivery group by 1, 2 order by 1',
    ),
  ).toEqual([
    { outcome: 'sent', reason: null, count: 2 * DEVICES - unanswered },
    { outcome: 'unknown', reason: 'NO_ANSWER', count: unanswered },
  ]);
  expect(new Set(handed.values())).toEqual(new Set([1]));
  expect(handed.size).toBe(DEVICES);
});

it('leaves a worker to the other provider, however many services wait for it', async () => {
  const silent = await apnsStage(new Shelf(), clock, { ...LIMITS, requestMs: 30_000 });
  silent.tally.always({ silent: true });
  const services = ['s2', 's3', 's4', 's5', 's6'];
  const before = fcm.tally.all.size;
  for (const serviceId of services) await fire(serviceId);
  const stopped = deliver(4, silent);
  // Long before the first of its requests is given up.
  await eventually(() => fcm.tally.all.size === before + services.length * DEVICES, { withinMs: 10_000 });
  await eventually(() => silent.provider.load.open >= 3);
  expect(silent.provider.load.open).toBe(3);
  await stopped();
  await silent.provider.close(0);
  await silent.peer.close();
});
