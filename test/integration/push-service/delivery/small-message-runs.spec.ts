// Small messages go through the pipeline many at a time: each still has its own targets, order and end, and what is
// broken, cancelled or unanswered among them is so alone. Stores and delivery as they are, on a real database.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { SystemClock } from '../../../../src/platform/clock.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import { ChunkDelivery } from '../../../../src/push-service/delivery/deliver-chunks.js';
import { expandNext } from '../../../../src/push-service/delivery/expand-firing.js';
import { databaseTime, takeOver } from '../../../../src/push-service/delivery/outcome.store.js';
import { insertMessages } from '../../../../src/push-service/messages/message.store.js';
import { cancelAttached } from '../../../../src/push-service/schedules/schedule.store.js';
import { eventually } from '../../../support/eventually.js';
import { deliverWhole } from './deliver-whole.js';
import { addService, newMessage, openDatabase, type OpenedDatabase } from './push-rows.js';
import { routeTo, ScriptedProvider, SENT } from './scripted-provider.js';

const SERVICE = 'runs';
/** Night at UTC+9, day at UTC. */
const at = new Date('2026-11-21T13:00:00Z');
const log = pino({ level: 'silent' });
const clock = new SystemClock();
const still = { now: () => at.getTime(), elapsed: () => clock.elapsed(), at: clock.at.bind(clock) };
const { signal } = new AbortController();

let opened: OpenedDatabase;
let sql: PooledDatabase;
let provider: ScriptedProvider;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
  await addService(sql, SERVICE, at);
  // user-1 to user-300; the first three are special, and user-3 has a second device.
  await sql.query(
    `with made as (
       insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                              night_ad_agreement, created_at, updated_at)
       select $1, 'user-' || i, case when i = 2 then 'JP' else 'KR' end, 'ko', case when i = 2 then 0 else 32400 end,
              i <> 1, true, false, $2::timestamptz, $2::timestamptz
       from generate_series(1, 300) as i returning key, user_id)
     insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
     select $1, key, case when part = '' then 'GCM' else 'APNS' end, user_id || part, sha256((user_id || part)::bytea),
            $2::timestamptz, $2::timestamptz
     from made cross join (values (''), ('-b')) as parts(part) where part = '' or user_id = 'user-3'`,
    [SERVICE, at],
  );
});
afterAll(() => opened.close());
beforeEach(async () => {
  await sql.query('truncate delivery, outcome_count, suppression, payload, fan_out_chunk, firing, message');
  provider = new ScriptedProvider('again');
});

async function take(to: readonly string[], members: object = {}, small = true): Promise<string> {
  const id = v7();
  const messageType = 'messageType' in members ? 'AD' : 'NOTIF';
  const target = { type: small ? 'USER' : 'ALL', to, ...members };
  const request = JSON.stringify({ target, message: { default: { content: id } }, messageType });
  await insertMessages(sql, [newMessage(SERVICE, at, { id, request, small })]);
  return id;
}

const expand = (order: 'oldest' | 'small' = 'oldest'): Promise<number> =>
  expandNext({ database: sql, clock: still, log, timeoutMs: 600_000, deliveryMs: 21_600_000 }, order);

function deliverer(to = provider, leaseMs = 30_000): ChunkDelivery {
  return new ChunkDelivery({ sql, clock: still, log, route: routeTo(to), leaseMs });
}

async function deliverAll(): Promise<void> {
  while ((await deliverWhole(deliverer(), 'oldest', signal)) > 0);
}

interface End {
  readonly state: string;
  readonly targets: number;
  readonly sent: number;
}

async function endOf(id: string): Promise<End | undefined> {
  const [row] = await sql.query<End>(
    'select state, target_count::int as targets, sent_count::int as sent from message where id = $1',
    [id],
  );
  return row;
}

it('takes two hundred at once, the oldest first, and gives each its own end', async () => {
  const ids: string[] = [];
  for (let user = 4; user <= 254; user += 1) ids.push(await take([`user-${user}`]));
  expect([await expand(), await expand(), await expand()]).toEqual([200, 51, 0]);
  const delivery = deliverer();
  expect(await deliverWhole(delivery, 'spread', signal)).toBe(200);
  expect(await deliverWhole(delivery, 'oldest', signal)).toBe(51);
  expect(await deliverWhole(delivery, 'oldest', signal)).toBe(0);
  expect(provider.handed).toEqual(ids.map((_, index) => `user-${index + 4}`));
  for (const id of ids) expect(await endOf(id)).toEqual({ state: 'FINISHED', targets: 1, sent: 1 });
  // What each was handed is its own message's.
  const bodies = await sql.query<{ body: string }>('select body from payload order by firing_id');
  expect(bodies.every(({ body }, index) => body.includes(ids[index] ?? '?'))).toBe(true);
});

