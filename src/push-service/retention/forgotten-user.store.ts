// Named SQL that forgets deleted users: a pass over the messages of a service, one page at a time.
import { v7 } from 'uuid';
import { firstRow, type Sql } from '../../platform/database/database.js';

/**
 * For so long the deleted users of a service gather for one pass. Users whom a message still needs wait as long again.
 * Milliseconds.
 */
export const FORGET_AFTER_MS = 86_400_000;
/** The messages of a page. The request of a message may have a megabyte. */
export const PAGE = 200;

export interface Pass {
  readonly serviceId: string;
  /** The pass looks for users who were deleted until then. */
  readonly until: Date;
  afterId: string;
  /** The users whom a message names that is not final. */
  readonly needed: Set<string>;
}

/** A service with deleted users who are due (index forgotten_user_due). */
export async function nextToForget(sql: Sql, now: Date): Promise<string | undefined> {
  const row = await firstRow<{ serviceId: string }>(
    sql,
    'select service_id as "serviceId" from forgotten_user where due_at <= $1 order by due_at limit 1',
    [now],
  );
  return row?.serviceId;
}

interface ForgottenPage {
  readonly lastId: string | null;
  readonly looked: number;
  readonly needed: readonly string[];
}

/**
 * Index message_service. Compares the names in a message's target, not its text. It waits for rows that another process has
 * locked: only a removal changes a final message.
 */
export async function forgetPage(sql: Sql, { serviceId, until, afterId }: Pass): Promise<ForgottenPage> {
  const takenBefore = v7({ msecs: until.getTime(), random: new Uint8Array(16).fill(255), seq: 0xffffffff });
  const [page] = await sql.query<ForgottenPage>(
    `with page as materialized (
       select id, state, request, requested_at from message
        where service_id = $1 and id > $2::uuid and id <= $3::uuid order by id limit ${PAGE}
     ), named as materialized (
       select p.id, p.state in ('FINISHED', 'CANCELED', 'FAIL', 'STALE') as final, f.user_id, f.pseudonym
         from page p
         cross join lateral (select distinct name from jsonb_array_elements_text(
           case when p.request::jsonb #>> '{target,type}' = 'USER' then p.request::jsonb #> '{target,to}' else '[]'::jsonb end) as t(name)) t
         join forgotten_user f on f.service_id = $1 and f.user_id = t.name and f.deleted_at >= p.requested_at
        where f.deleted_at <= $4
     ), renamed as (
       update message m
          set request = jsonb_set(m.request::jsonb, '{target,to}', (
                select jsonb_agg(coalesce('deleted-' || n.pseudonym, t.name) order by t.place)
                  from jsonb_array_elements_text(m.request::jsonb #> '{target,to}') with ordinality as t(name, place)
                  left join named n on n.id = m.id and n.user_id = t.name))::text
        where m.id in (select id from named where final)
     )
     select (select id from page order by id desc limit 1) as "lastId", (select count(*)::int from page) as looked,
            coalesce((select array_agg(distinct user_id) from named where not final), '{}') as needed`,
    [serviceId, afterId, takenBefore, until],
  );
  return page ?? { lastId: null, looked: 0, needed: [] };
}

/** Ends the pass: forgets the users whom no message needs, and looks for the others again later. */
export async function endPass(sql: Sql, { serviceId, until, needed }: Pass, again: Date): Promise<void> {
  await sql.query(
    `with kept as (
       update forgotten_user set due_at = $4 where service_id = $1 and deleted_at <= $2 and user_id = any($3::text[])
     )
     delete from forgotten_user where service_id = $1 and deleted_at <= $2 and user_id <> all($3::text[])`,
    [serviceId, until, [...needed], again],
  );
}
