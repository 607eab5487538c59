// Sets of sends that an operator retries or resolves. The preview lists the sends; then each project's sends are worked on, page by page.
// One process at a time works on a project of a set; the token of its lease fences it.
import { z } from 'zod';
import { anyRow, firstRow, type Sql } from '../../../platform/database/database.js';
import { Parameters } from '../../../platform/database/bounded-pages.js';
import { count } from '../../../platform/http/zod-schemas.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';
import type { Resolution } from '../../decide/lifecycle/resolution.js';
import { CHANNELS } from '../channels.js';
import { keptSendFilter, sendConditions } from '../read/send-filter.js';
import { SendStateView } from '../read/state-views.js';
import { IS_NO_TEST } from '../rollup/counted-sends.js';

/** The values of the column `step`. Steps 2 and 3 ask for results a second and a third time. */
export const STEPS = { find: 0, ask: 1, act: 4, done: 5 } as const;

const keptFilter = z.object(keptSendFilter);
/** The sends that a preview looks at. */
export type SetFilter = z.output<typeof keptFilter> & {
  readonly states: readonly SendState[];
  readonly sends?: readonly string[] | undefined;
  /** Only for retries: sends that are due for more than a day are retried as well. */
  readonly stale?: boolean | undefined;
};

/** The counts of the pages of one project of a set; instants in milliseconds. nextDueAt spreads the dues. */
export type SetCounts = Partial<Record<SendsCounted | 'firstDueAt' | 'lastDueAt' | 'nextDueAt', number>>;
type SendsCounted = 'found' | 'toAsk' | 'asked' | 'done' | 'deferred';

/** What the pages of one project of a set of retries have seen; `oldest`: milliseconds. */
export interface SetFacts {
  devices?: number;
  /** Sends without a result, so that nobody knows how many devices they have. */
  unknownDevices?: number;
  oldest?: number;
  /** Sends that would fail again, by code. */
  again?: Record<string, number>;
  /** Sends by campaign; those of further campaigns are only counted. */
  campaigns?: Record<string, number>;
  otherSends?: number;
}

/** Members that every set has in the API. */
export const shownSet = {
  token: z.uuid().describe('Confirms it, and finds it again'),
  createdAt: z.date(),
  createdBy: z.string(),
  expiresAt: z.date().nullable().describe('It can be confirmed until then; null while it is not ready'),
  confirmedAt: z.date().nullable(),
  confirmedBy: z.string().nullable(),
  doneAt: z.date().nullable(),
  found: count,
};
const shown = z.object(shownSet);

/** What is done to the sends of a set. */
export type SetKind = 'retry' | 'resolve';

/** The request for a set. */
export interface SetAsked {
  readonly kind: SetKind;
  readonly filter: SetFilter;
  /** Only for resolves. */
  readonly resolution: Resolution | null;
  /** An operator's words about a resolve. */
  readonly reason: string | null;
}

/** A set as a whole. */
export interface SetRow extends z.output<typeof shown>, SetAsked {
  readonly state: 'gathering' | 'asking' | 'ready' | 'expired' | 'acting' | 'done';
  /** The services that it is restricted to; null: all. */
  readonly held: readonly string[] | null;
  readonly asked: { readonly done: number; readonly of: number };
  /** Sends that were retried or resolved. */
  readonly done: number;
  /** Sends that are left out, by code. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Retries whose due was moved out of the night or the quiet hours. */
  readonly deferred: number;
  readonly firstDueAt: number | null;
  readonly lastDueAt: number | null;
  /** Of each of its projects. */
  readonly facts: readonly SetFacts[];
}

/** One project of a set, leased for its next page. */
export interface SetProject extends Pick<SetRow, 'token' | 'createdAt'>, SetAsked {
  readonly serviceId: string;
  readonly step: number;
  /** Who made or confirmed it. */
  readonly by: string;
  readonly afterSend: string;
  readonly counts: SetCounts;
  readonly leftOut: Record<string, number>;
  readonly facts: SetFacts;
  readonly lease: string;
}

