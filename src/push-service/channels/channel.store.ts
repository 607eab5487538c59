// Named SQL of channels and memberships (push-interface.md §2.2, §4.2).
import { anyRow, firstRow, type Sql } from '../../platform/database/database.js';
import type { ChannelView, RowOf } from '../gateway/answers.js';
import type { Channel, ChannelList } from './channel-bodies.js';

type ChannelRow = RowOf<ChannelView>;

const COLUMNS = `channel_name as "channelName", channel_desc as "channelDesc", created_at as "createTime", updated_at as "updateTime"`;

/** Returns false when the name is taken. */
export function createChannel(sql: Sql, serviceId: string, channel: Channel, now: Date): Promise<boolean> {
  return anyRow(
    sql,
    `insert into channel (service_id, channel_name, channel_desc, created_at) values ($1, $2, $3, $4)
     on conflict (service_id, channel_name) do nothing returning id`,
    [serviceId, channel.channelName, channel.channelDesc ?? null, now],
  );
}

/** Locks the named channels in the order of their names. Returns the names of those that exist. Call it inside a transaction. */
export async function lockChannels(sql: Sql, serviceId: string, names: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `select channel_name as name from channel where service_id = $1 and channel_name = any($2::text[])
     order by channel_name for update`,
    [serviceId, names],
  );
  return rows.map((row) => row.name);
}

/** Returns the channels in the order given. A description that is not given stays as it is. */
export async function updateChannels(
  sql: Sql,
  serviceId: string,
  channels: readonly Channel[],
  now: Date,
): Promise<ChannelRow[]> {
  return sql.query<ChannelRow>(
    `with given as (
       select * from unnest($2::text[], $3::text[]) with ordinality as g(name, description, place)
     ), changed as (
       update channel c set channel_desc = coalesce(g.description, c.channel_desc), updated_at = $4
       from given g where c.service_id = $1 and c.channel_name = g.name
       returning c.*, g.place
     )
     select ${COLUMNS} from changed order by place`,
    [serviceId, channels.map((one) => one.channelName), channels.map((one) => one.channelDesc ?? null), now],
  );
}

/** Uses strpos, not LIKE, so that `%` and `_` of the input are literals. */
export async function listChannels(sql: Sql, serviceId: string, query: ChannelList): Promise<ChannelRow[]> {
  return sql.query<ChannelRow>(
    `select ${COLUMNS} from channel where service_id = $1 and strpos(channel_name, $2::text) > 0
     order by channel_name limit $3::bigint offset $4::bigint`,
    [serviceId, query.channelName ?? '', query.pageSize, query.pageSize * query.pageIndex],
  );
}

/** Memberships are deleted with the channel; users stay. */
export async function deleteChannels(sql: Sql, serviceId: string, names: readonly string[]): Promise<void> {
  await sql.query('delete from channel where service_id = $1 and channel_name = any($2::text[])', [
    serviceId,
    names,
  ]);
}

export interface MembershipFacts {
  readonly channelExists: boolean;
  readonly userExists: boolean;
}

const CHANGES = {
  /** Joining again changes nothing: the order of joining stays that of the first time. */
  add: `insert into channel_member (channel_id, user_key)
          select channel_id, user_key from who where channel_id is not null and user_key is not null
          on conflict do nothing`,
  /** Leaving a channel that the user is not in changes nothing. */
  remove: `delete from channel_member m using who where m.channel_id = who.channel_id and m.user_key = who.user_key`,
} as const;

/** Changes nothing where the channel or the user does not exist. Returns which of them exists. */
export async function changeMember(
  sql: Sql,
  how: keyof typeof CHANGES,
  { serviceId, channelName, userId }: { serviceId: string; channelName: string; userId: string },
): Promise<MembershipFacts> {
  const row = await firstRow<MembershipFacts>(
    sql,
    `with who as (
       select (select id from channel where service_id = $1 and channel_name = $2) as channel_id,
              (select key from push_user where service_id = $1 and user_id = $3) as user_key
     ), changed as (${CHANGES[how]})
     select channel_id is not null as "channelExists", user_key is not null as "userExists" from who`,
    [serviceId, channelName, userId],
  );
  return row ?? { channelExists: false, userExists: false };
}
