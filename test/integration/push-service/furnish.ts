// Rows in every table of the push service, for specs that look at what becomes of all of them.
import type { Sql } from '../../../src/platform/database/database.js';
import { addService } from './push-rows.js';

/** A service with `size` of everything, each message fired twice, to ten devices each time. */
export async function furnish(sql: Sql, at: Date, id: string, size: number): Promise<void> {
  const rows = `generate_series(1, ${size}) AS i`;
  await addService(sql, id, at);
  await sql.query(
    `INSERT INTO api_key (service_id, slot, hash, created_at) VALUES ($1, 'primary', '\\x00', $2)`,
    [id, at],
  );
  await sql.query(
    `INSERT INTO quota_use (service_id, day, used, taken) SELECT $1, '2026-01-01'::date + i, 1, 1 FROM ${rows}`,
    [id],
  );
  await sql.query(
    `INSERT INTO schedule (id, service_id, schedule_code, time_zone, minute, start_date, days_of_week, created_at, fired_until)
     SELECT gen_random_uuid(), $1, 'code-' || i, 'UTC', 0, '2026-01-01', '{ALL}', $2, $2::timestamptz FROM ${rows}`,
    [id, at],
  );
  await sql.query(
    `WITH users AS (
       INSERT INTO push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                              night_ad_agreement, created_at, updated_at)
       SELECT $1, i, 'KR', 'ko', 0, true, true, true, $2, $2::timestamptz FROM ${rows} RETURNING key, user_id
     ), channels AS (
       INSERT INTO channel (service_id, channel_name, created_at) SELECT $1, 'channel-' || i, $2::timestamptz FROM ${rows}
       RETURNING id
     ), devices AS (
       INSERT INTO device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
       SELECT $1, key, 'GCM', user_id, sha256(user_id::bytea), $2, $2::timestamptz FROM users
     )
     INSERT INTO channel_member (channel_id, user_key) SELECT (SELECT min(id) FROM channels), key FROM users`,
    [id, at],
  );
  await sql.query(
    `WITH taken AS (
       INSERT INTO message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at)
       SELECT gen_random_uuid(), $1, 'immediate', 'FIRED', 'NOTIF', '{}', ($1::text || i)::bytea, '\\x00', $2::timestamptz
       FROM ${rows} RETURNING id
     ), fired AS (
       INSERT INTO firing (message_id, service_id, occurrence, due_at, state)
       SELECT id, $1, occurrence, $2::timestamptz, 'SENDING' FROM taken, (VALUES ('once'), ('twice')) AS o(occurrence)
       RETURNING id
     ), laid AS (
       INSERT INTO fan_out_chunk (firing_id, chunk_no, device_ids, user_keys, device_types, countries, languages, timezones)
       SELECT id, 0, '{1}', '{1}', '{GCM}', '{KR}', '{ko}', '{0}' FROM fired
     ), rendered AS (
       INSERT INTO payload (firing_id, device_type, language, headers, body) SELECT id, 'GCM', 'ko', '{}', '{}' FROM fired
     ), left_out AS (
       INSERT INTO suppression (firing_id, reason, device_type, country, language, timezone, count)
       SELECT id, 'NIGHT', 'GCM', 'KR', 'ko', 0, 1 FROM fired
     ), summed AS (
       INSERT INTO outcome_count (firing_id, outcome, reason, device_type, country, language, timezone, count)
       SELECT id, 'sent', '', 'GCM', 'KR', 'ko', 0, 1 FROM fired
     )
     INSERT INTO delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, handed_at)
     SELECT id, place, place, 'GCM', 'KR', 'ko', 0, 'sent', $2::timestamptz FROM fired, generate_series(1, 10) AS place`,
    [id, at],
  );
}
