// Named SQL of chunks: claim, renew, record. A claim is a lease: whoever records must still hold it, so of two that
// think so exactly one's outcomes are kept. Leases run by the database's own clock: they are lengths of real time
// shared by all replicas, which neither a stepped clock nor one process's monotonic count can give.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import type { Variant } from './render.js';

export interface ClaimedChunk {
  readonly firingId: string;
  readonly chunkNo: number;
  /** Above 1: another claim was lost before. */
  readonly claims: number;
  /** Parallel lists. A null token: the device was removed, deactivated or moved to another user meanwhile. */
  readonly tokens: readonly (string | null)[];
  readonly deviceTypes: readonly DeviceType[];
  readonly languages: readonly string[];
}

/** `spread`: low chunk numbers first, so that small messages pass big ones. `oldest`: the oldest firing first. */
export type ClaimOrder = 'spread' | 'oldest' | 'lost';

const PICKS: Readonly<Record<ClaimOrder, string>> = {
  spread: `state = 'READY' ORDER BY chunk_no, firing_id`,
  oldest: `state = 'READY' ORDER BY firing_id, chunk_no`,
  lost: `state = 'CLAIMED' AND lease_until < clock_timestamp() ORDER BY lease_until`,
};

/** Tokens are read with the claim, in the chunk's order; one JSON text is an order faster to parse than an array. */
export async function claimChunk(
  sql: Sql,
  order: ClaimOrder,
  worker: string,
  leaseMs: number,
): Promise<ClaimedChunk | undefined> {
  const [row] = await rowsOf<ClaimedChunk>(
    sql,
    `WITH pick AS (
       SELECT firing_id, chunk_no FROM fan_out_chunk WHERE ${PICKS[order]} LIMIT 1 FOR UPDATE SKIP LOCKED
     ), claimed AS (
       UPDATE fan_out_chunk c SET state = 'CLAIMED', claimed_by = $1, claims = c.claims + 1,
         lease_until = clock_timestamp() + $2::int * interval '1 millisecond'
       FROM pick WHERE c.firing_id = pick.firing_id AND c.chunk_no = pick.chunk_no RETURNING c.*
     )
     SELECT c.firing_id AS "firingId", c.chunk_no AS "chunkNo", c.claims,
       to_json(c.device_types) AS "deviceTypes", to_json(c.languages) AS languages,
       (SELECT json_agg(CASE WHEN d.active AND d.user_key = t.user_key THEN d.device_token END ORDER BY t.place)
        FROM unnest(c.device_ids, c.user_keys) WITH ORDINALITY AS t(device_id, user_key, place)
        LEFT JOIN device d ON d.id = t.device_id) AS tokens
     FROM claimed c`,
    [worker, leaseMs],
  );
  return row;
}

/** Returns false when the lease was lost. */
export async function renewLease(
  sql: Sql,
  chunk: ClaimedChunk,
  worker: string,
  leaseMs: number,
): Promise<boolean> {
  const rows = await rowsOf(
    sql,
    `UPDATE fan_out_chunk SET lease_until = clock_timestamp() + $4::int * interval '1 millisecond'
     WHERE firing_id = $1 AND chunk_no = $2 AND claimed_by = $3 AND state = 'CLAIMED' RETURNING 1`,
    [chunk.firingId, chunk.chunkNo, worker, leaseMs],
  );
  return rows.length > 0;
}

export interface ChunkOutcome {
  /** Places in the chunk, from 1, of the devices that did not get it, and why; parallel lists. */
  readonly failedPlaces: readonly number[];
  readonly failedReasons: readonly string[];
  /** Places of devices whose token is gone. */
  readonly gonePlaces: readonly number[];
  readonly sent: number;
  /** Devices handed over before by a claim that was lost, with a provider whose answers can be lost. */
  readonly repeated: number;
}

/**
 * One delivery row a device, the counts of firing and message, and the end of both with the last chunk: one statement,
 * or nothing when the lease is another's. Device columns come from the chunk itself, not over the wire again.
 */
export async function recordChunk(
  sql: Sql,
  chunk: ClaimedChunk,
  worker: string,
  outcome: ChunkOutcome,
  now: Date,
): Promise<boolean> {
  const [row] = await rowsOf<{ recorded: number }>(
    sql,
    `WITH mine AS (
       DELETE FROM fan_out_chunk WHERE firing_id = $1 AND chunk_no = $2 AND claimed_by = $3 AND state = 'CLAIMED'
       RETURNING firing_id, device_ids, user_keys, device_types, countries, languages, timezones
     ), failed AS (
       SELECT place, reason FROM unnest($4::int[], $5::text[]) AS f(place, reason)
     ), kept AS (
       INSERT INTO delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
       SELECT mine.firing_id, t.device_id, t.user_key, t.device_type, t.country, t.language, t.timezone,
              CASE WHEN failed.place IS NULL THEN 'sent' ELSE 'failed' END, failed.reason, $7
       FROM mine, unnest(device_ids, user_keys, device_types, countries, languages, timezones) WITH ORDINALITY
              AS t(device_id, user_key, device_type, country, language, timezone, place)
       LEFT JOIN failed ON failed.place = t.place
     ), deactivated AS (
       UPDATE device d SET active = false, updated_at = $7
       FROM mine WHERE cardinality($6::int[]) > 0 AND d.id IN (SELECT mine.device_ids[g] FROM unnest($6::int[]) AS g)
     ), counted AS (
       UPDATE firing f SET sent_count = sent_count + $8::int, failed_count = failed_count + cardinality($4::int[]),
         repeated_count = repeated_count + $9::int, chunks_left = chunks_left - 1,
         state = CASE WHEN chunks_left = 1 THEN 'FINISHED' ELSE state END,
         complete_at = CASE WHEN chunks_left = 1 THEN $7::timestamptz END
       FROM mine WHERE f.id = mine.firing_id RETURNING f.message_id, f.chunks_left
     ), told AS (
       UPDATE message m SET sent_count = sent_count + $8::int,
         state = CASE WHEN c.chunks_left = 0 AND m.kind <> 'scheduled' THEN 'FINISHED' ELSE m.state END,
         complete_at = CASE WHEN c.chunks_left = 0 AND m.kind <> 'scheduled' THEN $7::timestamptz ELSE m.complete_at END
       FROM counted c WHERE m.id = c.message_id
     )
     SELECT count(*)::int AS recorded FROM mine`,
    [
      chunk.firingId,
      chunk.chunkNo,
      worker,
      outcome.failedPlaces,
      outcome.failedReasons,
      outcome.gonePlaces,
      now,
      outcome.sent,
      outcome.repeated,
    ],
  );
  return row?.recorded === 1;
}

/** The request of the firing's message, JSON text. */
export async function requestOfFiring(sql: Sql, firingId: string): Promise<string | undefined> {
  const [row] = await rowsOf<{ request: string }>(
    sql,
    'SELECT m.request FROM firing f JOIN message m ON m.id = f.message_id WHERE f.id = $1',
    [firingId],
  );
  return row?.request;
}

/** Kept for those who ask what a device was handed; writing a variant again does nothing. */
export async function keepVariant(sql: Sql, firingId: string, variant: Variant): Promise<void> {
  await sql.query(
    `INSERT INTO payload (firing_id, device_type, language, headers, body) VALUES ($1, $2, $3, $4::json, $5)
     ON CONFLICT DO NOTHING`,
    [firingId, variant.deviceType, variant.language, JSON.stringify(variant.headers), variant.body],
  );
}
