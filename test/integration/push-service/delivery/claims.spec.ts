// Whatever is lost between a claim and its record, a device is handed over once, or counts as unknown; what was refused
// for a while goes again, and nothing goes at or after its end. Stores, expansion and delivery on a real database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import { claimChunks, wakeDue } from '../../../../src/push-service/delivery/chunk.store.js';
import { ChunkDelivery, type DeliverContext } from '../../../../src/push-service/delivery/deliver-chunks.js';
import { expandNext } from '../../../../src/push-service/delivery/expand-firing.js';
import {
  databaseTime,
  recordChunks,
  takeOver,
  type ChunkOutcome,
} from '../../../../src/push-service/delivery/outcome.store.js';
import type { Outcome } from '../../../../src/push-service/delivery/provider-port.js';
import { findBreakdown } from '../../../../src/push-service/messages/breakdown.store.js';
import { insertMessages } from '../../../../src/push-service/messages/message.store.js';
import { credentialChanged } from '../../../../src/push-service/credentials/credential.store.js';
import { eventually } from '../../../support/eventually.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import { deliverWhole } from './deliver-whole.js';
import { addCredential, addService, newMessage, openDatabase, type OpenedDatabase } from './push-rows.js';
import { CREDENTIAL, routeTo, ScriptedProvider, SENT } from './scripted-provider.js';

const SERVICE = 'claims';
/** 20:00 at UTC+9: an hour before the night. */
const clock = new SteppedClock('2026-11-21T11:00:00Z');
const start = clock.now();
const now = (): Date => new Date(clock.now());
const log = pino({ level: 'silent' });
const HOUR_MS = 3_600_000;
const WORKER = '0198c7a0-0000-7000-8000-000000000001';

let opened: OpenedDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
  await addService(sql, SERVICE, now());
});
beforeEach(async () => {
  await sql.query('delete from provider_credential');
  await addCredential(sql, SERVICE, CREDENTIAL, now());
});
afterAll(() => opened.close());
beforeEach(async () => {
  clock.set(start);
  await sql.query(
    'truncate delivery, outcome_count, suppression, payload, fan_out_chunk, firing, message, device, push_user cascade',
  );
});

/** user-1, user-2 and so on, of one device each whose token is its user's name; every second one wants no ads at night. */
async function seed(users: number, type = `'GCM'`): Promise<void> {
  await sql.query(
    `with made as (
       insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                              night_ad_agreement, created_at, updated_at)
       select $1, 'user-' || i, 'KR', 'ko', 32400, true, true, i % 2 = 0, $2::timestamptz, $2::timestamptz
       from generate_series(1, $3::int) as i returning key, user_id)
     insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
     select $1, key, ${type}, user_id, sha256(user_id::bytea), $2::timestamptz, $2::timestamptz from made`,
    [SERVICE, now(), users],
  );
}

/** A message to everybody, expanded. */
async function fire(members: object = {}, message: object = { default: { content: 'hi' } }): Promise<string> {
  const request = JSON.stringify({ target: { type: 'ALL' }, message, messageType: 'NOTIF', ...members });
  const row = newMessage(SERVICE, now(), { request });
  await insertMessages(sql, [row]);
  const context = { database: sql, clock, log, timeoutMs: 600_000, deliveryMs: 6 * HOUR_MS };
  expect(await expandNext(context, 'oldest')).toBe(1);
  return row.id;
}

function deliverer(
  provider: ScriptedProvider,
  { leaseMs = 30_000, faultSince, ...more }: Partial<DeliverContext> & { faultSince?: number } = {},
): ChunkDelivery {
  return new ChunkDelivery({ sql, clock, log, route: routeTo(provider, faultSince), leaseMs, ...more });
}

const never = new AbortController().signal;
const deliver = (provider: ScriptedProvider, more: Parameters<typeof deliverer>[1] = {}): Promise<number> =>
  deliverWhole(deliverer(provider, more), 'oldest', never);

/** As if the lease of every claim were over. */
async function lapse(): Promise<{ chunks: number; unknown: number }> {
  await sql.query(`update fan_out_chunk set lease_until = clock_timestamp() - interval '1 second'`);
  return takeOver(sql, now(), { asOf: await databaseTime(sql), but: [] });
}

/** As if every wait were over. */
async function wake(): Promise<number> {
  await sql.query(
    `update fan_out_chunk set not_before = clock_timestamp() - interval '1 second' where state = 'LATER'`,
  );
  return wakeDue(sql);
}

