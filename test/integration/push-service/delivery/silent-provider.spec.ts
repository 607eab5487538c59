// Providers that take connections and streams and answer none of them: the devices of others go on as if they were not there,
// what they were handed counts as unknown and goes no second time, and the rest is sent once they answer.
import { pino } from 'pino';
import { v5, v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SteppedClock } from '../../../../src/platform/clock.js';
import { wakeDue } from '../../../../src/push-service/delivery/chunk.store.js';
import { ChunkDelivery } from '../../../../src/push-service/delivery/deliver-chunks.js';
import { DeliveryRounds } from '../../../../src/push-service/delivery/delivery-rounds.js';
import { expandNext } from '../../../../src/push-service/delivery/expand-firing.js';
import { insertMessages } from '../../../../src/push-service/messages/message.store.js';
import { eventually, lasting } from '../../../support/eventually.js';
import {
  apnsStage,
  fcmStage,
  LIMITS,
  FakeCredentials,
  type Stage,
} from '../../../support/peers/provider-stages.js';
import { addService, newMessage, openDatabase, type OpenedDatabase } from './push-rows.js';

const HOUR_MS = 3_600_000;
const DEVICES = 40;
/** No request is given up before its test is over, however busy the machine is. */
const PATIENT = { ...LIMITS, requestMs: 600_000, quietMs: 600_000 };
const log = pino({ level: 'silent' });
const clock = new SteppedClock('2026-11-21T02:00:00Z');

let opened: OpenedDatabase;
let fcm: Stage;
let apns: Stage;

beforeAll(async () => {
  opened = await openDatabase();
  fcm = await fcmStage(new FakeCredentials(), clock, PATIENT);
  apns = await apnsStage(new FakeCredentials(), clock, PATIENT);
});
afterAll(async () => {
  for (const { provider, peer } of [fcm, apns]) {
    await provider.close(0);
    await peer.close();
  }
  await opened.close();
});

/** A message to as many devices of each type, expanded. */
async function fire(serviceId: string): Promise<void> {
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

interface Silent {
  readonly fcm: Stage;
  readonly apns: Stage;
}

/** A provider of each kind for the services whose name begins with `silent`; the others have those that answer. */
function roundsWith(silent?: Silent): DeliveryRounds {
  const delivery = new ChunkDelivery({
    sql: opened.sql,
    clock,
    log,
    leaseMs: 30_000,
    route: ({ serviceId, deviceType }) => {
      const stages = silent !== undefined && serviceId.startsWith('silent') ? silent : { fcm, apns };
      const { provider, kind } = deviceType === 'GCM' ? stages.fcm : stages.apns;
      const credential = { id: v5(`${kind} of ${serviceId}`, v5.URL), version: 1, kind };
      return Promise.resolve({ provider, credential, faultSince: undefined });
    },
  });
  return new DeliveryRounds(delivery, () => undefined);
}

/** Workers, and the loop that makes ready again what waited. Returns what ends them. */
function work(rounds: DeliveryRounds, workers = 2): () => Promise<void> {
  const stop = new AbortController();
  const one = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await rounds.runOnce(stop.signal);
      await wakeDue(opened.sql);
      await lasting(20);
    }
  };
  const working = Promise.all(Array.from({ length: workers }, () => one()));
  return async () => {
    stop.abort();
    await working;
    await rounds.ended();
  };
}

it('holds up its own devices alone, and loses nothing but the answers to what it was handed', async () => {
  const handed = new Map<string, number>();
  const stuck = await apnsStage(new FakeCredentials(), clock, { ...LIMITS, requestMs: 2_000 });
  const next = stuck.tally.next.bind(stuck.tally);
  stuck.tally.next = (token) => {
    handed.set(token, (handed.get(token) ?? 0) + 1);
    return next(token);
  };
  stuck.tally.always({ silent: true });
  await fire('silent-1');
  const stopped = work(roundsWith({ fcm, apns: stuck }));
  await eventually(() => fcm.tally.all.size === DEVICES && stuck.provider.load.paused === 1);
  const unanswered = handed.size;
  // One request at a time until one is taken, and a pause after four.
  expect(unanswered).toBeLessThanOrEqual(5);
  clock.advance(HOUR_MS);
  stuck.tally.always(undefined);
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
  await stuck.provider.close(0);
  await stuck.peer.close();
});

/** Both kinds of so many services are silent. */
async function withSilent(services: number, test: (silent: Silent) => Promise<void>): Promise<void> {
  const silent = {
    fcm: await fcmStage(new FakeCredentials(), clock, PATIENT),
    apns: await apnsStage(new FakeCredentials(), clock, PATIENT),
  };
  const stages = [silent.fcm, silent.apns];
  for (const { tally } of stages) tally.always({ silent: true });
  for (let service = 1; service <= services; service += 1) await fire(`silent-${v7()}`);
  try {
    await test(silent);
  } finally {
    for (const { provider, peer } of stages) {
      await provider.close(0);
      await peer.close();
    }
    await opened.sql.query('truncate fan_out_chunk, firing, message cascade');
  }
}

const taken = (): number => fcm.tally.all.size + apns.tally.all.size;

it.each([
  [1, 1],
  [2, 4],
  [3, 4],
  [3, 8],
  [10, 1],
  [10, 8],
])(
  'hold no worker: of both kinds for %i services beside one that answers, %i workers',
  async (services, workers) => {
    await withSilent(services, async (silent) => {
      const rounds = roundsWith(silent);
      const stopped = work(rounds, workers);
      const open = () => silent.fcm.provider.load.open + silent.apns.provider.load.open;
      try {
        await eventually(() => open() === 2 * services);
        const before = taken();
        await fire(`answering-${v7()}`);
        await eventually(() => taken() === before + 2 * DEVICES);
        // Not one was given up for it, and none has a second one.
        expect(open()).toBe(2 * services);
      } finally {
        await stopped();
      }
    });
  },
);

it('make nobody wait for a turn: a message has it as many rounds after it was fired as without them', async () => {
  const stop = new AbortController();
  const roundsOf = async (rounds: DeliveryRounds, serviceId: string): Promise<number[]> => {
    const counts: number[] = [];
    for (let message = 0; message < 8; message += 1) {
      const before = taken();
      await fire(`${serviceId}-${message}`);
      let count = 0;
      while ((await rounds.runOnce(stop.signal)) > 0) count += 1;
      // On a busy machine the first answer may come so late that the rest went back.
      await eventually(async () => {
        await rounds.runOnce(stop.signal);
        return taken() === before + 2 * DEVICES;
      });
      counts.push(count);
    }
    return counts.sort((a, b) => a - b);
  };
  const alone = await roundsOf(roundsWith(), 'alone');
  await withSilent(10, async (silent) => {
    const rounds = roundsWith(silent);
    // The first turn of each: then it has its one claim.
    while ((await rounds.runOnce(stop.signal)) > 0);
    const beside = await roundsOf(rounds, 'beside');
    expect(beside.at(-1)).toBeLessThanOrEqual(2 * (alone.at(-1) ?? 0));
    stop.abort();
    await rounds.ended();
  });
});
