// Sets of sends that an operator retries or resolves: frozen send by send at the preview, then worked off project by project. One
// process at a time works on a project of a set, a page at a time; the token of its lease fences it.
import { z } from 'zod';
import { anyRow, firstRow, type Sql } from '../../../platform/database/database.js';
import { Parameters } from '../../../platform/database/bounded-pages.js';
import { count } from '../../../platform/http/schema-parts.js';
import { SEND_STATES, type SendState } from '../../decide/lifecycle/send-state.js';
import { CHANNELS } from '../channels.js';
import { keptSendFilter, sendConditions } from '../read/send-filter.js';

/** The values of the column `step`; between ask and act, a result is asked for a second and a third time. */
export const STEPS = { find: 0, ask: 1, act: 4, done: 5 } as const;

const keptFilter = z.object(keptSendFilter);
/** Which sends a preview looks at. A process of another release may know more members of it, or fewer: docs/decisions/0058. */
export type SetFilter = z.output<typeof keptFilter> & {
  readonly states: readonly SendState[];
  readonly sends?: readonly string[] | undefined;
};

/** What the pages of one project of a set have counted; instants in milliseconds. nextDueAt spreads the dues. */
export type SetCounts = Partial<Record<SendsCounted | 'firstDueAt' | 'lastDueAt' | 'nextDueAt', number>>;
type SendsCounted = 'found' | 'toAsk' | 'asked' | 'retried' | 'resolved' | 'deferred';

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

/** What a set was asked for by; sets of resolves have further members. */
export interface SetAsked {
  readonly filter: SetFilter;
}

/** A set as a whole. */
export type SetRow<Asked extends SetAsked = SetAsked> = SetFacts & Asked;

interface SetFacts extends z.output<typeof shown> {
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
}

/** One project of a set, for its next page. */
export type SetPart<Asked extends SetAsked = SetAsked> = PartFacts & Asked;

interface PartFacts extends Pick<SetFacts, 'token' | 'createdAt'> {
  readonly serviceId: string;
  readonly step: number;
  /** Who made or confirmed it. */
  readonly by: string;
  readonly afterSend: string;
  readonly counts: SetCounts;
  readonly leftOut: Record<string, number>;
  readonly lease: string;
}

/** A send that waits in a set. */
export const setItem = {
  send: z.uuid(),
  serviceId: z.string(),
  campaign: z.uuid(),
  state: z.enum(SEND_STATES),
  code: z.string().nullable(),
};
const item = z.object(setItem);
export type SetItem = z.output<typeof item> & { readonly step: number };

export interface SetItemFilter {
  readonly state?: readonly string[] | undefined;
  readonly code?: string | undefined;
}

/** The step that a send goes to, or the code by which it is left out. */
export type SetMove = number | string;

export interface SetPageEnd {
  readonly moves: ReadonlyMap<string, SetMove>;
  readonly step: number;
  readonly afterSend: string;
  readonly now: Date;
  /** Real milliseconds until the next page; null: there is nothing more to do. */
  readonly pauseMs: number | null;
}

export interface SetTables {
  /** A row for each project of a set. */
  readonly set: string;
  /** A row for each send that waits in the set. */
  readonly item: string;
  /** Further text columns of the set, each a member of what it was asked for by. */
  readonly further: readonly string[];
  readonly channel: (typeof CHANNELS)['retries' | 'resolves'];
  /** The count of the sends that were retried or resolved. */
  readonly done: 'retried' | 'resolved';
}

const sumOf = (name: keyof SetCounts): string => `coalesce(sum((b.counts->>'${name}')::float8), 0)::float8`;

export class SendSets<Asked extends SetAsked> {
  constructor(readonly tables: SetTables) {}

  // A row for each project that has a send that needs attention: the first entry of index send_attention. next_at stays null, so that a
  // process of a release that knows less of filters leaves the set alone until its sends are found (docs/decisions/0058).
  async insert(
    sql: Sql,
    given: Pick<SetRow, 'token' | 'held' | 'createdAt' | 'createdBy'> & Asked,
  ): Promise<void> {
    const { set, further } = this.tables;
    const { token, filter, held, createdAt, createdBy } = given;
    const members = new Map<string, unknown>(Object.entries(given));
    const furtherValues = further.map((name) => members.get(name));
    const columns = further.map((name) => `, ${name}`).join('');
    const values = further.map((_, index) => `, $${index + 6}`).join('');
    await sql.query(
      `
insert into ${set} (id, service_id, filter, held, created_at, created_by, next_at, find_at${columns})
select $1, coalesce(p.service_id, ''), $2, $3, $4, $5, null, clock_timestamp()${values}
  from (values (1)) one left join (
    select p.service_id
      from project p cross join lateral (select from send s where s.service_id = p.service_id and s.needs_attention limit 1) s
     where $3::text[] is null or p.service_id = any($3)) p on true`,
      [token, JSON.stringify(filter), held, createdAt, createdBy, ...furtherValues],
    );
  }