/** A send that waits in a set. */
export const setItem = {
  send: z.uuid(),
  serviceId: z.string(),
  campaign: z.uuid(),
  state: SendStateView,
  code: z.string().nullable(),
};
const item = z.object(setItem);
export type SetItem = z.output<typeof item> & { readonly step: number };

export interface SetItemFilter {
  readonly state?: readonly string[] | undefined;
  readonly code?: string | undefined;
}

/** The next step of a send, or the code for which it is left out. */
export type SetMove = number | string;

export interface SetPageEnd {
  readonly moves: ReadonlyMap<string, SetMove>;
  readonly step: number;
  readonly afterSend: string;
  readonly now: Date;
  /** Real milliseconds until the next page; null: there is nothing more to do. */
  readonly pauseMs: number | null;
}

const sumOf = (name: keyof SetCounts): string => `coalesce(sum((b.counts->>'${name}')::float8), 0)::float8`;

/** Inserts a row for each project with a send that needs attention, by the first entry of index send_attention. */
export async function insertSet(
  sql: Sql,
  set: Pick<SetRow, 'token' | 'held' | 'createdAt' | 'createdBy'> & SetAsked,
): Promise<void> {
  const { token, kind, filter, resolution, reason, held, createdAt, createdBy } = set;
  await sql.query(
    `
insert into send_set (id, service_id, kind, filter, resolution, reason, held, created_at, created_by, next_at)
select $1, coalesce(p.service_id, ''), $2, $3, $4, $5, $6, $7, $8, clock_timestamp()
  from (values (1)) one left join (
    select p.service_id
      from project p cross join lateral (select from send s where s.service_id = p.service_id and s.needs_attention limit 1) s
     where $6::text[] is null or p.service_id = any($6)) p on true`,
    [token, kind, JSON.stringify(filter), resolution, reason, held, createdAt, createdBy],
  );
}

/** undefined also for a set of another kind. */
export async function readSet(
  sql: Sql,
  kind: SetKind,
  token: string,
  now: Date,
): Promise<SetRow | undefined> {
  const [row] = await rowsOf(sql, [token], now);
  return row?.kind === kind ? row : undefined;
}

/** Newest first, only sets over services of `held` (null: all). Primary key, from its end; a set has a row for each project. */
export async function latestSets(
  sql: Sql,
  filter: {
    readonly kind: SetKind;
    readonly held: readonly string[] | null;
    readonly serviceId: string | undefined;
  },
  page: { readonly before: string | undefined; readonly limit: number; readonly now: Date },
): Promise<SetRow[]> {
  const { before, limit, now } = page;
  const found = await sql.query<{ id: string }>(
    `select b.id from send_set b
      where b.kind = $5 and ($1::text[] is null or b.held <@ $1) and ($2::uuid is null or b.id < $2)
        and ($3::text is null or b.held = array[$3])
      group by b.id order by b.id desc limit $4`,
    [filter.held, before, filter.serviceId, limit, filter.kind],
  );
  const tokens = found.map(({ id }) => id);
  return rowsOf(sql, tokens, now);
}

/** The state of a set is that of the project with the lowest step. Primary key. */
function rowsOf(sql: Sql, tokens: readonly string[], now: Date): Promise<SetRow[]> {
  return sql.query(
    `
select b.id as token, b.kind, b.filter, b.resolution, b.reason, b.held, b.created_at as "createdAt", b.created_by as "createdBy",
       b.confirmed_at as "confirmedAt", b.confirmed_by as "confirmedBy",
       case when min(b.step) >= ${STEPS.act} then max(b.expires_at) end as "expiresAt",
       case when min(b.step) = ${STEPS.done} then max(b.done_at) end as "doneAt",
       case when min(b.step) = ${STEPS.find} then 'gathering' when min(b.step) < ${STEPS.act} then 'asking'
            when min(b.step) = ${STEPS.done} then 'done' when b.confirmed_at is not null then 'acting'
            when max(b.expires_at) <= $2 then 'expired' else 'ready' end as state,
       ${sumOf('found')} as found, ${sumOf('done')} as done, ${sumOf('deferred')} as deferred,
       json_build_object('done', ${sumOf('asked')}, 'of', ${sumOf('toAsk')}) as asked,
       (select coalesce(json_object_agg(c.code, c.sends), '{}')
          from (select e.key as code, sum(e.value::float8) as sends from send_set o, jsonb_each_text(o.left_out) e
                 where o.id = b.id group by e.key) c) as "leftOut",
       json_agg(b.facts) as facts, min((b.counts->>'firstDueAt')::float8) as "firstDueAt", max((b.counts->>'lastDueAt')::float8) as "lastDueAt"
  from send_set b where b.id = any($1)
 group by b.id, b.kind, b.filter, b.resolution, b.reason, b.held, b.created_at, b.created_by, b.confirmed_at, b.confirmed_by
 order by b.id desc`,
    [tokens, now],
  );
}

