// Retries of many sends: a set, frozen item by item at its preview, and how far its work has come, project by project. One
// process at a time works on a project of a set, a page at a time; its token fences it.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { Parameters } from '../../../platform/database/look-through.js';
import { count, listOf } from '../../../platform/http/operation.js';
import { RETRYABLE_STATES, SEND_STATES } from '../../decide/lifecycle/send-state.js';
import { CHANNELS } from '../channels.js';
import { keptSendFilter, sendConditions } from './read/send-filter.js';

/** As `step` of the tables counts; between ask and retry a result is asked for the second and the third time. */
export const STEPS = { find: 0, ask: 1, retry: 4, done: 5 } as const;

/** Which sends a preview looks at. A process of another release may know more members of it, or less: it is found by its own. */
export const RetryFilter = z.object({
  ...keptSendFilter,
  states: listOf(z.enum(RETRYABLE_STATES)),
  sends: listOf(z.uuid()).optional(),
});
export type RetryFilter = z.output<typeof RetryFilter>;

/** What the pages of one project of a set have counted; instants in milliseconds, the next due so that they are spread. */
export type RetryCounts = Partial<
  Record<
    'found' | 'toAsk' | 'asked' | 'retried' | 'deferred' | 'firstDueAt' | 'lastDueAt' | 'nextDueAt',
    number
  >
>;

/** A set of retries as the API shows it, but for what is counted of it. */
export const ShownRetrySet = z.object({
  token: z.uuid().describe('Confirms it, and finds it again'),
  state: z.enum(['gathering', 'asking', 'ready', 'expired', 'retrying', 'done']),
  filter: RetryFilter.describe('Which sends it looked at'),
  createdAt: z.date(),
  createdBy: z.string(),
  expiresAt: z.date().nullable().describe('It can be confirmed until then; null while it is not ready'),
  confirmedAt: z.date().nullable(),
  confirmedBy: z.string().nullable(),
  doneAt: z.date().nullable(),
  found: count,
  asked: z
    .object({ done: count, of: count })
    .describe('Of failed and stale ones the result is asked for once more'),
  retried: count,
  leftOut: z.record(z.string(), count).describe('Sends that are not retried, by code'),
});

/** A set as a whole. */
export interface RetrySet extends z.output<typeof ShownRetrySet> {
  /** The services it is of; null: all. */
  readonly held: readonly string[] | null;
  /** Retries whose due was moved out of the night or quiet hours. */
  readonly deferred: number;
  readonly firstDueAt: number | null;
  readonly lastDueAt: number | null;
}

// A row for each project of which a send asks for attention: the head of index send_attention. Without next_at: a process of a
// release that knows less of filters leaves it alone until its sends are found (docs/decisions/0058).
const INSERT = `
insert into retry_batch (id, service_id, filter, held, created_at, created_by, next_at, find_at)
select $1, coalesce(p.service_id, ''), $2, $3, $4, $5, null, clock_timestamp()
  from (values (1)) one left join (
    select p.service_id
      from project p cross join lateral (select from send s where s.service_id = p.service_id and s.needs_attention limit 1) s
     where $3::text[] is null or p.service_id = any($3)) p on true`;

export async function insertRetrySet(
  sql: Sql,
  set: Pick<RetrySet, 'token' | 'filter' | 'held' | 'createdAt' | 'createdBy'>,
): Promise<void> {
  const { token, filter, held, createdAt, createdBy } = set;
  await sql.query(INSERT, [token, JSON.stringify(filter), held, createdAt, createdBy]);
}

const sumOf = (name: keyof RetryCounts): string => `coalesce(sum((b.counts->>'${name}')::float8), 0)::float8`;

// Primary key. The state is that of the project that is furthest behind.
const READ = `
select b.id as token, b.filter, b.held, b.created_at as "createdAt", b.created_by as "createdBy",
       b.confirmed_at as "confirmedAt", b.confirmed_by as "confirmedBy",
       case when min(b.step) >= ${STEPS.retry} then max(b.expires_at) end as "expiresAt",
       case when min(b.step) = ${STEPS.done} then max(b.done_at) end as "doneAt",
       case when min(b.step) = ${STEPS.find} then 'gathering' when min(b.step) < ${STEPS.retry} then 'asking'
            when min(b.step) = ${STEPS.done} then 'done' when b.confirmed_at is not null then 'retrying'
            when max(b.expires_at) <= $2 then 'expired' else 'ready' end as state,
       ${sumOf('found')} as found, ${sumOf('retried')} as retried, ${sumOf('deferred')} as deferred,
       json_build_object('done', ${sumOf('asked')}, 'of', ${sumOf('toAsk')}) as asked,
       (select coalesce(json_object_agg(c.code, c.sends), '{}')
          from (select e.key as code, sum(e.value::float8) as sends from retry_batch o, jsonb_each_text(o.left_out) e
                 where o.id = b.id group by e.key) c) as "leftOut",
       min((b.counts->>'firstDueAt')::float8) as "firstDueAt", max((b.counts->>'lastDueAt')::float8) as "lastDueAt"
  from retry_batch b where b.id = any($1)
 group by b.id, b.filter, b.held, b.created_at, b.created_by, b.confirmed_at, b.confirmed_by
 order by b.id desc`;