  async read(sql: Sql, token: string, now: Date): Promise<SetRow<Asked> | undefined> {
    return (await this.#rows(sql, [token], now))[0];
  }

  // Primary key, from its end: a row for each project of a set.
  /** Newest first, only sets over services of `held`; null: all. */
  async latest(
    sql: Sql,
    filter: { readonly held: readonly string[] | null; readonly serviceId: string | undefined },
    page: { readonly before: string | undefined; readonly limit: number; readonly now: Date },
  ): Promise<SetRow<Asked>[]> {
    const { before, limit, now } = page;
    const found = await sql.query<{ id: string }>(
      `select b.id from ${this.tables.set} b
        where ($1::text[] is null or b.held <@ $1) and ($2::uuid is null or b.id < $2) and ($3::text is null or b.held = array[$3])
        group by b.id order by b.id desc limit $4`,
      [filter.held, before, filter.serviceId, limit],
    );
    const tokens = found.map(({ id }) => id);
    return this.#rows(sql, tokens, now);
  }

  // Primary key. The set's state is that of the project that is furthest behind.
  #rows(sql: Sql, tokens: readonly string[], now: Date): Promise<SetRow<Asked>[]> {
    const { set, further, done } = this.tables;
    const columns = further.map((name) => `, b.${name}`).join('');
    return sql.query(
      `
select b.id as token, b.filter, b.held, b.created_at as "createdAt", b.created_by as "createdBy",
       b.confirmed_at as "confirmedAt", b.confirmed_by as "confirmedBy"${columns},
       case when min(b.step) >= ${STEPS.act} then max(b.expires_at) end as "expiresAt",
       case when min(b.step) = ${STEPS.done} then max(b.done_at) end as "doneAt",
       case when min(b.step) = ${STEPS.find} then 'gathering' when min(b.step) < ${STEPS.act} then 'asking'
            when min(b.step) = ${STEPS.done} then 'done' when b.confirmed_at is not null then 'acting'
            when max(b.expires_at) <= $2 then 'expired' else 'ready' end as state,
       ${sumOf('found')} as found, ${sumOf(done)} as done, ${sumOf('deferred')} as deferred,
       json_build_object('done', ${sumOf('asked')}, 'of', ${sumOf('toAsk')}) as asked,
       (select coalesce(json_object_agg(c.code, c.sends), '{}')
          from (select e.key as code, sum(e.value::float8) as sends from ${set} o, jsonb_each_text(o.left_out) e
                 where o.id = b.id group by e.key) c) as "leftOut",
       min((b.counts->>'firstDueAt')::float8) as "firstDueAt", max((b.counts->>'lastDueAt')::float8) as "lastDueAt"
  from ${set} b where b.id = any($1)
 group by b.id, b.filter, b.held, b.created_at, b.created_by, b.confirmed_at, b.confirmed_by${columns}
 order by b.id desc`,
      [tokens, now],
    );
  }

  /** The sends that still wait in a set, in order of id, without those that are left out or done. Primary keys. */
  items(
    sql: Sql,
    token: string,
    filter: SetItemFilter,
    page: { readonly from: string | undefined; readonly limit: number },
  ): Promise<SetItem[]> {
    return sql.query(
      `select i.send, i.service_id as "serviceId", s.campaign, i.step, s.state, s.code
         from ${this.tables.item} i join send s on s.id = i.send
        where i.batch = $1 and ($2::uuid is null or i.send > $2)
          and ($3::text[] is null or s.state = any($3)) and ($4::text is null or s.code = $4)
        order by i.send limit $5`,
      [token, page.from, filter.state, filter.code, page.limit],
    );
  }

  /** Confirms a ready set, for all its projects. The dues are counted anew. False: it was confirmed before. */
  confirm(sql: Sql, token: string, now: Date, by: string): Promise<boolean> {
    return anyRow(
      sql,
      `
update ${this.tables.set} set confirmed_at = $2, confirmed_by = $3, next_at = clock_timestamp(),
       counts = counts - '{firstDueAt,lastDueAt,nextDueAt}'::text[]
 where id = $1 and confirmed_at is null returning id`,
      [token, now, by],
    );
  }

  // Index retry_batch_turn or resolve_batch_turn: in turns. SKIP LOCKED: two processes never wait for each other or do the same page.
  /** Leases a page for so many real milliseconds, of one set or of the one that has waited longest. `asks`: only of questions, or only of others. */
  claim(
    sql: Sql,
    leaseMs: number,
    only: string | undefined,
    asks: boolean | undefined,
  ): Promise<SetPart<Asked> | undefined> {
    const { set, further } = this.tables;
    const isQuestion = `step not in (${STEPS.find}, ${STEPS.act})`;
    const leaseEnd = `clock_timestamp() + $1::int * interval '1 millisecond'`;
    return firstRow(
      sql,
      `
update ${set} set lease = gen_random_uuid(),
       find_at = case when find_at is not null then ${leaseEnd} end,
       next_at = case when find_at is null then ${leaseEnd} end
 where (id, service_id) = (
   select id, service_id from ${set}
    where coalesce(find_at, next_at) <= (select clock_timestamp()) and ($2::uuid is null or id = $2) and (${isQuestion}) = coalesce($3, ${isQuestion})
    order by coalesce(find_at, next_at) limit 1 for update skip locked)
returning id as token, service_id as "serviceId", filter, created_at as "createdAt", coalesce(confirmed_by, created_by) as by,
          step, after_send as "afterSend", counts, left_out as "leftOut", lease${further.map((name) => `, ${name}`).join('')}`,
      [leaseMs, only, asks],
    );
  }

