// The users' offsets that the push service answered, kept for a time: of single users, and counted over a service or a channel. Every
// read and write is one statement for many ids.
import { insertRows } from '../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

/** At most this many ids in one statement. */
const AT_ONCE = 10_000;

/** The rows of $1's ids $2 that were looked up at $3 or later. By primary key. */
const KNOWN = `from registered_offset
        where service_id = $1 and user_id = any($2::text[]) and looked_up_at >= to_timestamp($3::float8 / 1000)`;

export interface RegisteredOffset {
  readonly userId: string;
  /** False: the push service knows no such user. */
  readonly isUser: boolean;
  /** null: it knows no offset of the user, or no such user. */
  readonly offsetSeconds: number | null;
}

export interface KnownOffsets {
  /** By userId. */
  readonly offsets: ReadonlyMap<string, number | null>;
  /** How many of them the push service does not know. */
  readonly unknownUsers: number;
}

/** The ids that were looked up at `since` or later, with their offsets. */
export async function readOffsets(
  sql: Sql,
  serviceId: string,
  userIds: readonly string[],
  since: EpochMs,
): Promise<KnownOffsets> {
  const offsets = new Map<string, number | null>();
  let unknownUsers = 0;
  for (let first = 0; first < userIds.length; first += AT_ONCE) {
    const rows = await sql.query<RegisteredOffset>(
      `select user_id as "userId", is_user as "isUser", offset_seconds as "offsetSeconds" ${KNOWN}`,
      [serviceId, userIds.slice(first, first + AT_ONCE), since],
    );
    for (const { userId, isUser, offsetSeconds } of rows) {
      offsets.set(userId, offsetSeconds);
      if (!isUser) unknownUsers += 1;
    }
  }
  return { offsets, unknownUsers };
}

/** How many of the ids were looked up at `since` or later. One statement. */
export async function countOffsets(
  sql: Sql,
  serviceId: string,
  userIds: readonly string[],
  since: EpochMs,
): Promise<number> {
  const row = await firstRow<{ count: number }>(sql, `select count(*)::integer as count ${KNOWN}`, [
    serviceId,
    userIds,
    since,
  ]);
  return row?.count ?? 0;
}

/** Writes in order of id, so that two writers never deadlock. A newer answer replaces the older. No id may occur twice. */
export async function writeOffsets(
  sql: Sql,
  serviceId: string,
  offsets: readonly RegisteredOffset[],
  at: EpochMs,
): Promise<void> {
  await insertRows(sql, {
    table: 'registered_offset',
    columns: 'service_id text, user_id text, is_user boolean, offset_seconds int, looked_up_at timestamptz',
    rows: offsets
      .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
      .map((offset) => ({ ...offset, serviceId, lookedUpAt: at })),
    ending: `on conflict (service_id, user_id)
             do update set is_user = excluded.is_user, offset_seconds = excluded.offset_seconds,
                           looked_up_at = excluded.looked_up_at`,
  });
}

export interface OffsetCount {
  readonly offsetSeconds: number;
  readonly users: number;
}

export interface CensusRow {
  readonly offsets: readonly OffsetCount[];
  readonly lookedUpAt: EpochMs;
}

/** The last answer, if it came at `since` or later. */
export function readCensus(
  sql: Sql,
  serviceId: string,
  channelName: string | null,
  since: EpochMs,
): Promise<CensusRow | undefined> {
  return firstRow(
    sql,
    `select offsets, extract(epoch from looked_up_at)::float8 * 1000 as "lookedUpAt" from offset_census
      where service_id = $1 and channel_name is not distinct from $2 and looked_up_at >= to_timestamp($3::float8 / 1000)`,
    [serviceId, channelName, since],
  );
}

export async function writeCensus(
  sql: Sql,
  { serviceId, channelName }: { serviceId: string; channelName: string | null },
  offsets: readonly OffsetCount[],
  at: EpochMs,
): Promise<void> {
  await sql.query(
    `insert into offset_census (service_id, channel_name, offsets, looked_up_at)
     values ($1, $2, $3, to_timestamp($4::float8 / 1000))
     on conflict (service_id, channel_name)
     do update set offsets = excluded.offsets, looked_up_at = excluded.looked_up_at`,
    [serviceId, channelName, JSON.stringify(offsets), at],
  );
}