export async function readRetrySet(sql: Sql, token: string, now: Date): Promise<RetrySet | undefined> {
  return (await sql.query<RetrySet>(READ, [[token], now]))[0];
}

// Primary key, from its end: a row for each project of a set.
const LATEST = `
select b.id from retry_batch b
 where ($1::text[] is null or b.held <@ $1) and ($2::uuid is null or b.id < $2) and ($3::text is null or b.held = array[$3])
 group by b.id order by b.id desc limit $4`;

/** Newest first, those over services of `held` alone; null: all. */
export async function latestRetrySets(
  sql: Sql,
  filter: { readonly held: readonly string[] | null; readonly serviceId: string | undefined },
  page: { readonly before: string | undefined; readonly limit: number; readonly now: Date },
): Promise<RetrySet[]> {
  const { before, limit, now } = page;
  const found = await sql.query<{ id: string }>(LATEST, [filter.held, before, filter.serviceId, limit]);
  return sql.query<RetrySet>(READ, [found.map(({ id }) => id), now]);
}

/** A send that waits in a set: for the question what became of it, or for its retry. */
export const RetryItem = z
  .object({
    send: z.uuid(),
    serviceId: z.string(),
    campaign: z.uuid(),
    waitsFor: z.enum(['question', 'retry']),
    state: z.enum(SEND_STATES),
    code: z.string().nullable(),
  })
  .meta({ id: 'RetryItem' });
export type RetryItem = z.output<typeof RetryItem>;

export interface RetryItemFilter {
  readonly state?: readonly string[] | undefined;
  readonly code?: string | undefined;
}

/** What of a set waits still, in order of the sends' ids; what is left out or retried is out of it. Primary keys. */
export async function retryItems(
  sql: Sql,
  token: string,
  filter: RetryItemFilter,
  page: { readonly from: string | undefined; readonly limit: number },
): Promise<RetryItem[]> {
  return sql.query<RetryItem>(
    `select i.send, i.service_id as "serviceId", s.campaign,
            case when i.step = ${STEPS.retry} then 'retry' else 'question' end as "waitsFor", s.state, s.code
       from retry_item i join send s on s.id = i.send
      where i.batch = $1 and ($2::uuid is null or i.send > $2)
        and ($3::text[] is null or s.state = any($3)) and ($4::text is null or s.code = $4)
      order by i.send limit $5`,
    [token, page.from, filter.state, filter.code, page.limit],
  );
}

// Once, of a set that is ready: all its projects wait for this. The dues are counted anew.
const CONFIRM = `
update retry_batch set confirmed_at = $2, confirmed_by = $3, next_at = clock_timestamp(),
       counts = counts - '{firstDueAt,lastDueAt,nextDueAt}'::text[]
 where id = $1 and confirmed_at is null returning id`;

/** false: it was confirmed before. */
export async function confirmRetrySet(sql: Sql, token: string, now: Date, by: string): Promise<boolean> {
  return (await sql.query(CONFIRM, [token, now, by])).length > 0;
}

/** One project of a set, for its next page. */
export interface RetryPart extends Pick<RetrySet, 'token' | 'filter' | 'createdAt'> {
  readonly serviceId: string;
  readonly step: number;
  /** Who asked for the retries. */
  readonly by: string;
  readonly afterSend: string;
  readonly counts: RetryCounts;
  readonly leftOut: Record<string, number>;
  readonly lease: string;
}

// Index retry_batch_turn: in turns. SKIP LOCKED: two processes never wait for one another, nor do the same page.
const CLAIM = `
update retry_batch set lease = gen_random_uuid(),
       find_at = case when find_at is not null then clock_timestamp() + $1::int * interval '1 millisecond' end,
       next_at = case when find_at is null then clock_timestamp() + $1::int * interval '1 millisecond' end
 where (id, service_id) = (
   select id, service_id from retry_batch
    where coalesce(find_at, next_at) <= (select clock_timestamp()) and ($2::uuid is null or id = $2) and (step not in (${STEPS.find}, ${STEPS.retry})) = coalesce($3, step not in (${STEPS.find}, ${STEPS.retry}))
    order by coalesce(find_at, next_at) limit 1 for update skip locked)
returning id as token, service_id as "serviceId", filter, created_at as "createdAt", coalesce(confirmed_by, created_by) as by,
          step, after_send as "afterSend", counts, left_out as "leftOut", lease`;

/** For so many real milliseconds; of one set alone, or of whichever has waited longest. `asks`: a page of questions, or of none. */
export async function claimRetries(
  sql: Sql,
  leaseMs: number,
  only: string | undefined,
  asks: boolean | undefined,
): Promise<RetryPart | undefined> {
  return (await sql.query<RetryPart>(CLAIM, [leaseMs, only, asks]))[0];
}