interface Counts {
  readonly state: string;
  readonly targets: number;
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  readonly repeated: number;
}

/** Holds whatever happened: the counts are those of the rows, and add up once nothing is left. */
async function counts(): Promise<Counts> {
  const [row] = await sql.query<Counts & { messageTargets: number; messageSent: number; left: number }>(
    `select f.state, f.target_count::int as targets, f.sent_count::int as sent, f.failed_count::int as failed,
       f.unknown_count::int as unknown, f.repeated_count::int as repeated, m.target_count::int as "messageTargets",
       m.sent_count::int as "messageSent", (select count(*)::int from fan_out_chunk) as left
     from firing f join message m on m.id = f.message_id`,
  );
  if (row === undefined) throw new Error('there is no firing');
  const rows = await sql.query<{ outcome: 'sent' | 'failed' | 'unknown'; count: number }>(
    'select outcome, count(*)::int as count from delivery group by 1',
  );
  const { messageTargets, messageSent, left, ...counted } = row;
  const kept = { sent: 0, failed: 0, unknown: 0 };
  for (const { outcome, count } of rows) kept[outcome] = count;
  expect(counted).toMatchObject(kept);
  expect([messageTargets, messageSent]).toEqual([counted.targets, counted.sent]);
  const ended = kept.sent + kept.failed + kept.unknown;
  expect(left === 0 ? ended : counted.targets).toBe(counted.targets);
  expect(counted.state).toBe(left === 0 ? 'FINISHED' : 'SENDING');
  return counted;
}

const reasons = async (): Promise<unknown[]> =>
  sql.query(`select outcome, reason, count(*)::int as count from delivery group by 1, 2 order by 1, 2`);

