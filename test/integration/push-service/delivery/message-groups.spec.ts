// Messages taken side by side are one statement: each is taken once and answered for itself, whatever happens to its
// neighbours, to the statement or to its connection. Groups, stores and acceptMessage as they are, on a real database.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Client as Postgres } from 'pg';
import { v7 } from 'uuid';
import { SystemClock } from '../../../../src/platform/clock.js';
import type { Database, Sql } from '../../../../src/platform/database/database.js';
import { Secret } from '../../../../src/platform/env.js';
import { GroupLateError } from '../../../../src/platform/database/grouped-statement.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import { databaseFault } from '../../../../src/push-service/gateway/database-fault.js';
import { acceptMessage, type AcceptedMessage } from '../../../../src/push-service/messages/accept-message.js';
import { MessageGroups } from '../../../../src/push-service/messages/message-groups.js';
import { insertMessages, type NewMessage } from '../../../../src/push-service/messages/message.store.js';
import { fireDue } from '../../../../src/push-service/reservations/reservation.store.js';
import { pushDataSource } from '../../../../src/push-service/push.database.js';
import { loadZoneRules } from '../../../../src/zone-rules/load-zone-rules.js';
import { eventually } from '../../../support/eventually.js';
import { TcpProxy } from '../../../support/peers/tcp-proxy.js';
import { newMessage as newRow, openDatabase, serviceFacts, type OpenedDatabase } from './push-rows.js';

const PATIENT_MS = 60_000;
const clock = new SystemClock();
const rules = loadZoneRules();
const service = serviceFacts('groups');

let opened: OpenedDatabase;
let proxy: TcpProxy;
let sql: PooledDatabase;
/** Its connections can be cut. */
let proxied: PooledDatabase;
/** Holds locks. */
let beside: Postgres;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
  proxy = await TcpProxy.inFrontOf(opened.url);
  proxied = pushDataSource(new Secret(proxy.through(opened.url)), 4);
  beside = new Postgres({ connectionString: opened.url, options: '-c search_path=push' });
  await Promise.all([proxied.initialize(), beside.connect()]);
});
afterAll(async () => {
  await Promise.all([proxied.destroy(), beside.end()]);
  await proxy.close();
  await opened.close();
});
afterEach(async () => {
  await beside.query('ROLLBACK');
  await sql.query('truncate message, signed_request cascade');
});

/** Of whose text no character may be taken for one of ours. */
const request =
  '{"target":{"type":"ALL"},"message":{"default":{"content":"a\\u001fb \\\\ \\"{,}\\" \\n é😀"}}}';

const newMessage = (members: Partial<NewMessage> = {}): NewMessage =>
  newRow(service.id, new Date(clock.now()), { request, ...members });

/** The groups, and how many inserts they made. */
function counted(through: PooledDatabase): { groups: MessageGroups; inserts: () => number } {
  let inserts = 0;
  const counting: Pick<Database, 'query'> = {
    query: (text: string, parameters?: unknown[]) => {
      if (text.includes('insert into message')) inserts += 1;
      return through.query(text, parameters);
    },
  };
  return {
    groups: new MessageGroups(counting as Database, clock, rules, PATIENT_MS),
    inserts: () => inserts,
  };
}

/** A signed request, as often as it is sent, or one with a key. `reads`: what its look-ups are made by. */
async function accept(
  groups: MessageGroups,
  content: string,
  { idempotencyKey, reads = sql }: { readonly idempotencyKey?: string; readonly reads?: Sql } = {},
): Promise<AcceptedMessage> {
  const body = { target: { type: 'USER', to: ['u'] }, message: { default: { content } } };
  return acceptMessage(
    { sql: reads, clock, rules, take: (message) => groups.take(message, PATIENT_MS) },
    {
      caller: { accessKey: 'key', timestamp: '1', signature: 'signature', service },
      service,
      body: { bytes: Buffer.from(JSON.stringify(body)), contentType: 'application/json', isPacked: false },
      idempotencyKey,
    },
  );
}

/** Messages, and firings of those: one each for what is immediate, or one is lost or doubled. */
async function kept(): Promise<{ messages: number; firings: number }> {
  const [row] = await sql.query<{ messages: number; firings: number }>(
    `select (select count(*)::int from message) as messages, (select count(*)::int from firing) as firings`,
  );
  return row ?? { messages: 0, firings: 0 };
}

const INSERTING = `query like '%insert into message%' AND pid <> pg_backend_pid() AND wait_event_type = 'Lock'`;

