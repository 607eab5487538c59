// Named SQL of a service's end: first its mark, by which it is gone for everybody, then all that is its own, in steps
// that each take a bounded number of rows. A step is a transaction of its own and says whether there was anything.
import { rowsOf, type Sql } from '../../platform/database/database.js';
import { deleteOutcomes } from '../delivery/outcome.store.js';

/** Messages looked at in a step, and firings of theirs. */
const MESSAGES = 200;
const FIRINGS = 500;

/** Outcome rows, and users with their devices, of a step: some 100 ms. */
const OUTCOMES = 10_000;
const USERS = 1_000;

/** Small rows without others that hang on them. */
const ROWS = 1_000;

/** The id stays taken. Returns whether there was one. */
export async function markRemoved(sql: Sql, id: string, now: Date): Promise<boolean> {
  const rows = await rowsOf(
    sql,
    'UPDATE service SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL RETURNING id',
    [id, now],
  );
  return rows.length > 0;
}

/** What names its service, by an index each. */
const OWN = ['schedule', 'message', 'push_user', 'channel', 'quota_use', 'api_key'];

/** A service that was removed before, and of which something is there. */
export async function findRemains(sql: Sql, removedBefore: Date): Promise<string | undefined> {
  const left = OWN.map((table) => `EXISTS (SELECT FROM ${table} WHERE service_id = s.id)`);
  const [row] = await rowsOf<{ id: string }>(
    sql,
    `SELECT s.id FROM service s WHERE s.removed_at < $1 AND (${left.join(' OR ')}) LIMIT 1`,
    [removedBefore],
  );
  return row?.id;
}

type Step = (sql: Sql, serviceId: string) => Promise<boolean>;

/** In this order: schedules make no firings any more, and users take their places in channels along. */
export const REMOVAL_STEPS: readonly Step[] = [
  removeRows('schedule', 'id', ROWS),
  removeMessages,
  removeRows('push_user', 'key', USERS),
  removeRows('channel', 'id', ROWS),
  removeRows('quota_use', 'day', ROWS),
  removeRows('api_key', 'slot', ROWS),
];

/** `key` tells the service's rows from each other. */
function removeRows(table: string, key: string, most: number): Step {
  return async (sql, serviceId) => {
    const rows = await rowsOf(
      sql,
      `DELETE FROM ${table} WHERE service_id = $1
         AND ${key} = ANY(ARRAY(SELECT ${key} FROM ${table} WHERE service_id = $1 ORDER BY ${key} LIMIT ${most}))
       RETURNING 1`,
      [serviceId],
    );
    return rows.length > 0;
  };
}

/**
 * Outcomes have no reference that would take them along with their firings: they go before these, and chunks before them,
 * since whoever records an outcome needs its chunk.
 */
async function removeMessages(sql: Sql, serviceId: string): Promise<boolean> {
  const messages = await idsOf(
    sql,
    `SELECT id FROM message WHERE service_id = $1 ORDER BY id LIMIT ${MESSAGES} FOR UPDATE`,
    serviceId,
  );
  if (messages.length === 0) return false;
  const firings = await idsOf(
    sql,
    `SELECT id FROM firing WHERE message_id = ANY($1::uuid[]) LIMIT ${FIRINGS}`,
    messages,
  );
  if (firings.length === 0) {
    await sql.query('DELETE FROM message WHERE id = ANY($1::uuid[])', [messages]);
    return true;
  }
  await sql.query('DELETE FROM fan_out_chunk WHERE firing_id = ANY($1::bigint[])', [firings]);
  const outcomes = await rowsOf(sql, `${deleteOutcomes(OUTCOMES)} RETURNING 1`, [firings]);
  // Fewer than it may take: those were the last.
  if (outcomes.length < OUTCOMES)
    await sql.query('DELETE FROM firing WHERE id = ANY($1::bigint[])', [firings]);
  return true;
}

async function idsOf(sql: Sql, text: string, parameter: unknown): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(sql, text, [parameter]);
  return rows.map(({ id }) => id);
}