/** Keeps devices waiting for their answers until it is opened. */
function gate(): { readonly passed: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

describe('a claim that is lost', () => {
  it('within one process: what it handed over is unknown, and never handed over again', async () => {
    await seed(50);
    await fire();
    const { passed, open } = gate();
    const slow = new ScriptedProvider('unknown', async () => {
      await passed;
      return SENT;
    });
    const delivery = deliverer(slow);
    const first = deliverWhole(delivery, 'oldest', never);
    await eventually(() => slow.handed.length === 50);
    expect(await lapse()).toEqual({ chunks: 1, unknown: 50 });
    // The same worker, and its answers come after all.
    expect(await deliverWhole(delivery, 'oldest', never)).toBe(0);
    open();
    await first;
    expect(slow.handed).toHaveLength(50);
    expect(await counts()).toMatchObject({ targets: 50, sent: 0, unknown: 50, repeated: 0 });
  });

  it('with the sandbox: goes again, is counted as repeated, and has one outcome a device', async () => {
    await seed(50);
    await fire();
    const { passed, open } = gate();
    const slow = new ScriptedProvider('again', async () => {
      await passed;
      return SENT;
    });
    const delivery = deliverer(slow);
    const first = deliverWhole(delivery, 'oldest', never);
    await eventually(() => slow.handed.length === 50);
    expect(await lapse()).toEqual({ chunks: 1, unknown: 0 });
    const second = deliverWhole(delivery, 'oldest', never);
    await eventually(() => slow.handed.length === 100);
    open();
    await Promise.all([first, second]);
    expect(await counts()).toMatchObject({ targets: 50, sent: 50, unknown: 0, repeated: 50 });
  });

  it('keeps what was recorded, counts as unknown what had left, and hands over the rest', async () => {
    await seed(30);
    const id = await fire();
    // Ten leave; of them seven are answered.
    const { passed, open } = gate();
    const slow = new ScriptedProvider('unknown', async (token) => {
      if (Number(token.slice(5)) > 7) await passed;
      return SENT;
    });
    slow.roomLeft = 10;
    slow.waitForRoom = () => passed;
    slow.room = () => (slow.handed.length < 10 ? 10 : 0);
    const first = deliver(slow);
    await eventually(async () => expect((await counts()).sent).toBe(7));
    const row = { deviceType: 'GCM', country: 'KR', language: 'ko', timezone: 32_400, reason: null };
    expect(await findBreakdown(sql, id, { pageSize: 10, pageIndex: 0 })).toEqual([
      { ...row, outcome: 'pending', count: 23 },
      { ...row, outcome: 'sent', count: 7 },
    ]);
    expect(await lapse()).toEqual({ chunks: 1, unknown: 3 });
    const heir = new ScriptedProvider('unknown');
    expect(await deliver(heir)).toBe(1);
    open();
    await first;
    expect([slow.handed.length, heir.handed.length]).toEqual([10, 20]);
    expect(await counts()).toMatchObject({ targets: 30, sent: 27, unknown: 3, repeated: 0 });
  });

  it('five times over fails what is left: it must not go round for ever', async () => {
    await seed(3);
    await fire();
    for (let lost = 1; lost <= 5; lost += 1) {
      const by = { worker: WORKER, leaseMs: 30_000, now: now() };
      expect(await claimChunks(sql, { serviceId: SERVICE, deviceType: 'GCM' }, 'oldest', by)).toHaveLength(1);
      expect(await lapse()).toEqual({ chunks: 1, unknown: 0 });
    }
    const provider = new ScriptedProvider('unknown');
    await deliver(provider);
    expect(provider.handed).toEqual([]);
    expect(await reasons()).toEqual([{ outcome: 'failed', reason: 'PROVIDER_ERROR', count: 3 }]);
  });
});

describe('a slice', () => {
  it('leaves only after the frontier has passed it, and no further', async () => {
    await seed(25);
    await fire();
    const seen: number[] = [];
    const provider = new ScriptedProvider('unknown', async () => {
      const [row] = await sql.query<{ handed: number }>('select handed from fan_out_chunk');
      seen.push(row?.handed ?? 0);
      return SENT;
    });
    let open = 0;
    provider.room = () => (open === 0 ? 10 : 0);
    provider.waitForRoom = () => eventually(() => open === 0).then(() => undefined);
    const hand = provider.hand.bind(provider);
    provider.hand = async (job, targets, to) => {
      open += targets.length;
      await hand(job, targets, to);
      open -= targets.length;
    };
    await deliver(provider);
    expect(seen.sort((a, b) => a - b)).toEqual(
      [10, 20, 25].flatMap((handed, at) => Array.from({ length: at === 2 ? 5 : 10 }, () => handed)),
    );
    expect(await counts()).toMatchObject({ sent: 25 });
  });

  it('does not leave where the claim is another’s by then', async () => {
    await seed(5);
    await fire();
    const provider = new ScriptedProvider('unknown');
    provider.room = () => 0;
    provider.waitForRoom = async () => {
      await lapse();
      provider.room = () => 10;
    };
    await deliver(provider);
    expect(provider.handed).toEqual([]);
    expect(await counts()).toMatchObject({ state: 'SENDING', sent: 0, unknown: 0 });
    await deliver(provider);
    expect(await counts()).toMatchObject({ state: 'FINISHED', sent: 5 });
  });

  it('does not leave where another worker of the same process has the claim by then', async () => {
    await seed(5);
    await fire();
    const { passed, open } = gate();
    const provider = new ScriptedProvider('unknown', async () => {
      await passed;
      return SENT;
    });
    const delivery = deliverer(provider);
    let second: Promise<number> | undefined;
    provider.room = () => (second === undefined ? 0 : 10);
    provider.waitForRoom = async () => {
      await lapse();
      second = deliverWhole(delivery, 'oldest', never);
      await eventually(() => provider.handed.length === 5);
    };
    await deliverWhole(delivery, 'oldest', never);
    open();
    expect(await second).toBe(1);
    expect(provider.handed).toHaveLength(5);
    expect(await counts()).toMatchObject({ state: 'FINISHED', sent: 5, unknown: 0 });
  });

  it('goes back at once where there is no room for the rest, or the process ends', async () => {
    await seed(20);
    await fire();
    const ending = new AbortController();
    const provider = new ScriptedProvider('unknown');
    provider.room = () => (provider.handed.length === 0 ? 8 : 0);
    provider.waitForRoom = () => Promise.resolve(ending.abort());
    await deliverWhole(deliverer(provider), 'oldest', ending.signal);
    expect(await counts()).toMatchObject({ state: 'SENDING', sent: 8 });
    const [chunk] = await sql.query('select state, handed, passes, targets from fan_out_chunk');
    expect(chunk).toEqual({ state: 'READY', handed: 0, passes: 1, targets: 12 });
    provider.room = () => 100;
    await deliver(provider);
    expect(new Set(provider.handed).size).toBe(20);
    expect(await counts()).toMatchObject({ state: 'FINISHED', sent: 20 });
  });
});

describe('what a provider refuses for a while', () => {
  it('goes again, alone, as often as it takes; no claim counts as lost', async () => {
    await seed(4);
    await fire();
    let refusals = 8;
    const provider = new ScriptedProvider('unknown', (token): Outcome =>
      token === 'user-3' && (refusals -= 1) >= 0
        ? { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 60_000 }
        : SENT,
    );
    await deliver(provider);
    for (let pass = 1; pass <= 8; pass += 1) {
      expect(await counts()).toMatchObject({ state: 'SENDING', sent: 3 });
      expect(await deliver(provider)).toBe(0);
      const [waits] = await sql.query(
        `select state, passes, targets, not_before between clock_timestamp() + interval '55 s' and
           clock_timestamp() + interval '61 s' as "inAMinute" from fan_out_chunk`,
      );
      expect(waits).toEqual({ state: 'LATER', passes: pass, targets: 1, inAMinute: true });
      expect(await wake()).toBe(1);
      await deliver(provider);
    }
    expect(provider.handed.filter((token) => token === 'user-3')).toHaveLength(9);
    expect(await counts()).toMatchObject({ state: 'FINISHED', sent: 4, repeated: 0 });
  });

  it('fails with its reason where it could not go again before its end', async () => {
    await seed(1);
    await fire({}, { default: { content: 'hi', option: { android: { ttl: '100s' } } } });
    const waits: Outcome = { kind: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 60_000 };
    const provider = new ScriptedProvider('unknown', () => waits);
    await deliver(provider);
    clock.advance(60_000);
    await wake();
    await deliver(provider);
    expect(await reasons()).toEqual([{ outcome: 'failed', reason: 'QUOTA_EXCEEDED', count: 1 }]);
  });

  it('waits for a refused credential ten minutes, and then fails, sent or unsent', async () => {
    await seed(2);
    await fire();
    const provider = new ScriptedProvider('unknown', (): Outcome => ({
      kind: 'credential',
      reason: 'BadKey',
    }));
    await deliver(provider);
    expect(await counts()).toMatchObject({ state: 'SENDING', failed: 0 });
    await wake();
    // Paused meanwhile: nothing is claimed, until the patience is over.
    // A rest for another reason says nothing of a credential that may have been set right since.
    provider.isResting = true;
    expect(await deliver(provider, { faultSince: clock.now() - 86_400_000 })).toBe(0);
    provider.isRefusing = true;
    expect(await deliver(provider, { faultSince: clock.now() - 599_999 })).toBe(0);
    expect(await deliver(provider, { faultSince: clock.now() - 600_000 })).toBe(1);
    expect(provider.handed).toHaveLength(2);
    expect(await reasons()).toEqual([{ outcome: 'failed', reason: 'PROVIDER_CREDENTIAL', count: 2 }]);
  });

  it('is not asked where there is none: devices fail at once', async () => {
    await seed(2);
    await fire();
    await deliver(new ScriptedProvider('unknown'), { route: () => Promise.resolve(undefined) });
    expect(await reasons()).toEqual([{ outcome: 'failed', reason: 'PROVIDER_NOT_CONFIGURED', count: 2 }]);
  });
});

describe('what waits for its provider', () => {
  const MINUTES_20: Outcome = { kind: 'retry', reason: 'TooManyProviderTokenUpdates', afterMs: 1_200_000 };
  const waiting = () => sql.query('select state, targets, not_before as "notBefore" from fan_out_chunk');
  const READY = { state: 'READY', targets: 3, notBefore: null };
  const changes = {
    replaced: 'update provider_credential set version = version + 1',
    removed: 'delete from provider_credential',
  } as const;
  const fcm = { serviceId: SERVICE, kind: 'fcm' } as const;

  it.each(['replaced', 'removed'] as const)('goes again once its credential was %s', async (change) => {
    await seed(3);
    await fire();
    await deliver(new ScriptedProvider('unknown', () => MINUTES_20));
    expect(await waiting()).toMatchObject([{ state: 'LATER', targets: 3 }]);
    await sql.transaction(async (changing) => {
      await credentialChanged(changing, { serviceId: SERVICE, kind: 'apns' });
      await changing.query(changes[change]);
    });
    expect(await waiting()).toMatchObject([{ state: 'LATER', targets: 3 }]);
    await sql.transaction((changing) => credentialChanged(changing, fcm));
    expect(await waiting()).toEqual([READY]);
  });

  it.each(['replaced', 'removed'] as const)(
    'does not, where its credential was %s before that was written down',
    async (change) => {
      await seed(3);
      await fire();
      const { passed, open } = gate();
      const slow = new ScriptedProvider('unknown', async () => {
        await passed;
        return MINUTES_20;
      });
      const first = deliver(slow);
      await eventually(() => slow.handed.length === 3);
      await sql.query(changes[change]);
      open();
      await first;
      expect(await waiting()).toEqual([READY]);
    },
  );

  it.each(['replaced', 'removed'] as const)(
    'does not, where its credential is being %s while that is written down',
    async (change) => {
      await seed(3);
      await fire();
      const changing = await OwnConnection.beside(sql);
      await changing.query('begin');
      await changing.query(changes[change]);
      const recorded = deliver(new ScriptedProvider('unknown', () => MINUTES_20));
      await eventually(async () => {
        const waiters = await sql.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiters.length === 1;
      });
      await changing.query('commit');
      await changing.release();
      await recorded;
      expect(await waiting()).toEqual([READY]);
    },
  );
});

describe('the end of a device', () => {
  const ends = () =>
    sql.query(
      `select device_type as type, not_after_reason as reason, targets,
         round(extract(epoch from not_after - $1::timestamptz))::int as seconds
       from fan_out_chunk order by device_type, not_after`,
      [now()],
    );

  it('is its user’s next night, the message’s own expiry, or hours after it was fired, whichever comes first', async () => {
    await seed(8, `case when user_id <= 'user-4' then 'GCM' else 'APNS' end`);
    const expiration = String(Math.floor(clock.now() / 1_000) + 1_800);
    const message = {
      default: { content: 'hi' },
      apns: { option: { 'apns-expiration': expiration } },
      gcm: { option: { android: { ttl: '0s' } } },
    };
    for (const small of [false, true]) {
      await sql.query('truncate fan_out_chunk, firing, message cascade');
      const target = { type: 'USER', to: Array.from({ length: 8 }, (_, i) => `user-${i + 1}`) };
      await fire(small ? { messageType: 'AD', target } : { messageType: 'AD' }, message);
      // 20:00 by their clocks: every second one may be sent for an hour.
      expect(await ends()).toEqual([
        { type: 'APNS', reason: 'EXPIRED', targets: 4, seconds: 1_800 },
        { type: 'GCM', reason: 'NIGHT_WITHOUT_AGREEMENT', targets: 2, seconds: 3_600 },
        { type: 'GCM', reason: 'TIMEOUT', targets: 2, seconds: 21_600 },
      ]);
    }
  });

  it.each([
    ['longer than what every delivery has', { messageType: 'NOTIF' }, 86_400],
    ['beyond the night', { messageType: 'AD' }, 7_200],
  ])('gives APNs the message’s own life from its firing on, %s', async (_, members, ttl) => {
    await seed(2, `'APNS'`);
    await fire(members, { default: { content: 'hi', option: { ttl } } });
    clock.advance(60_000);
    const provider = new ScriptedProvider('unknown');
    await deliver(provider);
    await deliver(provider);
    const expirations = provider.jobs.flatMap(({ variants }) =>
      variants.map(({ headers }) => headers['apns-expiration']),
    );
    expect(provider.handed).toHaveLength(2);
    expect(new Set(expirations)).toEqual(new Set([String(start / 1_000 + ttl)]));
  });

  it('fails what was not handed over by then, with its reason', async () => {
    await seed(4);
    await fire({ messageType: 'AD' });
    clock.advance(HOUR_MS);
    const provider = new ScriptedProvider('unknown');
    await deliver(provider);
    await deliver(provider);
    expect(provider.handed).toHaveLength(2);
    expect(await reasons()).toEqual([
      { outcome: 'failed', reason: 'NIGHT_WITHOUT_AGREEMENT', count: 2 },
      { outcome: 'sent', reason: null, count: 2 },
    ]);
  });
});

describe('what breaks before anything leaves', () => {
  const toEach = async (users: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let user = 1; user <= users; user += 1)
      ids.push(await fire({ target: { type: 'USER', to: [`user-${user}`] } }));
    return ids;
  };
  const left = () => sql.query('select state, claims, passes, targets from fan_out_chunk');

  it('in one chunk holds up no other of its claim, and fails that one after five claims', async () => {
    await seed(3);
    const [, broken] = await toEach(3);
    await sql.query(`update message set request = 'no JSON' where id = $1`, [broken]);
    const provider = new ScriptedProvider('unknown');
    await expect(deliver(provider)).rejects.toThrow('JSON');
    expect(provider.handed).toEqual(['user-1', 'user-3']);
    const one = { state: 'CLAIMED', claims: 1, passes: 0, targets: 1 };
    expect(await left()).toEqual([one]);
    for (let claims = 2; claims <= 5; claims += 1) {
      expect(await lapse()).toEqual({ chunks: 1, unknown: 0 });
      await expect(deliver(provider)).rejects.toThrow('JSON');
      expect(await left()).toEqual([{ ...one, claims }]);
    }
    await lapse();
    expect(await deliver(provider)).toBe(1);
    expect(await reasons()).toEqual([
      { outcome: 'failed', reason: 'PROVIDER_ERROR', count: 1 },
      { outcome: 'sent', reason: null, count: 2 },
    ]);
    expect(await left()).toEqual([]);
  });

  it('does not keep a chunk beyond its end', async () => {
    await seed(1);
    const [broken] = await toEach(1);
    await sql.query(`update message set request = 'no JSON' where id = $1`, [broken]);
    clock.advance(6 * HOUR_MS);
    await deliver(new ScriptedProvider('unknown'));
    expect(await reasons()).toEqual([{ outcome: 'failed', reason: 'TIMEOUT', count: 1 }]);
  });

  it('of what is kept of a message: the database refuses one, and takes those beside it', async () => {
    await seed(3);
    const [, broken] = await toEach(3);
    await sql.query(`update message set request = replace(request, '"hi"', '"refused"') where id = $1`, [
      broken,
    ]);
    await sql.query(`alter table payload add constraint spec_refuses check (body not like '%refused%')`);
    try {
      const provider = new ScriptedProvider('unknown');
      await expect(deliver(provider)).rejects.toThrow('spec_refuses');
      expect(provider.handed).toEqual(['user-1', 'user-3']);
      expect(await left()).toEqual([{ state: 'CLAIMED', claims: 1, passes: 0, targets: 1 }]);
    } finally {
      await sql.query('alter table payload drop constraint spec_refuses');
    }
  });

  it('is no lost claim where the database was away: all go back as they were', async () => {
    await seed(2);
    await toEach(2);
    const query = sql.query.bind(sql);
    const away = {
      query: (text: string, parameters?: unknown[]) =>
        text.includes('m.request')
          ? Promise.reject(Object.assign(new Error('away'), { code: '57P01' }))
          : query(text, parameters),
    } as unknown as PooledDatabase;
    const provider = new ScriptedProvider('unknown');
    await expect(deliver(provider, { sql: away })).rejects.toThrow('away');
    const untouched = { state: 'READY', claims: 1, passes: 1, targets: 1 };
    expect(await left()).toEqual([untouched, untouched]);
    expect(await deliver(provider)).toBe(2);
    expect(provider.handed).toHaveLength(2);
  });
});

