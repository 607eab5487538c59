// Named SQL of a service's end: first its mark, by which it is gone for everybody, then all that is its own, in steps
// that each take a bounded number of rows. A step is a transaction of its own and says whether there was anything.
import { anyRow, type Sql } from '../../platform/database/database.js';

/** Messages looked at in a step, and firings of theirs. */
const MESSAGES = 200;
const FIRINGS = 200;

/** Outcome rows, and users with their devices, of a step: some 100 ms. */
const OUTCOMES = 10_000;
const USERS = 1_000;

/** Small rows without others that hang on them. */
const ROWS = 1_000;

/** The id stays taken. Returns whether there was one. */
export function markRemoved(sql: Sql, id: string, now: Date): Promise<boolean> {
  return anyRow(sql, 'update service set removed_at = $2 where id = $1 and removed_at is null returning id', [
    id,
    now,
  ]);
}

/** What names its service, by an index each. */
const OWN = ['provider_credential', 'schedule', 'message', 'push_user', 'channel', 'quota_use', 'api_key'];

/** A service that was removed before, and of which something is there. */
export async function findRemains(sql: Sql, removedBefore: Date): Promise<string | undefined> {
  const left = OWN.map((table) => `exists (select from ${table} where service_id = s.id)`);
  const [row] = await sql.query<{ id: string }>(
    `select s.id from service s where s.removed_at < $1 and (${left.join(' OR ')}) limit 1`,
    [removedBefore],
  );
  return row?.id;
}

type Step = (sql: Sql, serviceId: string) => Promise<boolean>;

/** In this order: no key lies about, schedules make no firings any more, and users take their places in channels along. */
export const REMOVAL_STEPS: readonly Step[] = [
  removeRows('provider_credential', 'kind', ROWS),
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
    const rows = await sql.query(
      `delete from ${table} where service_id = $1
         and ${key} = any(array(select ${key} from ${table} where service_id = $1 order by ${key} limit ${most}))
       returning 1`,
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
    `select id from message where service_id = $1 order by id limit ${MESSAGES} for update`,
    serviceId,
  );
  if (messages.length === 0) return false;
  const firings = await idsOf(
    sql,
    `select id from firing where message_id = any($1::uuid[]) limit ${FIRINGS}`,
    messages,
  );
  if (firings.length === 0) {
    await sql.query('delete from message where id = any($1::uuid[])', [messages]);
    return true;
  }
  await sql.query('delete from fan_out_chunk where firing_id = any($1::bigint[])', [firings]);
  const [deleted] = await sql.query<{ gone: number }>('select delete_outcomes($1::bigint[], $2) as gone', [
    firings,
    OUTCOMES,
  ]);
  // Fewer than it may take: those were the last.
  if (deleted !== undefined && deleted.gone < OUTCOMES)
    await sql.query('delete from firing where id = any($1::bigint[])', [firings]);
  return true;
}

async function idsOf(sql: Sql, text: string, parameter: unknown): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(text, [parameter]);
  return rows.map(({ id }) => id);
}
