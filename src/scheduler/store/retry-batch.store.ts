// Retries of many sends: the set frozen at its preview, item by item, and how far its work has come. One process at a
// time works on a set, a page at a time; its token fences it.
import { rowsOf, type Sql } from '../../platform/database.js';
import { insertRows } from '../../platform/insert-rows.js';
import type { SendState } from '../decide/send.js';
import { CHANNELS } from './channels.js';

export type RetryBatchState = 'gathering' | 'asking' | 'ready' | 'retrying' | 'done';

/** Which sends a preview looks at; members that are not given do not restrict it. */
export interface RetryFilter {
  readonly serviceId?: string | undefined;
  /** Our id. */
  readonly campaign?: string | undefined;
  readonly occurrence?: string | undefined;
  readonly states: readonly SendState[];
  readonly code?: string | undefined;
  /** When it came to its state, as instants of ours are written. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly sends?: readonly string[] | undefined;
}

/** All that is counted of a set, as its row keeps it. */
export interface RetryCounts {
  readonly found: number;
  readonly toAsk: number;
  readonly asked: number;
  readonly retry: number;
  readonly retried: number;
  /** By code. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Retries whose due was moved out of the night or quiet hours. */
  readonly deferred: number;
  readonly firstDueAt: number | null;
  readonly lastDueAt: number | null;
  /** Per service: the due of its next retry, so that they are spread. */
  readonly nextDueAt: Readonly<Record<string, number>>;
}

export interface RetryBatch {
  readonly id: string;
  readonly state: RetryBatchState;
  readonly filter: RetryFilter;
  readonly held: readonly string[] | null;
  readonly services: readonly string[];
  readonly afterSend: string | null;
  readonly counts: RetryCounts;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly expiresAt: Date | null;
  readonly confirmedAt: Date | null;
  readonly confirmedBy: string | null;
  readonly doneAt: Date | null;
}

const COLUMNS = `id, state, filter, held, services, after_send as "afterSend", counts, created_at as "createdAt",
  created_by as "createdBy", expires_at as "expiresAt", confirmed_at as "confirmedAt", confirmed_by as "confirmedBy",
  done_at as "doneAt"`;

export type NewRetryBatch = Pick<RetryBatch, 'id' | 'filter' | 'held' | 'counts' | 'createdAt' | 'createdBy'>;

/** Its services are those of the filter, else all that are held, else all there are; in order of id. */
export async function insertRetryBatch(sql: Sql, batch: NewRetryBatch): Promise<void> {
  const { id, filter, held, counts, createdAt, createdBy } = batch;
  await sql.query(
    `insert into retry_batch (id, state, filter, held, services, counts, created_at, created_by, next_at)
     values ($1, 'gathering', $2, $3, array(
       select service_id from project
        where ($3::text[] is null or service_id = any($3)) and ($7::text is null or service_id = $7) order by service_id),
       $4, $5, $6, clock_timestamp())`,
    [
      id,
      JSON.stringify(filter),
      held,
      JSON.stringify(counts),
      createdAt,
      createdBy,
      filter.serviceId ?? null,
    ],
  );
}

export async function retryBatch(sql: Sql, id: string): Promise<RetryBatch | undefined> {
  const [row] = await rowsOf<RetryBatch>(sql, `select ${COLUMNS} from retry_batch where id = $1`, [id]);
  return row;
}

export interface RetryBatchClaim {
  readonly token: string;
  /** Real milliseconds; longer than a page takes. */
  readonly leaseMs: number;
  /** This one alone; undefined: whichever has waited longest. */
  readonly only?: string | undefined;
}

/** Index retry_batch_open. SKIP LOCKED: two processes never wait for one another, nor work on the same set. */
export async function claimRetryBatch(sql: Sql, claim: RetryBatchClaim): Promise<RetryBatch | undefined> {
  const [row] = await rowsOf<RetryBatch>(
    sql,
    `update retry_batch set token = $1, next_at = clock_timestamp() + $2::int * interval '1 millisecond'
      where id = (select id from retry_batch
                   where state in ('gathering', 'asking', 'retrying') and next_at <= clock_timestamp()
                     and ($3::uuid is null or id = $3)
                   order by next_at limit 1 for update skip locked)
     returning ${COLUMNS}`,
    [claim.token, claim.leaseMs, claim.only ?? null],
  );
  return row;
}

/** Locks it for a page's transaction. false: its lease was over, and somebody else goes on with it. */
export async function holdRetryBatch(sql: Sql, id: string, token: string): Promise<boolean> {
  const text = 'select 1 as held from retry_batch where id = $1 and token = $2 for no key update';
  return (await rowsOf(sql, text, [id, token])).length > 0;
}

export interface RetryBatchStep {
  readonly state: RetryBatchState;
  readonly services: readonly string[];
  readonly afterSend: string | null;
  readonly counts: RetryCounts;
  readonly expiresAt: Date | null;
  readonly doneAt: Date | null;
  /** Real milliseconds until its next page. */
  readonly pauseMs: number;
}

/** Ends a page: the caller's transaction holds the row. */
export async function stepRetryBatch(sql: Sql, id: string, step: RetryBatchStep): Promise<void> {
  await sql.query(
    `update retry_batch set state = $2, services = $3, after_send = $4, counts = $5, expires_at = $6, done_at = $7,
            token = null, next_at = clock_timestamp() + $8::int * interval '1 millisecond' where id = $1`,
    [
      id,
      step.state,
      step.services,
      step.afterSend,
      JSON.stringify(step.counts),
      step.expiresAt,
      step.doneAt,
      step.pauseMs,
    ],
  );
}

/** ready ▶ retrying, once. The counts of dues begin anew. */
export async function confirmRetryBatch(
  sql: Sql,
  order: { id: string; now: Date; by: string; counts: RetryCounts },
): Promise<boolean> {
  const rows = await rowsOf(
    sql,
    `update retry_batch set state = 'retrying', confirmed_at = $2, confirmed_by = $3, counts = $4, next_at = clock_timestamp()
      where id = $1 and state = 'ready' and expires_at > $2 returning id`,
    [order.id, order.now, order.by, JSON.stringify(order.counts)],
  );
  return rows.length > 0;
}

/** Asks some process to go on with what is open: one request does not wait for it. */
export async function wakeRetries(sql: Sql): Promise<void> {
  await sql.query('select pg_notify($1, $2)', [CHANNELS.retries, '']);
}

export interface RetryItem {
  readonly send: string;
  readonly serviceId: string;
  readonly requestId: string | null;
  readonly state: 'ask' | 'retry' | 'left-out';
  readonly code: string | null;
}

export async function insertRetryItems(sql: Sql, batch: string, items: readonly RetryItem[]): Promise<void> {
  await insertRows(sql, {
    table: 'retry_item',
    columns: {
      batch: 'uuid',
      send: 'uuid',
      service_id: 'text',
      request_id: 'text',
      state: 'text',
      code: 'text',
    },
    rows: items.map(({ send, serviceId, requestId, state, code }) => ({
      batch,
      send,
      service_id: serviceId,
      request_id: requestId,
      state,
      code,
    })),
  });
}

export interface OpenRetryItem {
  readonly send: string;
  readonly serviceId: string;
  readonly requestId: string | null;
  readonly tries: number;
}

/** The next in order of id. Index retry_item_open. */
export async function openRetryItems(
  sql: Sql,
  { batch, state, limit }: { batch: string; state: 'ask' | 'retry'; limit: number },
): Promise<OpenRetryItem[]> {
  return rowsOf<OpenRetryItem>(
    sql,
    `select send, service_id as "serviceId", request_id as "requestId", tries from retry_item
      where batch = $1 and state = $2 order by send limit $3`,
    [batch, state, limit],
  );
}

export interface MovedRetryItem {
  readonly send: string;
  readonly state: 'ask' | 'retry' | 'retried' | 'left-out';
  readonly code: string | null;
  readonly sentCount: number | null;
  readonly tries: number;
  readonly retry: string | null;
}

export async function moveRetryItems(
  sql: Sql,
  batch: string,
  moved: readonly MovedRetryItem[],
): Promise<void> {
  if (moved.length === 0) return;
  await sql.query(
    `update retry_item i set state = m.state, code = m.code,
            sent_count = coalesce(m.sent_count, i.sent_count), tries = greatest(m.tries, i.tries), retry = m.retry
       from unnest($2::uuid[], $3::text[], $4::text[], $5::int[], $6::int[], $7::uuid[])
         as m(send, state, code, sent_count, tries, retry)
      where i.batch = $1 and i.send = m.send`,
    [
      batch,
      moved.map((one) => one.send),
      moved.map((one) => one.state),
      moved.map((one) => one.code),
      moved.map((one) => one.sentCount),
      moved.map((one) => one.tries),
      moved.map((one) => one.retry),
    ],
  );
}

/** At most `batch` items of sets older than `before`, then the sets that have none left; returns how many items went. */
export async function deleteOldRetryBatches(sql: Sql, before: Date, batch: number): Promise<number> {
  const gone = await rowsOf(
    sql,
    `delete from retry_item where ctid = any (array(
       select i.ctid from retry_batch b join retry_item i on i.batch = b.id
        where b.created_at < $1 limit $2 for update of i skip locked)) returning 1 as gone`,
    [before, batch],
  );
  if (gone.length === 0) {
    await sql.query(
      'delete from retry_batch b where created_at < $1 and not exists (select from retry_item i where i.batch = b.id)',
      [before],
    );
  }
  return gone.length;
}