describe('what goes again', () => {
  const rows = () =>
    sql.query(
      `select state, targets, passes, refusals, round(extract(epoch from not_before - clock_timestamp()) / 10)::int * 10 as "inS"
       from fan_out_chunk order by not_before nulls first`,
    );

  it('is split by when: nobody waits for the answer of another device', async () => {
    await seed(30);
    await fire();
    const waits: Readonly<Record<string, number>> = { 'user-1': 900_000, 'user-2': 1_000, 'user-3': 3_000 };
    let isReady = false;
    const provider = new ScriptedProvider('unknown', (token) => {
      const afterMs = waits[token];
      return isReady || afterMs === undefined ? SENT : { kind: 'retry', reason: 'UNAVAILABLE', afterMs };
    });
    provider.room = () => (isReady ? 100 : Math.max(0, 10 - provider.handed.length));
    await deliver(provider);
    expect(await counts()).toMatchObject({ state: 'SENDING', sent: 7 });
    expect(await rows()).toEqual([
      { state: 'READY', targets: 20, passes: 1, refusals: 0, inS: null },
      { state: 'LATER', targets: 2, passes: 1, refusals: 1, inS: 0 },
      { state: 'LATER', targets: 1, passes: 1, refusals: 1, inS: 900 },
    ]);
    isReady = true;
    await deliver(provider);
    expect(await counts()).toMatchObject({ state: 'SENDING', sent: 27 });
    await wake();
    await deliver(provider);
    expect(await counts()).toMatchObject({ state: 'FINISHED', targets: 30, sent: 30 });
    expect(provider.handed).toHaveLength(33);
  });

  it('begins with a short wait, however often there was no room before', async () => {
    await seed(1);
    await fire();
    const provider = new ScriptedProvider('unknown', (): Outcome => ({
      kind: 'retry',
      reason: 'UNAVAILABLE',
      afterMs: 0,
    }));
    provider.roomLeft = 0;
    for (let pass = 1; pass <= 6; pass += 1) await deliver(provider);
    provider.roomLeft = 1;
    await deliver(provider);
    expect(await rows()).toEqual([{ state: 'LATER', targets: 1, passes: 7, refusals: 1, inS: 0 }]);
  });

  it('has its turn before what was not handed over yet', async () => {
    await seed(25);
    await fire();
    const [older] = await sql.query<{ id: string }>('select id from firing');
    await fire();
    await sql.query('update fan_out_chunk set refusals = 1 where firing_id <> $1', [older?.id]);
    const provider = new ScriptedProvider('unknown');
    await deliver(provider);
    await deliver(provider);
    expect(provider.jobs).toHaveLength(2);
    expect(provider.jobs[1]?.firingId).toBe(older?.id);
  });

  it('does not where its message was cancelled meanwhile', async () => {
    await seed(4);
    await fire();
    const provider = new ScriptedProvider('unknown', (token): Outcome =>
      token === 'user-1' ? SENT : { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 1_000 },
    );
    await deliver(provider);
    await sql.query(`update message set state = 'CANCELED'`);
    await wake();
    await deliver(provider);
    expect(provider.handed).toHaveLength(4);
    expect(await reasons()).toEqual([
      { outcome: 'failed', reason: 'CANCELED', count: 3 },
      { outcome: 'sent', reason: null, count: 1 },
    ]);
    expect(await counts()).toMatchObject({ state: 'FINISHED', targets: 4, sent: 1, failed: 3 });
  });

  it('does not to a user who withdrew consent meanwhile, and is no target any more', async () => {
    await seed(6);
    const id = await fire({ messageType: 'AD' });
    await sql.query(`update message set message_type = 'AD'`);
    let isReady = false;
    const { passed, open } = gate();
    const provider = new ScriptedProvider('unknown', async (token) => {
      if (!isReady) return { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 1_000 };
      if (token === 'user-6') await passed;
      return SENT;
    });
    // There are two ends: every second one may be sent at night.
    await deliver(provider);
    await deliver(provider);
    await sql.query(
      `update push_user set notification_agreement = false where user_id in ('user-1', 'user-2')`,
    );
    await sql.query(`update push_user set ad_agreement = false where user_id = 'user-4'`);
    isReady = true;
    await wake();
    const first = deliver(provider);
    const second = deliver(provider);
    // A part is recorded meanwhile.
    await eventually(async () => expect((await counts()).sent).toBe(2));
    open();
    await Promise.all([first, second]);
    expect(provider.handed.slice(6).sort()).toEqual(['user-3', 'user-5', 'user-6']);
    expect(await counts()).toMatchObject({ state: 'FINISHED', targets: 3, sent: 3, unknown: 0 });
    const row = { deviceType: 'GCM', country: 'KR', language: 'ko', timezone: 32_400 };
    expect(await findBreakdown(sql, id, { pageSize: 10, pageIndex: 0 })).toEqual([
      { ...row, outcome: 'sent', reason: null, count: 3 },
      { ...row, outcome: 'suppressed', reason: 'NO_AD_AGREEMENT', count: 1 },
      { ...row, outcome: 'suppressed', reason: 'NO_NOTIFICATION_AGREEMENT', count: 2 },
    ]);
  });
});