  // Primary key.
  /** From where the last page ended, in order of id. `named`: the filter names the send. */
  page(sql: Sql, part: SetPart, most: number): Promise<{ send: string; named: boolean }[]> {
    const { token, serviceId, step, afterSend } = part;
    if (step === STEPS.find) return findPage(sql, part, most);
    return sql.query(
      `
select send, true as named from ${this.tables.item}
 where batch = $1 and service_id = $2 and step = $3 and send > $4 order by send limit $5`,
      [token, serviceId, step, afterSend, most],
    );
  }

  // Sends that are left out or done leave the set. A preview can be confirmed for an hour, because it speaks of the present: night falls
  // and results come. Processes of any release may work off what is found, because no later step reads the filter.
  /** In the caller's transaction. Throws where the lease has ended and others go on: then nothing of the page may be kept. */
  async end(sql: Sql, part: SetPart, end: SetPageEnd): Promise<void> {
    const { set, item: items } = this.tables;
    const { token, serviceId, counts, leftOut, lease } = part;
    const { moves, step, afterSend, now, pauseMs } = end;
    const steps = [...moves.values()].map((to) => (typeof to === 'number' ? to : null));
    await sql.query(
      `
with gone as (delete from ${items} where batch = $1 and service_id = $2 and step = $3 and send = any($4::uuid[]))
insert into ${items} (batch, service_id, send, step)
select $1, $2, m.send, m.step from unnest($4::uuid[], $5::int[]) as m(send, step) where m.step < ${STEPS.done}`,
      [token, serviceId, part.step, [...moves.keys()], steps],
    );
    const turn = `clock_timestamp() + $9::float8 * interval '1 millisecond'`;
    const isOurs = await anyRow(
      sql,
      `
update ${set} set step = $4, after_send = $5, counts = $6, left_out = $7, lease = null,
       find_at = case when $4 = ${STEPS.find} then ${turn} end, next_at = case when $4 <> ${STEPS.find} then ${turn} end,
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
      ],
    );
    if (!isOurs) throw new Error('the lease of a page of a set was over before the page');
  }

  /** Wakes a process to go on with open sets; does not wait for it. */
  async wake(sql: Sql): Promise<void> {
    await sql.query('select pg_notify($1, $2)', [this.tables.channel, '']);
  }

  /** Deletes at most `batch` items of sets older than `before`, or else the sets, once no item is left; returns how many items. */
  async deleteOld(sql: Sql, before: Date, batch: number): Promise<number> {
    const { set, item: items } = this.tables;
    const gone = await sql.query(
      `delete from ${items} where ctid = any (array(
         select i.ctid from ${set} b join ${items} i on i.batch = b.id
          where b.created_at < $1 limit $2 for update of i skip locked)) returning 1 as gone`,
      [before, batch],
    );
    if (gone.length === 0) await sql.query(`delete from ${set} where created_at < $1`, [before]);
    return gone.length;
  }
}

// Index send_attention, whose condition is repeated here; by primary key where the sends are listed. A page looks at so many sends,
// whether the filter names them or not, so that no statement grows with the project. Sends that came to their state after the set
// was asked for are left to the next set, so that this one comes to an end.
function findPage(
  sql: Sql,
  { serviceId, filter, afterSend, createdAt }: SetPart,
  most: number,
): Promise<{ send: string; named: boolean }[]> {
  const { sends, states, deferred, ...asked } = filter;
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
  return sql.query(
    `select s.id as send, (s.state_at <= ${until} and ${named}) is true as named from send s
      where s.service_id = ${service} and s.needs_attention and s.id > ${after} and (${listed} is null or s.id = any(${listed}))
      order by s.id limit ${parameters.add(most, 'bigint')}`,
    parameters.all,
  );
}

/** Sets of retries. */
export const RETRY_TABLES: SetTables = {
  set: 'retry_batch',
  item: 'retry_item',
  further: [],
  channel: CHANNELS.retries,
  done: 'retried',
};

/** Sets of resolves, each with its resolution and the reason for it. */
export const RESOLVE_TABLES: SetTables = {
  set: 'resolve_batch',
  item: 'resolve_item',
  further: ['resolution', 'reason'],
  channel: CHANNELS.resolves,
  done: 'resolved',
};