/** That so many inserts wait for the lock. */
async function untilWaiting(inserts: number): Promise<void> {
  await eventually(async () => {
    const rows = await sql.query<NewMessage>(
      `select pid from pg_stat_activity where datname = current_database() and ${INSERTING}`,
    );
    return rows.length >= inserts;
  });
}

/** Three requests that come together. */
const acceptThree = (groups: MessageGroups): Promise<AcceptedMessage>[] =>
  ['one', 'two', 'three'].map((content) => accept(groups, content));

/** All three in one group, which waits for the lock until it is cut: none learns what became of it. */
async function cutHalfWay(groups: MessageGroups, cut: () => Promise<unknown>): Promise<void> {
  await beside.query('begin; lock table message in share mode');
  const outcomes = Promise.allSettled(acceptThree(groups));
  await untilWaiting(1);
  await cut();
  for (const outcome of await outcomes) {
    expect(outcome.status === 'rejected' && databaseFault(outcome.reason)).toBe('unknown');
  }
}

it('takes a group by one statement, and keeps every one as it was given', async () => {
  const { groups, inserts } = counted(sql);
  const minute = new Date('2099-01-01T01:00:00Z');
  const messages = [
    newMessage(),
    newMessage({ small: true, messageType: 'AD' }),
    newMessage({
      kind: 'reserved',
      reserveTime: '2099-01-01 10:00',
      reserveTimeZone: 'Asia/Seoul',
      fireAt: minute,
    }),
    newMessage({ request: JSON.stringify({ text: 'x'.repeat(200_000) }) }),
  ];
  expect(await Promise.all(messages.map((one) => groups.take(one, PATIENT_MS)))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(inserts()).toBe(1);
  const rows = await sql.query<NewMessage>(
    `select m.id, m.service_id as "serviceId", m.kind, m.message_type as "messageType", m.request,
            m.dedupe_hash as "dedupeHash", m.body_hash as "bodyHash", m.requested_at as "requestedAt",
            m.reserve_time as "reserveTime", m.reserve_time_zone as "reserveTimeZone", m.schedule_id as "scheduleId",
            m.fire_at as "fireAt", m.small, m.access_key as "accessKey", m.idempotency_key as "idempotencyKey", s.hash as "signedHash"
     from message m join signed_request s on s.message_id = m.id order by m.id`,
  );
  expect(rows).toEqual(messages.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  // An immediate one has its firing with it; a reserved one waits.
  const fired = await sql.query(
    `select m.id, m.state, f.state as firing, f.small, f.due_at = m.requested_at as due
     from message m left join firing f on f.message_id = m.id order by m.id`,
  );
  expect(fired).toEqual(
    rows.map((row) => {
      const { id, small, kind } = row;
      return kind === 'reserved'
        ? { id, state: 'READY', firing: null, small: null, due: null }
        : { id, state: 'PROCESSING', firing: 'READY', small, due: true };
    }),
  );
});

it('fires what a process of the version before took and left to be fired, however long ago', async () => {
  const hourAgo = new Date(clock.now() - 3_600_000);
  const { id } = newMessage();
  await insertMessages(sql, [newMessage({ id, requestedAt: hourAgo, fireAt: hourAgo })]);
  await sql.query('delete from firing');
  await sql.query(`update message set state = 'READY'`);
  const now = new Date(clock.now());
  expect(await fireDue(sql, now, now, 10)).toBe(1);
  expect(await sql.query('select state, message_id as id, small from firing')).toEqual([
    { state: 'READY', id, small: false },
  ]);
});

it('takes one of two equal requests in a group, and answers the other with its answer', async () => {
  const { groups, inserts } = counted(sql);
  const [first, other, second] = await Promise.all([
    accept(groups, 'same'),
    accept(groups, 'other'),
    accept(groups, 'same'),
  ]);
  expect(inserts()).toBe(1);
  expect(second.requestId).toBe(first.requestId);
  expect(second.requestedAt).toEqual(first.requestedAt);
  expect([first.taken, second.taken].filter((taken) => taken === null)).toHaveLength(1);
  expect(other.requestId).not.toBe(first.requestId);
  expect(await kept()).toEqual({ messages: 2, firings: 2 });
});

it('gives a key whose 30 days are over to one request, though another found it old at the same time', async () => {
  const { groups } = counted(sql);
  const idempotencyKey = v7();
  const old = await accept(groups, 'hi', { idempotencyKey });
  await sql.query(`update message set requested_at = requested_at - interval '30 days'`);
  // The sweep has been since: these signatures were good for minutes.
  await sql.query('delete from signed_request');
  let first: AcceptedMessage | undefined;
  const late: Sql = {
    query: async <Row>(text: string, parameters?: readonly unknown[]) => {
      const rows = await sql.query<Row>(text, parameters);
      // It has found the message of 30 days ago; the other request frees the key, and is taken.
      first ??= await accept(groups, 'hi', { idempotencyKey });
      return rows;
    },
  };
  const second = await accept(groups, 'hi', { idempotencyKey, reads: late });
  expect(first?.requestId).not.toBe(old.requestId);
  expect(second.requestId).toBe(first?.requestId);
  expect(await kept()).toEqual({ messages: 2, firings: 2 });
});

it('refuses one that the database will not have, alone', async () => {
  const { groups } = counted(sql);
  const outcomes = await Promise.allSettled(
    [newMessage(), newMessage({ request: 'NUL \0' }), newMessage()].map((one) =>
      groups.take(one, PATIENT_MS),
    ),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await kept()).toEqual({ messages: 2, firings: 2 });
});

it('loses and doubles nothing when the database ends a group half-way: sent again, each is taken', async () => {
  const { groups } = counted(sql);
  await cutHalfWay(groups, () =>
    sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and ${INSERTING}`,
    ),
  );
  await beside.query('ROLLBACK');
  const taken = await Promise.all(acceptThree(groups));
  const again = await Promise.all(acceptThree(groups));
  expect(again.map(({ requestId }) => requestId)).toEqual(taken.map(({ requestId }) => requestId));
  expect(await kept()).toEqual({ messages: 3, firings: 3 });
});

it('finds what a group wrote whose connection was cut before it could say so', async () => {
  const { groups } = counted(proxied);
  await cutHalfWay(groups, () => proxy.close());
  // Nobody hangs meanwhile: nothing is sent.
  await expect(accept(groups, 'meanwhile')).rejects.toSatisfy((error) => databaseFault(error) === 'not sent');
  await beside.query('ROLLBACK');
  await eventually(async () => (await kept()).messages === 3);
  await proxy.open();
  const again = await Promise.all(acceptThree(groups));
  expect(again.map(({ taken }) => taken)).toEqual([null, null, null]);
  expect(await kept()).toEqual({ messages: 3, firings: 3 });
});

it('gives up each at its own time: what had not begun is not written, what had may be', async () => {
  const { groups, inserts } = counted(sql);
  await beside.query('begin; lock table message in share mode');
  const begun = newMessage();
  const outcomes = [groups.take(newMessage(), PATIENT_MS), groups.take(begun, 20)];
  const late = outcomes[1]?.catch((error: unknown) => error);
  await untilWaiting(1);
  outcomes.push(groups.take(newMessage(), PATIENT_MS));
  await untilWaiting(2);
  expect(await late).toBeInstanceOf(GroupLateError);
  // Both workers are taken: this one waits here.
  await expect(groups.take(newMessage(), 20)).rejects.toSatisfy(
    (error) => databaseFault(error) === 'unknown',
  );
  await beside.query('ROLLBACK');
  expect(await Promise.all([outcomes[0], outcomes[2]])).toEqual([true, true]);
  expect(inserts()).toBe(2);
  expect(await kept()).toEqual({ messages: 3, firings: 3 });
  // Sent again, what had begun is found to be taken.
  expect(await groups.take({ ...begun, id: v7() }, PATIENT_MS)).toBe(false);
});

it('makes no replica wait for another that takes the same requests in another order', async () => {
  for (let round = 0; round < 10; round += 1) {
    const hashes = Array.from({ length: 200 }, (_, index) => Buffer.from(`${round} ${index}`));
    const [one, other] = await Promise.all([
      insertMessages(
        sql,
        hashes.map((dedupeHash) => newMessage({ dedupeHash })),
      ),
      insertMessages(
        sql,
        hashes.toReversed().map((dedupeHash) => newMessage({ dedupeHash })),
      ),
    ]);
    // Each was taken by exactly one of them.
    expect(one.map((taken, index) => Number(taken) + Number(other[hashes.length - 1 - index]))).toEqual(
      hashes.map(() => 1),
    );
  }
});

it('finds results together, each for its own service', async () => {
  const { groups } = counted(sql);
  const ours = newMessage();
  const theirs = newMessage({ serviceId: 'another' });
  await insertMessages(sql, [ours, theirs]);
  const keys = [
    ours,
    theirs,
    { id: ours.id, serviceId: theirs.serviceId },
    { id: v7(), serviceId: service.id },
    ours,
  ];
  const found = await Promise.all(keys.map(({ id, serviceId }) => groups.find({ id, serviceId })));
  expect(found.map((row) => row?.id)).toEqual([ours.id, theirs.id, undefined, undefined, ours.id]);
});
