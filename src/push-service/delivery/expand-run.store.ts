// Named SQL of a run of small firings: the targets of all of them, their chunks and the marks of firings and messages
// in one statement. Called inside the transaction that holds their locks.
import type { Sql } from '../../platform/database/database.js';
import { suppressedBecause } from './consent.js';
import { CHUNK_SIZE, type TargetFilter } from './firing.store.js';

/**
 * What expandPage and markExpanded do for one, for USER firings alone. Users and devices are looked up one by one by
 * their keys; OFFSET 0 holds the planner to that, which would else read a whole table for some hundred users.
 */
export async function expandRun(sql: Sql, filters: readonly TargetFilter[], at: Date): Promise<void> {
  // A name given twice is one user.
  const named = filters.flatMap(({ firingId, to }) =>
    [...new Set(to)].map((userId) => ({ firingId, userId })),
  );
  await sql.query(
    `WITH asked AS MATERIALIZED (
       SELECT a.firing_id, a.service_id, a.device_type, string_to_array(a.countries, ',') AS countries,
              string_to_array(a.timezones, ',')::int[] AS timezones, a.advertising
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bool[])
              AS a(firing_id, service_id, device_type, countries, timezones, advertising)
     ), targeted AS MATERIALIZED (
       SELECT a.firing_id, d.id, u.key, d.device_type, u.country, u.language, u.timezone,
              ${suppressedBecause('a.advertising', '$9::timestamptz')} AS reason
       FROM unnest($7::bigint[], $8::text[]) AS n(firing_id, user_id)
       JOIN asked a ON a.firing_id = n.firing_id
       CROSS JOIN LATERAL (SELECT * FROM push_user p WHERE p.service_id = a.service_id AND p.user_id = n.user_id OFFSET 0) u
       CROSS JOIN LATERAL (SELECT id, device_type FROM device
                           WHERE service_id = u.service_id AND user_key = u.key AND active OFFSET 0) d
       WHERE (a.device_type IS NULL OR d.device_type = a.device_type)
         AND (a.countries IS NULL OR u.country = ANY(a.countries))
         AND (a.timezones IS NULL OR u.timezone = ANY(a.timezones))
     ), numbered AS (
       SELECT *, (row_number() OVER (PARTITION BY firing_id) - 1) / ${CHUNK_SIZE} AS part
       FROM targeted WHERE reason IS NULL
     ), laid AS (
       INSERT INTO fan_out_chunk (firing_id, chunk_no, targets, device_ids, user_keys, device_types, countries, languages,
                                  timezones)
       SELECT firing_id, part, count(*), array_agg(id), array_agg(key), array_agg(device_type), array_agg(country),
              array_agg(language), array_agg(timezone)
       FROM numbered GROUP BY firing_id, part RETURNING firing_id, targets
     ), left_out AS (
       INSERT INTO suppression (firing_id, reason, device_type, country, language, timezone, count)
       SELECT firing_id, reason, device_type, country, language, timezone, count(*)
       FROM targeted WHERE reason IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6
     ), counted AS (
       SELECT a.firing_id, count(laid.targets)::int AS chunks, coalesce(sum(laid.targets), 0) AS targets
       FROM asked a LEFT JOIN laid ON laid.firing_id = a.firing_id GROUP BY a.firing_id
     ), fired AS (
       UPDATE firing f SET state = CASE WHEN c.chunks = 0 THEN 'FINISHED' ELSE 'SENDING' END, fired_at = $9,
         complete_at = CASE WHEN c.chunks = 0 THEN $9::timestamptz END, target_count = c.targets, chunks_left = c.chunks
       FROM counted c WHERE f.id = c.firing_id RETURNING f.message_id, c.chunks, c.targets
     )
     UPDATE message m SET target_count = m.target_count + s.targets,
       state = CASE WHEN m.kind = 'scheduled' THEN m.state WHEN s.chunks = 0 THEN 'FINISHED' ELSE 'FIRED' END,
       complete_at = CASE WHEN m.kind <> 'scheduled' AND s.chunks = 0 THEN $9::timestamptz ELSE m.complete_at END
     FROM (SELECT message_id, sum(chunks) AS chunks, sum(targets) AS targets FROM fired GROUP BY message_id) s
     WHERE m.id = s.message_id`,
    [
      filters.map((one) => one.firingId),
      filters.map((one) => one.serviceId),
      filters.map((one) => one.deviceType),
      filters.map((one) => one.countries?.join(',') ?? null),
      filters.map((one) => one.timezones?.join(',') ?? null),
      filters.map((one) => one.advertising),
      named.map((one) => one.firingId),
      named.map((one) => one.userId),
      at,
    ],
  );
}