it('judges consent, night, country, offset and type for each by its own target', async () => {
  const all = ['user-1', 'user-2', 'user-3', 'user-3', 'nobody'];
  const cases = {
    everything: [await take(all), 3],
    // Night at UTC+9: user-2 alone is awake.
    advertising: [await take(all, { messageType: 'AD' }), 1],
    country: [await take(all, { country: ['JP', 'US'] }), 1],
    offset: [await take(all, { timezone: [32_400] }), 2],
    type: [await take(all, { deviceType: 'APNS' }), 1],
    nobody: [await take(['nobody']), 0],
  } as const;
  expect(await expand()).toBe(6);
  await deliverAll();
  for (const [name, [id, devices]] of Object.entries(cases)) {
    expect([name, await endOf(id)]).toEqual([name, { state: 'FINISHED', targets: devices, sent: devices }]);
  }
  const suppressed = await sql.query<{ reason: string; count: number }>(
    'select reason, sum(count)::int as count from suppression group by reason order by reason',
  );
  expect(suppressed).toEqual([
    { reason: 'NIGHT_WITHOUT_AGREEMENT', count: 2 },
    { reason: 'NO_NOTIFICATION_AGREEMENT', count: 2 + 1 },
  ]);
});

it('ends what is broken FAIL, alone, and sends the rest', async () => {
  const before = await take(['user-4']);
  const broken = await take(['user-5']);
  const after = await take(['user-6']);
  await sql.query(`update message set request = '{' where id = $1`, [broken]);
  let failures = 0;
  while ((await expand().catch(() => ((failures += 1), 1))) > 0);
  expect(failures).toBe(5);
  await deliverAll();
  expect(provider.handed).toEqual(['user-4', 'user-6']);
  expect((await endOf(broken))?.state).toBe('FAIL');
  for (const id of [before, after]) expect((await endOf(id))?.state).toBe('FINISHED');
});

it('records what was answered when a provider says nothing about one of them; that one is handed over again, alone', async () => {
  const ids = [await take(['user-4']), await take(['user-5']), await take(['user-6'])];
  await expand();
  const broken = new ScriptedProvider('again', (token) => {
    if (token === 'user-5') throw new Error('no answer');
    return SENT;
  });
  const dying = deliverer(broken, 1);
  await expect(deliverWhole(dying, 'oldest', signal)).rejects.toThrow('no answer');
  expect(await Promise.all(ids.map(async (id) => (await endOf(id))?.state))).toEqual([
    'FINISHED',
    'FIRED',
    'FINISHED',
  ]);
  // Its lease of a millisecond is over; what is new meanwhile does not come along with it.
  await take(['user-7']);
  await expand();
  const lost = async () => takeOver(sql, at, { asOf: await databaseTime(sql), but: [] });
  await eventually(async () => expect(await lost()).toEqual({ chunks: 1, unknown: 0 }));
  const heir = deliverer();
  expect(await deliverWhole(heir, 'oldest', signal)).toBe(1);
  expect(broken.handed).toEqual(['user-4', 'user-5', 'user-6']);
  expect(provider.handed).toEqual(['user-5']);
  expect(await endOf(ids[1] ?? '')).toEqual({ state: 'FINISHED', targets: 1, sent: 1 });
  const [repeated] = await sql.query(
    'select sum(repeated_count)::int as count from firing where repeated_count > 0',
  );
  expect(repeated).toEqual({ count: 1 });
});

it('leaves big ones to the other workers, and lets none of them be passed for ever', async () => {
  const big = await take([], {}, false);
  await take(['user-4']);
  expect(await expand('small')).toBe(1);
  expect((await endOf(big))?.state).toBe('PROCESSING');
  await take(['user-5']);
  // The oldest is the big one: it comes, and comes alone.
  expect(await expand('oldest')).toBe(1);
  expect(await endOf(big)).toEqual({ state: 'FIRED', targets: 300, sent: 0 });
  // A chunk of each device type.
  const delivery = deliverer();
  const done = [
    await deliverWhole(delivery, 'oldest', signal),
    await deliverWhole(delivery, 'oldest', signal),
  ];
  expect(done).toEqual([1, 1]);
  expect(provider.handed).toHaveLength(300);
});

it('sends nothing of a message whose cancellation came between: it waits for none and sees it', async () => {
  const id = await take(['user-4']);
  await sql.query(`update message set kind = 'scheduled', state = 'ATTACHED' where id = $1`, [id]);
  const other = await take(['user-5']);
  await sql.transaction(async (cancelling) => {
    await cancelAttached(cancelling, id, at);
    expect(await expand()).toBe(1);
  });
  expect(await expand()).toBe(1);
  await deliverAll();
  expect(provider.handed).toEqual(['user-5']);
  expect((await endOf(id))?.state).toBe('CANCELED');
  expect((await endOf(other))?.state).toBe('FINISHED');
});