it('keeps a device that was registered after its token was read, by whatever clock', async () => {
  await seed(2);
  await fire();
  clock.advance(10_000);
  const provider = new ScriptedProvider('unknown', async (token): Promise<Outcome> => {
    // By a process whose clock is behind that of whoever claimed.
    if (token === 'user-1')
      await sql.query(`update device set updated_at = $1 where device_token = 'user-1'`, [
        new Date(start + 5_000),
      ]);
    return { kind: 'gone', reason: 'UNREGISTERED' };
  });
  await deliver(provider);
  expect(await sql.query('select device_token as token, active from device order by 1')).toEqual([
    { token: 'user-1', active: true },
    { token: 'user-2', active: false },
  ]);
});

it('removes a device that is gone since before it was registered last, and no other', async () => {
  await seed(3);
  await fire();
  const since = { 'user-1': clock.now() - 1, 'user-2': clock.now(), 'user-3': clock.now() + 1 };
  const provider = new ScriptedProvider('unknown', (token): Outcome => ({
    kind: 'gone',
    reason: 'Unregistered',
    since: since[token as keyof typeof since],
  }));
  clock.advance(10_000);
  await deliver(provider);
  expect(await sql.query('select device_token as token, active from device order by 1')).toEqual([
    { token: 'user-1', active: true },
    { token: 'user-2', active: false },
    { token: 'user-3', active: false },
  ]);
  expect(await reasons()).toEqual([{ outcome: 'failed', reason: 'Unregistered', count: 3 }]);
});

