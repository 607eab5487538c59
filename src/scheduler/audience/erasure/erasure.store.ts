// Erasures: what was asked for, how far each is, and its certificate. The id itself is kept until the erasure is done.
import { v7 } from 'uuid';
import { z } from 'zod';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { CHANNELS } from '../../store/channels.js';
import type { Erased } from '../../store/send/erase-recipient.store.js';

export const Erasure = z
  .object({
    id: z.uuid(),
    serviceId: z.string(),
    userHash: z.string().describe('Names the user here and in the audit log: HMAC-SHA-256 of the id'),
    state: z.enum(['running', 'done']),
    askedAt: z.date(),
    askedBy: z.string(),
    doneAt: z.date().nullable(),
    pass: z.int().min(1).describe('All places are searched again until a pass finds nothing'),
    waits: count.describe(
      'Rows that still have the id, because a request or a planning under way needs them',
    ),
    removed: listOf(z.object({ table: z.string(), rows: count })).describe(
      'The tables in which the id was, and from how many rows it was taken',
    ),
    notHere: listOf(z.string()).describe('Where else the id may be, and what deletes it there'),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.output<typeof Erasure>;

const NOT_HERE: readonly string[] = [
  'the push service: it keeps users, devices and messages of its own, and deletes a user by DELETE /users/{userId} of its interface',
  'Kafka topics: events and dead letters stay there until the topic’s own retention ends',
  'unreadable events, which belong to no service: until their day is removed (SEND_RETENTION_DAYS)',
  'backups of the database, and texts that people wrote: reasons, names, messages',
];

export interface AskedErasure {
  readonly serviceId: string;
  readonly userId: string;
  readonly userHash: string;
  readonly by: string;
  readonly now: Date;
}

/** The erasure of that user which runs, or a new one. */
export async function askErasure(sql: Sql, asked: AskedErasure): Promise<string> {
  const { serviceId, userId, userHash, by, now } = asked;
  await sql.query(
    `insert into erasure (id, service_id, user_id, user_hash, asked_at, asked_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (service_id, user_id) where done_at is null do nothing`,
    [v7({ msecs: now.getTime() }), serviceId, userId, userHash, now, by],
  );
  const row = await firstRow<{ id: string }>(
    sql,
    'select id from erasure where service_id = $1 and user_id = $2 and done_at is null',
    [serviceId, userId],
  );
  if (row === undefined) throw new Error('an erasure that was just asked for is missing');
  await sql.query('select pg_notify($1, $2)', [CHANNELS.erasures, '']);
  return row.id;
}

export async function readErasure(sql: Sql, id: string): Promise<Erasure | undefined> {
  const row = await firstRow<Omit<Erasure, 'removed' | 'notHere'> & { found: Record<string, number> }>(
    sql,
    `select id, service_id as "serviceId", user_hash as "userHash", case when done_at is null then 'running' else 'done' end as state,
            asked_at as "askedAt", asked_by as "askedBy", done_at as "doneAt", pass,
            greatest(waits, pass_waits)::float8 as waits, found
       from erasure where id = $1`,
    [id],
  );
  if (row === undefined) return undefined;
  const { found, ...erasure } = row;
  const removed = Object.entries(found).map(([table, rows]) => ({ table, rows }));
  return { ...erasure, removed, notHere: [...NOT_HERE] };
}

/** An erasure whose page is due, and where that begins. */
export interface ErasureTurn {
  readonly id: string;
  readonly serviceId: string;
  readonly userId: string;
  readonly place: number;
  readonly partition: string | null;
  readonly block: number;
}

/** Locks it until the commit; other processes work on others. Index erasure_open. */
export function takeErasure(sql: Sql): Promise<ErasureTurn | undefined> {
  return firstRow<ErasureTurn>(
    sql,
    `select id, service_id as "serviceId", user_id as "userId", place, partition, block::float8 as block
       from erasure where done_at is null and page_at <= clock_timestamp() order by page_at limit 1 for update skip locked`,
  );
}

/** Where the next page begins; `undefined` once the pass is over. */
export type NextPage = Pick<ErasureTurn, 'place' | 'partition' | 'block'> | undefined;

/** What waits is looked for again after this, real milliseconds. */
export const WAITS_MS = 5_000;

// A pass that found nothing, with nothing to wait for, is the last: the id is forgotten with it.
const PAGE_DONE = `
update erasure e set
  place = coalesce($2, 0), partition = $3, block = coalesce($4, 0),
  found = case when $6::int > 0 then e.found || jsonb_build_object($5::text, coalesce((e.found ->> $5)::bigint, 0) + $6) else e.found end,
  pass = e.pass + case when n.over and not n.done then 1 else 0 end,
  pass_found = case when n.over then 0 else n.found end, pass_waits = case when n.over then 0 else n.waits end,
  waits = case when n.over then n.waits else e.waits end,
  page_at = clock_timestamp() + case when n.over and n.waits > 0 then $9::float8 * interval '1 millisecond' else interval '0' end,
  done_at = case when n.done then $8::timestamptz end, user_id = case when n.done then null else e.user_id end
  from (select id, $2::int is null as over, pass_found + $6 as found, pass_waits + $7 as waits,
               $2::int is null and pass_found + $6 = 0 and pass_waits + $7 = 0 as done
          from erasure where id = $1) n
 where e.id = n.id`;

export async function pageIsDone(
  sql: Sql,
  { id }: ErasureTurn,
  page: Erased & { readonly table: string; readonly next: NextPage },
  now: Date,
): Promise<void> {
  const { next, table, found, waits } = page;
  await sql.query(PAGE_DONE, [
    id,
    next?.place ?? null,
    next?.partition ?? null,
    next?.block ?? null,
    table,
    found,
    waits,
    now,
    WAITS_MS,
  ]);
}

/** Whether one is running, though no page of it is due. */
export async function anyErasureWaits(sql: Sql): Promise<boolean> {
  return (await sql.query('select from erasure where done_at is null limit 1')).length > 0;
}

const PUT_LAST = `update erasure set page_at = clock_timestamp() + interval '5 seconds'
 where id = (select id from erasure where done_at is null order by page_at limit 1)`;

/** Call it after a page failed, so that other erasures come first. */
export async function putErasureLast(sql: Sql): Promise<void> {
  await sql.query(PUT_LAST);
}
