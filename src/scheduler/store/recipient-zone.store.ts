// The directory of users' zones (planning.md §2): what publishers said, over HTTP or Kafka. What was said before loses.
import { insertRows } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

/** At most this many ids in one statement. */
const AT_ONCE = 10_000;

/** The zones of those ids that the directory knows. By the primary key. */
export async function readZones(
  sql: Sql,
  serviceId: string,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (let first = 0; first < userIds.length; first += AT_ONCE) {
    const rows = await sql.query<{ userId: string; zone: string }>(
      `select user_id as "userId", zone from recipient_zone
        where service_id = $1 and user_id = any($2::text[]) and zone is not null`,
      [serviceId, userIds.slice(first, first + AT_ONCE)],
    );
    for (const { userId, zone } of rows) known.set(userId, zone);
  }
  return known;
}

export interface SaidZone {
  readonly serviceId: string;
  readonly userId: string;
  /** Null: the directory knows none any more. */
  readonly zone: string | null;
  readonly saidAt: EpochMs;
}

/**
 * Writes what was said, unless something newer was said before; of two of one instant the later to come counts. No user may occur
 * twice. In order of the ids, so that two writers never deadlock. Returns how many were written.
 */
export async function writeZones(sql: Sql, said: readonly SaidZone[]): Promise<number> {
  const order = ({ serviceId, userId }: SaidZone): string => `${serviceId}\0${userId}`;
  const rows = await insertRows(sql, {
    table: 'recipient_zone',
    columns: 'user_id text, service_id text, zone text, said_at timestamptz',
    rows: said.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)),
    ending: `on conflict (service_id, user_id) do update set zone = excluded.zone, said_at = excluded.said_at
              where recipient_zone.said_at <= excluded.said_at returning 1`,
  });
  return rows.length;
}

/** Deletes at most `batch` marks of zones that were taken away before then. */
export async function deleteGoneZones(sql: Sql, before: Date, batch: number): Promise<number> {
  const rows = await sql.query(
    `delete from recipient_zone where ctid = any (array(
       select ctid from recipient_zone where zone is null and said_at < $1 order by said_at limit $2 for update skip locked)) returning 1`,
    [before, batch],
  );
  return rows.length;
}
