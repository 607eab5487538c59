// Named SQL of retention. Every statement takes a bounded number of rows, found by an index; rows that another holds are
// passed over, so that replicas share the work and nobody waits for it.
import type { Sql } from '../../platform/database/database.js';
import { deleteOutcomes } from '../delivery/outcome.store.js';

/** Firings of one round, and messages looked at in one. */
const FIRINGS = 200;
const MESSAGES = 500;

/** Outcome rows of one round: some 50 ms. */
export const OUTCOMES = 5_000;

/** The longest complete ones whose outcomes are still there (index firing_unswept), locked. Inside a transaction. */
export async function lockUnswept(sql: Sql, completeBefore: Date): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from firing where state = 'FINISHED' and not swept and complete_at < $1
     order by complete_at limit ${FIRINGS} for no key update skip locked`,
    [completeBefore],
  );
  return rows.map(({ id }) => id);
}

/**
 * Up to OUTCOMES rows become counts by the columns of a breakdown, in one statement: at no moment is a device counted
 * twice, or not at all. By the primary key. Returns how many rows went.
 */
export async function sumUpOutcomes(sql: Sql, firingIds: readonly string[]): Promise<number> {
  const [row] = await sql.query<{ gone: number }>(
    `with gone as (
       ${deleteOutcomes(OUTCOMES)}
       returning d.firing_id, d.outcome, coalesce(d.reason, '') as reason, d.device_type, d.country, d.language, d.timezone
     ), kept as (
       insert into outcome_count as c (firing_id, outcome, reason, device_type, country, language, timezone, count)
       select firing_id, outcome, reason, device_type, country, language, timezone, count(*)
       from gone group by 1, 2, 3, 4, 5, 6, 7
       on conflict (firing_id, outcome, reason, device_type, country, language, timezone)
         do update set count = c.count + excluded.count
     )
     select count(*)::int as gone from gone`,
    [firingIds],
  );
  return row?.gone ?? 0;
}

/** Nothing of them is left to sum up; what their devices were handed goes too. */
export async function markSwept(sql: Sql, firingIds: readonly string[]): Promise<void> {
  await sql.query(
    `with handed as (delete from payload where firing_id = any($1::bigint[]))
     update firing set swept = true where id = any($1::bigint[])`,
    [firingIds],
  );
}

export interface MessagePage {
  /** The last looked at; null when there was none. */
  readonly lastId: string | null;
  readonly looked: number;
  readonly removed: number;
}

/**
 * Looks through the next messages in order of their ids, which is that of their taking, and removes those that were final
 * by `before`, with their firings and all that hangs on these. One whose outcomes are still there waits for them to go.
 */
export async function removeMessages(
  sql: Sql,
  afterId: string,
  takenBefore: string,
  before: Date,
): Promise<MessagePage> {
  const [row] = await sql.query<MessagePage>(
    `with page as materialized (
       select id, state, complete_at from message where id > $1::uuid and id < $2::uuid order by id limit ${MESSAGES}
     ), over as materialized (
       select m.id from message m
       where m.id in (select id from page where state in ('FINISHED', 'CANCELED', 'FAIL', 'STALE') and complete_at < $3)
         and not exists (select from firing f where f.message_id = m.id
                         and (f.state in ('READY', 'SENDING') or f.state = 'FINISHED' and not f.swept))
       for update skip locked
     ), removed as (
       delete from message where id in (select id from over) returning id
     )
     select (select id from page order by id desc limit 1) as "lastId", (select count(*)::int from page) as looked,
            (select count(*)::int from removed) as removed`,
    [afterId, takenBefore, before],
  );
  return row ?? { lastId: null, looked: 0, removed: 0 };
}
