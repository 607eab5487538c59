// Named SQL of retention. Every statement takes a bounded number of rows, found by an index; rows that another holds are
// passed over, so that replicas share the work and nobody waits for it.
import { rowsOf, type Sql } from '../../platform/database/database.js';
import { deleteOutcomes } from '../delivery/outcome.store.js';

/** Firings of one round, and messages looked at in one. */
const FIRINGS = 200;
const MESSAGES = 500;

/** Outcome rows of one round: some 50 ms. */
export const OUTCOMES = 5_000;

/** The longest complete ones whose outcomes are still there (index firing_unswept), locked. Inside a transaction. */
export async function lockUnswept(sql: Sql, completeBefore: Date): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    sql,
    `SELECT id FROM firing WHERE state = 'FINISHED' AND NOT swept AND complete_at < $1
     ORDER BY complete_at LIMIT ${FIRINGS} FOR NO KEY UPDATE SKIP LOCKED`,
    [completeBefore],
  );
  return rows.map(({ id }) => id);
}

/**
 * Up to OUTCOMES rows become counts by the columns of a breakdown, in one statement: at no moment is a device counted
 * twice, or not at all. By the primary key. Returns how many rows went.
 */
export async function sumUpOutcomes(sql: Sql, firingIds: readonly string[]): Promise<number> {
  const [row] = await rowsOf<{ gone: number }>(
    sql,
    `WITH gone AS (
       ${deleteOutcomes(OUTCOMES)}
       RETURNING d.firing_id, d.outcome, coalesce(d.reason, '') AS reason, d.device_type, d.country, d.language, d.timezone
     ), kept AS (
       INSERT INTO outcome_count AS c (firing_id, outcome, reason, device_type, country, language, timezone, count)
       SELECT firing_id, outcome, reason, device_type, country, language, timezone, count(*)
       FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7
       ON CONFLICT (firing_id, outcome, reason, device_type, country, language, timezone)
         DO UPDATE SET count = c.count + excluded.count
     )
     SELECT count(*)::int AS gone FROM gone`,
    [firingIds],
  );
  return row?.gone ?? 0;
}

/** Nothing of them is left to sum up; what their devices were handed goes too. */
export async function markSwept(sql: Sql, firingIds: readonly string[]): Promise<void> {
  await sql.query(
    `WITH handed AS (DELETE FROM payload WHERE firing_id = ANY($1::bigint[]))
     UPDATE firing SET swept = true WHERE id = ANY($1::bigint[])`,
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
  const [row] = await rowsOf<MessagePage>(
    sql,
    `WITH page AS MATERIALIZED (
       SELECT id, state, complete_at FROM message WHERE id > $1::uuid AND id < $2::uuid ORDER BY id LIMIT ${MESSAGES}
     ), over AS MATERIALIZED (
       SELECT m.id FROM message m
       WHERE m.id IN (SELECT id FROM page WHERE state IN ('FINISHED', 'CANCELED', 'FAIL', 'STALE') AND complete_at < $3)
         AND NOT EXISTS (SELECT FROM firing f WHERE f.message_id = m.id
                         AND (f.state IN ('READY', 'SENDING') OR f.state = 'FINISHED' AND NOT f.swept))
       FOR UPDATE SKIP LOCKED
     ), removed AS (
       DELETE FROM message WHERE id IN (SELECT id FROM over) RETURNING id
     )
     SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS "lastId", (SELECT count(*)::int FROM page) AS looked,
            (SELECT count(*)::int FROM removed) AS removed`,
    [afterId, takenBefore, before],
  );
  return row ?? { lastId: null, looked: 0, removed: 0 };
}