/** The sends that wait in a set, in order of id; those that are left out or done are not in it. Primary keys. */
export function itemsOfSet(
  sql: Sql,
  token: string,
  filter: SetItemFilter,
  page: { readonly from: string | undefined; readonly limit: number },
): Promise<SetItem[]> {
  return sql.query(
    `select i.send, i.service_id as "serviceId", s.campaign, i.step, s.state, s.code
       from send_set_item i join send s on s.id = i.send
      where i.set_id = $1 and ($2::uuid is null or i.send > $2)
        and ($3::text[] is null or s.state = any($3)) and ($4::text is null or s.code = $4)
      order by i.send limit $5`,
    [token, page.from, filter.state, filter.code, page.limit],
  );
}

/** Confirms a ready set, for all its projects. The counts of dues begin anew. False: it was confirmed before. */
export function confirmSet(sql: Sql, token: string, now: Date, by: string): Promise<boolean> {
  return anyRow(
    sql,
    `
update send_set set confirmed_at = $2, confirmed_by = $3, next_at = clock_timestamp(),
       counts = counts - '{firstDueAt,lastDueAt,nextDueAt}'::text[]
 where id = $1 and confirmed_at is null returning id`,
    [token, now, by],
  );
}

/**
 * Leases a page for `leaseMs` real milliseconds. `only`: of this set [of the set that has waited longest]. `asks`: only a page that asks
 * for results, or only one that does not [any]. Index send_set_turn. SKIP LOCKED: two processes never wait for each other or do the same
 * page.
 */
export function claimSetPage(
  sql: Sql,
  leaseMs: number,
  only: string | undefined,
  asks: boolean | undefined,
): Promise<SetProject | undefined> {
  const isQuestion = `step not in (${STEPS.find}, ${STEPS.act})`;
  return firstRow(
    sql,
    `
update send_set set lease = gen_random_uuid(), next_at = clock_timestamp() + $1::int * interval '1 millisecond'
 where (id, service_id) = (
   select id, service_id from send_set
    where next_at <= (select clock_timestamp()) and ($2::uuid is null or id = $2) and (${isQuestion}) = coalesce($3, ${isQuestion})
    order by next_at limit 1 for update skip locked)
returning id as token, service_id as "serviceId", kind, filter, resolution, reason, created_at as "createdAt",
          coalesce(confirmed_by, created_by) as by, step, after_send as "afterSend", counts, left_out as "leftOut", facts, lease`,
    [leaseMs, only, asks],
  );
}

/** The next page, in order of id. `named`: the filter names the send. Primary key. */
export function pageOfSet(
  sql: Sql,
  project: SetProject,
  most: number,
): Promise<{ send: string; named: boolean }[]> {
  const { token, serviceId, step, afterSend } = project;
  if (step === STEPS.find) return findPage(sql, project, most);
  return sql.query(
    `
select send, true as named from send_set_item
 where set_id = $1 and service_id = $2 and step = $3 and send > $4 order by send limit $5`,
    [token, serviceId, step, afterSend, most],
  );
}

/**
 * Ends a page, in the caller's transaction. Deletes sends that are left out or done from the set. A preview can be confirmed for only an
 * hour, because it depends on the present: night begins, and results come. Throws if the lease has ended and another process goes on:
 * then nothing of the page may be committed.
 */
