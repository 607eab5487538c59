// Rows in every table of the push service, for specs that look at what becomes of all of them.
import type { Sql } from '../../../../src/platform/database/database.js';
import { addService } from './push-rows.js';

/** A service with `size` of everything, each message fired twice, to ten devices each time. */
export async function furnish(sql: Sql, at: Date, id: string, size: number): Promise<void> {
  const rows = `generate_series(1, ${size}) AS i`;
  await addService(sql, id, at);
  await sql.query(
    `insert into api_key (service_id, slot, hash, created_at) values ($1, 'primary', '\\x00', $2)`,
    [id, at],
  );
  await sql.query(
    `insert into provider_credential (id, service_id, kind, settings, secret_sealed, created_at, updated_at)
     select gen_random_uuid(), $1, kind, '{}', 'k.sealed', $2, $2 from unnest('{fcm,apns}'::text[]) as kind`,
    [id, at],
  );
  await sql.query(
    `insert into quota_use (service_id, day, used, taken) select $1, '2026-01-01'::date + i, 1, 1 from ${rows}`,
    [id],
  );
  await sql.query(
    `insert into schedule (id, service_id, schedule_code, time_zone, minute, start_date, days_of_week, created_at, fired_until)
     select gen_random_uuid(), $1, 'code-' || i, 'UTC', 0, '2026-01-01', '{ALL}', $2, $2::timestamptz from ${rows}`,
    [id, at],
  );
  await sql.query(
    `with users as (
       insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                              night_ad_agreement, created_at, updated_at)
       select $1, i, 'KR', 'ko', 0, true, true, true, $2, $2::timestamptz from ${rows} returning key, user_id
     ), channels as (
       insert into channel (service_id, channel_name, created_at) select $1, 'channel-' || i, $2::timestamptz from ${rows}
       returning id
     ), devices as (
       insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
       select $1, key, 'GCM', user_id, sha256(user_id::bytea), $2, $2::timestamptz from users
     )
     insert into channel_member (channel_id, user_key) select (select min(id) from channels), key from users`,
    [id, at],
  );
  await sql.query(
    `with taken as (
       insert into message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at)
       select gen_random_uuid(), $1, 'immediate', 'FIRED', 'NOTIF', '{}', ($1::text || i)::bytea, '\\x00', $2::timestamptz
       from ${rows} returning id
     ), fired as (
       insert into firing (id, message_id, service_id, occurrence, due_at, state)
       select next_firing($2), id, $1, occurrence, $2::timestamptz, 'SENDING' from taken, (values ('once'), ('twice')) as o(occurrence)
       returning id
     ), laid as (
       insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, device_ids, user_keys, countries, languages,
                                  timezones)
       select id, 0, $1, 'GCM', '{1}', '{1}', '{KR}', '{ko}', '{0}' from fired
     ), rendered as (
       insert into payload (firing_id, device_type, language, headers, body) select id, 'GCM', 'ko', '{}', '{}' from fired
     ), left_out as (
       insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
       select id, 'NIGHT', 'GCM', 'KR', 'ko', 0, 1 from fired
     ), summed as (
       insert into outcome_count (firing_id, outcome, reason, device_type, country, language, timezone, count)
       select id, 'sent', '', 'GCM', 'KR', 'ko', 0, 1 from fired
     )
     insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, handed_at)
     select id, place, place, 'GCM', 'KR', 'ko', 0, 'sent', $2::timestamptz from fired, generate_series(1, 10) as place`,
    [id, at],
  );
}