// Index send_attention, whose condition stands here; by primary key where the sends are named. All of a page are looked at,
// whether the filter names them or not: no statement is as long as the project is large. What came to its state after the
// set was asked for is left to the next one: this must come to an end.
async function findPage(
  sql: Sql,
  { serviceId, filter: { sends, states, deferred, ...filter }, afterSend, createdAt }: RetryPart,
  most: number,
): Promise<{ send: string; named: boolean }[]> {
  const parameters = new Parameters();
  const ofService = parameters.add(serviceId, 'text');
  const behind = parameters.add(afterSend, 'uuid');
  const given = parameters.add(sends ?? null, 'uuid[]');
  const asked = parameters.add(createdAt, 'timestamptz');
  const isDeferred = deferred === undefined ? undefined : deferred ? 'true' : 'false';
  const named = sendConditions(
    { ...filter, state: [...states], deferred: isDeferred, serviceIds: null, newestOnly: false },
    parameters,
  );
  return sql.query(
    `select s.id as send, (s.state_at <= ${asked} and ${named}) is true as named from send s
      where s.service_id = ${ofService} and s.needs_attention and s.id > ${behind} and (${given} is null or s.id = any(${given}))
      order by s.id limit ${parameters.add(most, 'bigint')}`,
    parameters.all,
  );
}

// Primary key.
const ITEMS = `
select send, true as named from retry_item
 where batch = $1 and service_id = $2 and step = $3 and send > $4 order by send limit $5`;

/** From where the last page ended, in order of id; `named`: by the filter. */
export async function retryPage(
  sql: Sql,
  part: RetryPart,
  most: number,
): Promise<{ send: string; named: boolean }[]> {
  const { token, serviceId, step, afterSend } = part;
  if (step === STEPS.find) return findPage(sql, part, most);
  return sql.query(ITEMS, [token, serviceId, step, afterSend, most]);
}

/** The step a send goes to, or the code it is left out by. */
export type RetryMove = number | string;

export interface RetryPageEnd {
  readonly moves: ReadonlyMap<string, RetryMove>;
  readonly step: number;
  readonly afterSend: string;
  readonly now: Date;
  /** Real milliseconds until the next page; null: there is nothing to be done. */
  readonly pauseMs: number | null;
}

// What is left out or done is out of the set.
const MOVE = `
with gone as (delete from retry_item where batch = $1 and service_id = $2 and step = $3 and send = any($4::uuid[]))
insert into retry_item (batch, service_id, send, step)
select $1, $2, m.send, m.step from unnest($4::uuid[], $5::int[]) as m(send, step) where m.step < ${STEPS.done}`;

// A preview can be confirmed for an hour: it speaks of the present, and night falls, results come. What is found is worked off by
// whoever comes: no step behind that reads the filter.
const END = `
update retry_batch set step = $4, after_send = $5, counts = $6, left_out = $7, lease = null,
       find_at = case when $4 = ${STEPS.find} then clock_timestamp() + $9::float8 * interval '1 millisecond' end,
       next_at = case when $4 <> ${STEPS.find} then clock_timestamp() + $9::float8 * interval '1 millisecond' end,
       expires_at = case when $4 = ${STEPS.retry} then coalesce(expires_at, $8::timestamptz + interval '1 hour') else expires_at end,
       done_at = case when $4 = ${STEPS.done} then $8 end
 where id = $1 and service_id = $2 and lease = $3 returning id`;

/** In the caller's transaction. Throws where the lease was over, and others go on with it: nothing of the page may stand. */
export async function endRetryPage(sql: Sql, part: RetryPart, end: RetryPageEnd): Promise<void> {
  const { token, serviceId, counts, leftOut, lease } = part;
  const { moves, step, afterSend, now, pauseMs } = end;
  const steps = [...moves.values()].map((to) => (typeof to === 'number' ? to : null));
  await sql.query(MOVE, [token, serviceId, part.step, [...moves.keys()], steps]);
  const counted = [JSON.stringify(counts), JSON.stringify(leftOut)];
  const ended = await sql.query(END, [token, serviceId, lease, step, afterSend, ...counted, now, pauseMs]);
  if (ended.length === 0) throw new Error('the lease of a page of retries was over before the page');
}

/** Asks some process to go on with what is open: one request does not wait for it. */
export async function wakeRetries(sql: Sql): Promise<void> {
  await sql.query('select pg_notify($1, $2)', [CHANNELS.retries, '']);
}

/** At most `batch` items of sets older than `before`, then the sets that have none left; returns how many items went. */
export async function deleteOldRetries(sql: Sql, before: Date, batch: number): Promise<number> {
  const gone = await sql.query(
    `delete from retry_item where ctid = any (array(
       select i.ctid from retry_batch b join retry_item i on i.batch = b.id
        where b.created_at < $1 limit $2 for update of i skip locked)) returning 1 as gone`,
    [before, batch],
  );
  if (gone.length === 0) await sql.query('delete from retry_batch where created_at < $1', [before]);
  return gone.length;
}
