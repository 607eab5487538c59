// Named SQL of the removal of a service. First the service is marked as removed: from then on nobody finds it. Then its rows are
// deleted in steps, each with a bounded number of rows. A step is a transaction of its own and returns whether there was
// anything.
import { anyRow, type Sql } from '../../platform/database/database.js';

/** The most messages of a step, and the most firings. */
const MESSAGES = 200;
const FIRINGS = 200;

/** The most outcome rows of a step, and the most users with their devices: some 100 ms. */
const OUTCOMES = 10_000;
const USERS = 1_000;

/** The most rows of a step that nothing depends on. */
const ROWS = 1_000;

/** The id stays taken. Returns whether there was such a service. */
export function markRemoved(sql: Sql, id: string, now: Date): Promise<boolean> {
  return anyRow(sql, 'update service set removed_at = $2 where id = $1 and removed_at is null returning id', [
    id,
    now,
  ]);
}

type Step = (sql: Sql, serviceId: string) => Promise<boolean>;

/**
 * The tables that name their service, in the order of removal; each has an index for it. Credentials go first, schedules go
 * before they make further firings, and users with their memberships go before the channels.
 */
const STEP_OF: Readonly<Record<string, Step>> = {
  provider_credential: removeRows('provider_credential', 'kind', ROWS),
  schedule: removeRows('schedule', 'id', ROWS),
  message: removeMessages,
  push_user: removeRows('push_user', 'key', USERS),
  forgotten_user: removeRows('forgotten_user', 'user_id', ROWS),
  channel: removeRows('channel', 'id', ROWS),
  quota_use: removeRows('quota_use', 'day', ROWS),
  api_key: removeRows('api_key', 'slot', ROWS),
};
export const REMOVAL_STEPS: readonly Step[] = Object.values(STEP_OF);

/** A service that was removed before then and still has rows. */
export async function findRemains(sql: Sql, removedBefore: Date): Promise<string | undefined> {
  const left = Object.keys(STEP_OF).map((table) => `exists (select from ${table} where service_id = s.id)`);
  const [row] = await sql.query<{ id: string }>(
    `select s.id from service s where s.removed_at < $1 and (${left.join(' or ')}) limit 1`,
    [removedBefore],
  );
  return row?.id;
}

/** `key` is unique among the service's rows. */
function removeRows(table: string, key: string, most: number): Step {
  return (sql, serviceId) => {
    const page = `select ${key} from ${table} where service_id = $1 order by ${key} limit ${most}`;
    const text = `delete from ${table} where service_id = $1 and ${key} = any(array(${page})) returning 1`;
    return anyRow(sql, text, [serviceId]);
  };
}

/**
 * Deletes chunks first, because recording an outcome needs its chunk. Then outcomes, because no foreign key deletes them with
 * their firings. Then firings, and at last the messages.
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
  // It deleted fewer than it may, so those were the last.
  if (deleted !== undefined && deleted.gone < OUTCOMES)
    await sql.query('delete from firing where id = any($1::bigint[])', [firings]);
  return true;
}

async function idsOf(sql: Sql, text: string, parameter: unknown): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(text, [parameter]);
  return rows.map(({ id }) => id);
}