export async function endSetPage(sql: Sql, project: SetProject, end: SetPageEnd): Promise<void> {
  const { token, serviceId, counts, leftOut, facts, lease } = project;
  const { moves, step, afterSend, now, pauseMs } = end;
  const steps = [...moves.values()].map((to) => (typeof to === 'number' ? to : null));
  await sql.query(
    `
with gone as (delete from send_set_item where set_id = $1 and service_id = $2 and step = $3 and send = any($4::uuid[]))
insert into send_set_item (set_id, service_id, send, step)
select $1, $2, m.send, m.step from unnest($4::uuid[], $5::int[]) as m(send, step) where m.step < ${STEPS.done}`,
    [token, serviceId, project.step, [...moves.keys()], steps],
  );
  const isOurs = await anyRow(
    sql,
    `
update send_set set step = $4, after_send = $5, counts = $6, left_out = $7, facts = $10, lease = null,
       next_at = clock_timestamp() + $9::float8 * interval '1 millisecond',
       expires_at = case when $4 = ${STEPS.act} then coalesce(expires_at, $8::timestamptz + interval '1 hour') else expires_at end,
       done_at = case when $4 = ${STEPS.done} then $8 end
 where id = $1 and service_id = $2 and lease = $3 returning id`,
    [
      token,
      serviceId,
      lease,
      step,
      afterSend,
      JSON.stringify(counts),
      JSON.stringify(leftOut),
      now,
      pauseMs,
      JSON.stringify(facts),
    ],
  );
  if (!isOurs) throw new Error('the lease of a page of a set was over before the page');
}

/** Wakes the processes that work on sets; does not wait for them. */
export async function wakeSets(sql: Sql): Promise<void> {
  await sql.query('select pg_notify($1, $2)', [CHANNELS.sets, '']);
}

/** Deletes at most `batch` items of sets older than `before`; if there are none, the sets themselves. Returns how many items. */
export async function deleteOldSets(sql: Sql, before: Date, batch: number): Promise<number> {
  const gone = await sql.query(
    `delete from send_set_item where ctid = any (array(
       select i.ctid from send_set b join send_set_item i on i.set_id = b.id
        where b.created_at < $1 limit $2 for update of i skip locked)) returning 1 as gone`,
    [before, batch],
  );
  if (gone.length === 0) await sql.query('delete from send_set where created_at < $1', [before]);
  return gone.length;
}

// Index send_attention, whose condition is repeated here; the primary key if the request lists sends. A page looks at `most` sends,
// whether the filter names them or not, so that no statement grows with the project. Sends that came to their state after the set was
// asked for are not in it, so that this set ends.
function findPage(
  sql: Sql,
  { kind, serviceId, filter, afterSend, createdAt }: SetProject,
  most: number,
): Promise<{ send: string; named: boolean }[]> {
  const { sends, states, deferred, stale: _, ...asked } = filter;
  const parameters = new Parameters();
  const service = parameters.add(serviceId, 'text');
  const after = parameters.add(afterSend, 'uuid');
  const listed = parameters.add(sends ?? null, 'uuid[]');
  const until = parameters.add(createdAt, 'timestamptz');
  const isDeferred = deferred === undefined ? undefined : deferred ? 'true' : 'false';
  const named = sendConditions(
    { ...asked, state: [...states], deferred: isDeferred, serviceIds: null, newestOnly: false },
    parameters,
  );
  // A filter is about a campaign; a test is retried by its own name.
  const isTested = kind === 'resolve' || sends !== undefined || asked.occurrence !== undefined;
  const found = isTested ? named : `${named} and ${IS_NO_TEST('s')}`;
  return sql.query(
    `select s.id as send, (s.state_at <= ${until} and ${found}) is true as named from send s
      where s.service_id = ${service} and s.needs_attention and s.id > ${after} and (${listed} is null or s.id = any(${listed}))
      order by s.id limit ${parameters.add(most, 'bigint')}`,
    parameters.all,
  );
}
