// Named SQL of users and devices (push-interface.md §2.1). Every statement is one round trip and stands alone.
import { rowsOf, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import type { TimezoneCount } from '../../push-contract/users.js';
import type { Registration } from './user-registration.js';

export interface UserRow {
  readonly userId: string;
  readonly country: string;
  readonly language: string;
  readonly timezone: number;
  readonly channelName: string | null;
  readonly notificationAgreement: boolean;
  readonly adAgreement: boolean;
  readonly nightAdAgreement: boolean;
  readonly notificationAgreementTime: Date | null;
  readonly adAgreementTime: Date | null;
  readonly nightAdAgreementTime: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly devices: { deviceType: DeviceType; deviceToken: string }[];
}

const REGISTER = prepared(`
  WITH named AS (
    SELECT id FROM channel WHERE service_id = $1 AND channel_name = $2::text
  ), kept AS (
    INSERT INTO push_user AS u (service_id, user_id, country, language, timezone, notification_agreement,
      ad_agreement, night_ad_agreement, notification_agreement_time, ad_agreement_time, night_ad_agreement_time,
      created_at, updated_at)
    SELECT $1, $3, $4, $5, $6::int, $7::bool, $8::bool, $9::bool, CASE WHEN $7::bool THEN $12::timestamptz END,
      CASE WHEN $8::bool THEN $12::timestamptz END, CASE WHEN $9::bool THEN $12::timestamptz END, $12, $12
    WHERE $2::text IS NULL OR EXISTS (SELECT FROM named)
    ON CONFLICT (service_id, user_id) DO UPDATE SET
      country = excluded.country, language = excluded.language, timezone = excluded.timezone,
      notification_agreement = excluded.notification_agreement, ad_agreement = excluded.ad_agreement,
      night_ad_agreement = excluded.night_ad_agreement,
      notification_agreement_time = CASE WHEN excluded.notification_agreement AND NOT u.notification_agreement
        THEN excluded.updated_at ELSE u.notification_agreement_time END,
      ad_agreement_time = CASE WHEN excluded.ad_agreement AND NOT u.ad_agreement
        THEN excluded.updated_at ELSE u.ad_agreement_time END,
      night_ad_agreement_time = CASE WHEN excluded.night_ad_agreement AND NOT u.night_ad_agreement
        THEN excluded.updated_at ELSE u.night_ad_agreement_time END,
      updated_at = excluded.updated_at
    RETURNING u.key
  ), owned AS (
    INSERT INTO device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
    SELECT $1, key, $10, $11::text, sha256(convert_to($11::text, 'UTF8')), $12, $12 FROM kept
    ON CONFLICT (service_id, token_hash) DO UPDATE SET user_key = excluded.user_key,
      device_type = excluded.device_type, active = true, updated_at = excluded.updated_at
  ), joined AS (
    INSERT INTO channel_member (channel_id, user_key) SELECT named.id, kept.key FROM named, kept
    ON CONFLICT DO NOTHING
  )
  SELECT EXISTS (SELECT FROM kept) AS registered`);

/**
 * Creates or updates user, device and membership in one statement, user before device, so that two registrations of
 * one token wait for rather than deadlock with each other. Returns false, having done nothing, when the channel does
 * not exist. A consent's time is set when it turns from false to true, and at first registration if true.
 */
export async function registerUser(
  sql: Sql,
  serviceId: string,
  given: Registration,
  now: Date,
): Promise<boolean> {
  const [row] = await rowsOf<{ registered: boolean }>(sql, REGISTER, [
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
    given.deviceToken,
    now,
  ]);
  return row?.registered ?? false;
}

/** With the channel most recently joined and the active devices, oldest first. */
export async function findUser(sql: Sql, serviceId: string, userId: string): Promise<UserRow | undefined> {
  const [row] = await rowsOf<UserRow>(
    sql,
    `SELECT u.user_id AS "userId", u.country, u.language, u.timezone,
            (SELECT c.channel_name FROM channel_member m JOIN channel c ON c.id = m.channel_id
             WHERE m.user_key = u.key ORDER BY m.joined DESC LIMIT 1) AS "channelName",
            u.notification_agreement AS "notificationAgreement", u.ad_agreement AS "adAgreement",
            u.night_ad_agreement AS "nightAdAgreement",
            u.notification_agreement_time AS "notificationAgreementTime", u.ad_agreement_time AS "adAgreementTime",
            u.night_ad_agreement_time AS "nightAdAgreementTime", u.created_at AS "createdAt",
            u.updated_at AS "updatedAt",
            coalesce((SELECT json_agg(json_build_object('deviceType', d.device_type, 'deviceToken', d.device_token)
                      ORDER BY d.id) FROM device d WHERE d.service_id = u.service_id AND d.user_key = u.key AND d.active), '[]'::json) AS devices
     FROM push_user u WHERE u.service_id = $1 AND u.user_id = $2`,
    [serviceId, userId],
  );
  return row;
}

/** Devices and memberships go with the user. Returns whether there was one. */
export async function deleteUser(sql: Sql, serviceId: string, userId: string): Promise<boolean> {
  const rows = await rowsOf(
    sql,
    'DELETE FROM push_user WHERE service_id = $1 AND user_id = $2 RETURNING key',
    [serviceId, userId],
  );
  return rows.length > 0;
}

/** Extension `target-timezone`: index push_user_timezone; reads every user of the service, or of the channel. */
export async function countTimezones(
  sql: Sql,
  serviceId: string,
  channelName: string | undefined,
): Promise<TimezoneCount[]> {
  return rowsOf<TimezoneCount>(
    sql,
    `SELECT u.timezone, count(DISTINCT u.key)::int AS users, count(d.id)::int AS devices
     FROM push_user u LEFT JOIN device d ON d.service_id = u.service_id AND d.user_key = u.key AND d.active
     WHERE u.service_id = $1 AND ($2::text IS NULL OR EXISTS (
       SELECT FROM channel_member m JOIN channel c ON c.id = m.channel_id
       WHERE m.user_key = u.key AND c.service_id = $1 AND c.channel_name = $2::text))
     GROUP BY u.timezone ORDER BY u.timezone`,
    [serviceId, channelName ?? null],
  );
}
