// Named SQL of users and devices (push-interface.md §2.1). Every statement is one round trip and a transaction of its own.
import type { RowOf, TimezoneCount, UserTimezone, UserView } from '../gateway/answers.js';
import { anyRow, firstRow, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import { FORGET_AFTER_MS } from '../retention/forgotten-user.store.js';
import type { CountPage } from '../gateway/fields.js';
import { keptToken, type Registration } from './user-registration.js';

// One statement with the user before the device. So if two registrations have one token, one waits for the other without a
// deadlock.
const REGISTER = prepared(`
  with named as (
    select id from channel where service_id = $1 and channel_name = $2::text
  ), kept as (
    insert into push_user as u (service_id, user_id, country, language, timezone, notification_agreement,
      ad_agreement, night_ad_agreement, notification_agreement_time, ad_agreement_time, night_ad_agreement_time,
      created_at, updated_at)
    select $1, $3, $4, $5, $6::int, $7::bool, $8::bool, $9::bool, case when $7::bool then $12::timestamptz end,
      case when $8::bool then $12::timestamptz end, case when $9::bool then $12::timestamptz end, $12, $12
    where $2::text is null or exists (select from named)
    on conflict (service_id, user_id) do update set
      country = excluded.country, language = excluded.language, timezone = excluded.timezone,
      notification_agreement = excluded.notification_agreement, ad_agreement = excluded.ad_agreement,
      night_ad_agreement = excluded.night_ad_agreement,
      notification_agreement_time = case when excluded.notification_agreement and not u.notification_agreement
        then excluded.updated_at else u.notification_agreement_time end,
      ad_agreement_time = case when excluded.ad_agreement and not u.ad_agreement
        then excluded.updated_at else u.ad_agreement_time end,
      night_ad_agreement_time = case when excluded.night_ad_agreement and not u.night_ad_agreement
        then excluded.updated_at else u.night_ad_agreement_time end,
      updated_at = excluded.updated_at
    returning u.key
  ), owned as (
    insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
    select $1, key, $10, $11::text, sha256(convert_to($11::text, 'UTF8')), $12, $12 from kept
    on conflict (service_id, token_hash) do update set user_key = excluded.user_key,
      device_type = excluded.device_type, active = true, updated_at = excluded.updated_at
  ), joined as (
    insert into channel_member (channel_id, user_key) select named.id, kept.key from named, kept
    on conflict do nothing
  )
  select exists (select from kept) as registered`);

/**
 * Creates or updates user, device and membership. Does nothing and returns false when the channel does not exist. Sets the time
 * of a consent when the consent changes from false to true, and at the first registration if it is true.
 */
export async function registerUser(
  sql: Sql,
  serviceId: string,
  given: Registration,
  now: Date,
): Promise<boolean> {
  const [row] = await sql.query<{ registered: boolean }>(REGISTER, [
    serviceId,
    given.channelName ?? null,
    given.userId,
    given.country,
    given.language,
    given.timezone,
    given.isNotificationAgreement,
    given.isAdAgreement,
    given.isNightAdAgreement,
    given.deviceType,
    keptToken(given),
    now,
  ]);
  return row?.registered ?? false;
}

/** The user, with the channel that the user joined last and the active devices, oldest first. */
export function findUser(sql: Sql, serviceId: string, userId: string): Promise<RowOf<UserView> | undefined> {
  return firstRow<RowOf<UserView>>(
    sql,
    `select u.user_id as "userId", u.country, u.language, u.timezone,
            (select c.channel_name from channel_member m join channel c on c.id = m.channel_id
             where m.user_key = u.key order by m.joined desc limit 1) as "channelName",
            u.notification_agreement as "notificationAgreement", u.ad_agreement as "adAgreement",
            u.night_ad_agreement as "nightAdAgreement",
            u.notification_agreement_time as "notificationAgreementTime", u.ad_agreement_time as "adAgreementTime",
            u.night_ad_agreement_time as "nightAdAgreementTime", u.created_at as "createTime",
            u.updated_at as "updateTime",
            coalesce((select json_agg(json_build_object('deviceType', d.device_type, 'deviceToken', d.device_token)
                      order by d.id) from device d where d.service_id = u.service_id and d.user_key = u.key and d.active), '[]'::json) as devices
     from push_user u where u.service_id = $1 and u.user_id = $2`,
    [serviceId, userId],
  );
}

/**
 * Deletes the user with devices and memberships. Messages that name the user get a pseudonym later (retention/forget-users.ts).
 * Returns whether there was such a user.
 */
export function deleteUser(sql: Sql, serviceId: string, userId: string, now: Date): Promise<boolean> {
  return anyRow(
    sql,
    `with gone as (
       delete from push_user where service_id = $1 and user_id = $2 returning user_id
     )
     insert into forgotten_user (service_id, user_id, deleted_at, due_at)
     select $1, user_id, $3::timestamptz, $4::timestamptz from gone
     on conflict (service_id, user_id) do update set deleted_at = excluded.deleted_at
     returning 1 as deleted`,
    [serviceId, userId, now, new Date(now.getTime() + FORGET_AFTER_MS)],
  );
}

/** Extension `user-timezones`. The users who exist, in order of id. Uses the unique key of a user's id. */
export function timezonesOf(
  sql: Sql,
  serviceId: string,
  userIds: readonly string[],
): Promise<UserTimezone[]> {
  return sql.query<UserTimezone>(
    `select user_id as "userId", timezone from push_user
      where service_id = $1 and user_id = any($2::text[]) order by user_id`,
    [serviceId, userIds],
  );
}

/** Extension `target-timezone`. Reads every user of the service, or of the channel (index push_user_timezone). */
export async function countTimezones(
  sql: Sql,
  serviceId: string,
  { channelName, pageSize, pageIndex }: CountPage & { readonly channelName?: string | undefined },
): Promise<TimezoneCount[]> {
  return sql.query<TimezoneCount>(
    `select u.timezone, count(distinct u.key)::int as users, count(d.id)::int as devices
     from push_user u left join device d on d.service_id = u.service_id and d.user_key = u.key and d.active
     where u.service_id = $1 and ($2::text is null or exists (
       select from channel_member m join channel c on c.id = m.channel_id
       where m.user_key = u.key and c.service_id = $1 and c.channel_name = $2::text))
     group by u.timezone order by u.timezone limit $3::bigint offset $4::bigint`,
    [serviceId, channelName ?? null, pageSize, pageSize * pageIndex],
  );
}
