// Named SQL of retention. Every statement finds a bounded number of rows by an index. It passes over rows that another process
// holds, so that replicas share the work and nobody waits for it.
import type { Sql } from '../../platform/database/database.js';
import type { Finding } from '../../platform/http/health.js';

/** How many messages a round examines. */
const MESSAGES = 500;

/** How many outcomes a round sums up: about 50 ms. */
const OUTCOMES = 10_000;

/** Sums up a page of the outcomes of complete firings. Returns how many rows the page had; 0: nothing is left. */
export async function sumOutcomes(sql: Sql, most = OUTCOMES): Promise<number> {
  const [row] = await sql.query<{ rows: number }>('select sum_outcomes($1) as rows', [most]);
  return row?.rows ?? 0;
}

export interface OldDay {
  readonly parent: string;
  readonly name: string;
}

/**
 * The partitions of days that ended by then, oldest first. It leaves out a day if a firing of that day or an earlier one is not
 * complete or not summed up (indexes firing_ready, firing_unsummed).
 */
export function oldDays(sql: Sql, endedBy: Date): Promise<OldDay[]> {
  return sql.query<OldDay>(
    `select p.parent, p.name from day_partition p
      where p.high <= $1 and not p.is_going
        and not exists (select from firing f where f.id < firing_floor(p.high) and f.state = 'READY')
        and not exists (select from firing f where f.id < firing_floor(p.high) and f.state in ('SENDING', 'FINISHED') and not f.summed)
      order by p.low, p.parent`,
    [endedBy],
  );
}

export interface StuckDays {
  readonly days: number;
  /** The oldest such day as YYYY-MM-DD; null when there is none. */
  readonly oldest: string | null;
  /** Firings up to the end of that day that are not complete, and firings that are not summed up. */
  readonly underWay: number;
  readonly notSummed: number;
}

/** Counts firings up to the end of the oldest stuck day, and stops at 10 000. */
const countOf = (which: string): string =>
  `(select count(*)::int from (select from firing f where f.id < firing_floor(d.oldest_high) and (${which}) limit 10000) c)`;

/** Days that ended by then and still exist, whatever they wait for (indexes firing_ready, firing_unsummed). */
export async function stuckDays(sql: Sql, endedBy: Date): Promise<StuckDays> {
  const [row] = await sql.query<StuckDays>(
    `select d.days, to_char(d.oldest_low, 'YYYY-MM-DD') as oldest,
            ${countOf("f.state = 'READY' or f.state = 'SENDING' and not f.summed")} as "underWay",
            ${countOf("f.state = 'FINISHED' and not f.summed")} as "notSummed"
       from (select count(distinct p.low)::int as days, min(p.low) as oldest_low, min(p.high) as oldest_high
               from day_partition p where p.high <= $1 and p.low > '-infinity' and not p.is_going) d`,
    [endedBy],
  );
  return row ?? { days: 0, oldest: null, underWay: 0, notSummed: 0 };
}

/** Says what holds the days up; undefined when there are none. */
export function stuckFinding({ days, oldest, underWay, notSummed }: StuckDays): Finding {
  if (days === 0) return undefined;
  const left =
    underWay + notSummed === 0
      ? 'the next rounds of the loop sweep drop it'
      : `${underWay} of its firings are under way, ${notSummed} not summed up: see the loops and the provider credentials`;
  return `${days} days of outcomes should be dropped and are not, the oldest ${oldest ?? ''}: ${left}`;
}

/** How many devices a round removes. Each is removed from three indexes. */
const DEVICES = 1_000;

/** Removes devices that a provider called gone before then, oldest first (index device_gone). Returns how many. */
export async function removeGoneDevices(sql: Sql, goneBefore: Date): Promise<number> {
  const rows = await sql.query(
    `with gone as materialized (
       select id from device where not active and updated_at < $1 order by updated_at limit ${DEVICES} for update skip locked
     )
     delete from device d using gone where d.id = gone.id returning 1`,
    [goneBefore],
  );
  return rows.length;
}

/** Removes the quota use of earlier days. It scans the table, which has one row for a service and day. Returns how many. */
export async function removeQuotaDays(sql: Sql, before: Date): Promise<number> {
  return (await sql.query('delete from quota_use where day < $1::timestamptz::date returning 1', [before]))
    .length;
}

/** How many signed requests a round removes. */
const SIGNED = 50_000;

/**
 * Removes requests that were seen before then: their signatures are no longer valid. Scans a table of some minutes. Returns how
 * many.
 */
export async function removeSigned(sql: Sql, seenBefore: Date): Promise<number> {
  const rows = await sql.query(
    `delete from signed_request where hash = any(array(
       select hash from signed_request where seen_at < $1 limit ${SIGNED} for update skip locked)) returning 1`,
    [seenBefore],
  );
  return rows.length;
}

export interface MessagePage {
  /** The last message that was examined; null when there was none. */
  readonly lastId: string | null;
  readonly looked: number;
  readonly removed: number;
}

/**
 * Examines the next messages in order of id, which is the order in which they were taken. Removes messages that were final by
 * `before`, with their firings and everything that belongs to those. A message whose outcomes are still kept, from the day of
 * `outcomesFrom` on, stays until they are dropped.
 */
export async function removeMessages(
  sql: Sql,
  afterId: string,
  takenBefore: string,
  { before, outcomesFrom }: { readonly before: Date; readonly outcomesFrom: Date },
): Promise<MessagePage> {
  const [row] = await sql.query<MessagePage>(
    `with page as materialized (
       select id, state, complete_at from message where id > $1::uuid and id < $2::uuid order by id limit ${MESSAGES}
     ), over as materialized (
       select m.id from message m
       where m.id in (select id from page where state in ('FINISHED', 'CANCELED', 'FAIL', 'STALE') and complete_at < $3)
         and not exists (select from firing f where f.message_id = m.id
                         and (f.state in ('READY', 'SENDING')
                              or f.state = 'FINISHED' and (not f.summed or f.id >= firing_floor($4))))
       for update skip locked
     ), removed as (
       delete from message where id in (select id from over) returning id
     )
     select (select id from page order by id desc limit 1) as "lastId", (select count(*)::int from page) as looked,
            (select count(*)::int from removed) as removed`,
    [afterId, takenBefore, before, outcomesFrom],
  );
  return row ?? { lastId: null, looked: 0, removed: 0 };
}