it('does not hand a device to the provider of a type that it is registered under no longer', async () => {
  await seed(2);
  await fire();
  // Its app runs on another system than it had said: it registers anew, with the same token.
  await sql.query(`update device set device_type = 'APNS', updated_at = $1 where device_token = 'user-1'`, [
    now(),
  ]);
  const provider = new ScriptedProvider('unknown', (token): Outcome =>
    token === 'user-1' ? { kind: 'gone', reason: 'INVALID_ARGUMENT' } : SENT,
  );
  await deliver(provider);
  expect(provider.handed).toEqual(['user-2']);
  expect(await sql.query('select device_token as token, active from device order by 1')).toEqual([
    { token: 'user-1', active: true },
    { token: 'user-2', active: true },
  ]);
  expect(await reasons()).toEqual([
    { outcome: 'failed', reason: 'DEVICE_GONE', count: 1 },
    { outcome: 'sent', reason: null, count: 1 },
  ]);
});

it('fails a variant that no provider takes, unsent', async () => {
  await seed(2, `case when user_id = 'user-1' then 'GCM' else 'APNS' end`);
  // In bytes of the body it is too much for APNs alone: FCM counts keys and values.
  await fire({}, { default: { content: 'a'.repeat(4_085) } });
  const provider = new ScriptedProvider('unknown');
  await deliver(provider);
  await deliver(provider);
  expect(provider.handed).toEqual(['user-1']);
  expect(await reasons()).toEqual([
    { outcome: 'failed', reason: 'PAYLOAD_TOO_LARGE', count: 1 },
    { outcome: 'sent', reason: null, count: 1 },
  ]);
});

