// Named SQL of channels and memberships (push-interface.md §2.2, §4.2). An update or deletion of several is one statement: all or nothing.
import { rowsOf, type Sql } from '../../platform/database/database.js';
import type { Channel, ChannelList } from './channel-bodies.js';

export interface ChannelRow {
  readonly channelName: string;
  readonly channelDesc: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

const COLUMNS = `channel_name AS "channelName", channel_desc AS "channelDesc", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Returns false when the name is taken. */
export async function createChannel(
  sql: Sql,
  serviceId: string,
  channel: Channel,
  now: Date,
): Promise<boolean> {
  const rows = await rowsOf(
    sql,
    `INSERT INTO channel (service_id, channel_name, channel_desc, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (service_id, channel_name) DO NOTHING RETURNING id`,
    [serviceId, channel.channelName, channel.channelDesc ?? null, now],
  );
  return rows.length > 0;
}

/** Locks the named channels in the order of their names; returns those that exist. Inside a transaction. */
export async function lockChannels(sql: Sql, serviceId: string, names: readonly string[]): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    sql,
    `SELECT channel_name AS name FROM channel WHERE service_id = $1 AND channel_name = ANY($2::text[])
     ORDER BY channel_name FOR UPDATE`,
    [serviceId, names],
  );
  return rows.map((row) => row.name);
}

/** In the order given. A description that is not given stays as it is. */
export async function updateChannels(
  sql: Sql,
  serviceId: string,
  channels: readonly Channel[],
  now: Date,
): Promise<ChannelRow[]> {
  return rowsOf<ChannelRow>(
    sql,
    `WITH given AS (
       SELECT * FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS g(name, description, place)
     ), changed AS (
       UPDATE channel c SET channel_desc = coalesce(g.description, c.channel_desc), updated_at = $4
       FROM given g WHERE c.service_id = $1 AND c.channel_name = g.name
       RETURNING c.*, g.place
     )
     SELECT ${COLUMNS} FROM changed ORDER BY place`,
    [serviceId, channels.map((one) => one.channelName), channels.map((one) => one.channelDesc ?? null), now],
  );
}

/** strpos, not LIKE: `%` and `_` of the input are literals. */
export async function listChannels(sql: Sql, serviceId: string, query: ChannelList): Promise<ChannelRow[]> {
  return rowsOf<ChannelRow>(
    sql,
    `SELECT ${COLUMNS} FROM channel WHERE service_id = $1 AND strpos(channel_name, $2::text) > 0
     ORDER BY channel_name LIMIT $3::bigint OFFSET $4::bigint`,
    [serviceId, query.channelName ?? '', query.pageSize, query.pageSize * query.pageIndex],
  );
}

/** Memberships go with the channel, users stay. */
export async function deleteChannels(sql: Sql, serviceId: string, names: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM channel WHERE service_id = $1 AND channel_name = ANY($2::text[])', [
    serviceId,
    names,
  ]);
}

export interface MembershipFacts {
  readonly channelExists: boolean;
  readonly userExists: boolean;
}

const WHO = `who AS (
  SELECT (SELECT id FROM channel WHERE service_id = $1 AND channel_name = $2) AS channel_id,
         (SELECT key FROM push_user WHERE service_id = $1 AND user_id = $3) AS user_key)`;

const FOUND = `SELECT channel_id IS NOT NULL AS "channelExists", user_key IS NOT NULL AS "userExists" FROM who`;

/** Joining again changes nothing: the order of joining is that of the first time. */
export async function addMember(
  sql: Sql,
  serviceId: string,
  channelName: string,
  userId: string,
): Promise<MembershipFacts> {
  const [row] = await rowsOf<MembershipFacts>(
    sql,
    `WITH ${WHO}, joined AS (
       INSERT INTO channel_member (channel_id, user_key)
       SELECT channel_id, user_key FROM who WHERE channel_id IS NOT NULL AND user_key IS NOT NULL
       ON CONFLICT DO NOTHING)
     ${FOUND}`,
    [serviceId, channelName, userId],
  );
  return row ?? { channelExists: false, userExists: false };
}

/** Removing a user who is in no such channel changes nothing and is no error, as long as both exist. */
export async function removeMember(
  sql: Sql,
  serviceId: string,
  channelName: string,
  userId: string,
): Promise<MembershipFacts> {
  const [row] = await rowsOf<MembershipFacts>(
    sql,
    `WITH ${WHO}, gone AS (
       DELETE FROM channel_member m USING who WHERE m.channel_id = who.channel_id AND m.user_key = who.user_key)
     ${FOUND}`,
    [serviceId, channelName, userId],
  );
  return row ?? { channelExists: false, userExists: false };
}