it.each(['40P01', '25006'])(
  'keeps what a provider answered however often the database puts it off (%s)',
  async (code) => {
    await seed(3);
    await fire();
    await sql.query(`create sequence put_off`);
    await sql.query(
      `create function put_it_off() returns trigger language plpgsql as $$ begin
       if nextval('put_off') <= 6 then raise 'another time' using errcode = '${code}'; end if; return new; end $$`,
    );
    await sql.query(
      'create trigger put_it_off before update on firing for each row execute function put_it_off()',
    );
    try {
      await deliver(new ScriptedProvider('unknown'));
    } finally {
      await sql.query('drop trigger put_it_off on firing; drop function put_it_off; drop sequence put_off');
    }
    expect(await counts()).toMatchObject({ state: 'FINISHED', targets: 3, sent: 3, unknown: 0 });
  },
);

it('records a part once, though the answer of the first time was lost', async () => {
  await seed(3);
  await fire();
  const by = { worker: WORKER, leaseMs: 30_000, now: now() };
  const [chunk] = await claimChunks(sql, { serviceId: SERVICE, deviceType: 'GCM' }, 'oldest', by);
  if (chunk === undefined) throw new Error('nothing was claimed');
  const { firingId, chunkNo, claims } = chunk;
  const part: ChunkOutcome = {
    firingId,
    chunkNo,
    claims,
    recorded: 0,
    codes: [null, 'pending', 'pending'],
    newOutcomes: 1,
    repeated: 0,
    gone: [],
    credential: null,
    version: null,
    fate: 'continues',
  };
  expect([(await recordChunks(sql, [part], by)).size, (await recordChunks(sql, [part], by)).size]).toEqual([
    1, 0,
  ]);
  const last = {
    ...part,
    recorded: 1,
    codes: ['recorded', 'unknown NO_ANSWER', 'failed REJECTED'],
    newOutcomes: 2,
    fate: 'done',
  } as const;
  expect((await recordChunks(sql, [last], by)).size).toBe(1);
  expect(await counts()).toMatchObject({ targets: 3, sent: 1, failed: 1, unknown: 1 });
});
