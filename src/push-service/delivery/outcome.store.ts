// Named SQL of outcomes: what became of claimed chunks, one row a device, with all that follows from it.
import { rowsOf, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import { isDuplicate } from '../gateway/database-fault.js';

export interface ChunkOutcome {
  readonly firingId: string;
  readonly chunkNo: number;
  /** Why a device did not get it, null for one that did, in the chunk's order; empty when all got it. */
  readonly reasons: readonly (string | null)[];
  /** Places in the chunk, from 1, of devices whose token is gone. */
  readonly gonePlaces: readonly number[];
  /** Devices handed over before by a claim that was lost, with a provider whose answers can be lost. */
  readonly repeated: number;
}

const recordWith = (onConflict: '' | 'ON CONFLICT DO NOTHING'): string =>
  prepared(`
  WITH given AS (
    SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::int[])
      AS g(firing_id, chunk_no, reasons, gone, repeated)
  ), mine AS (
    DELETE FROM fan_out_chunk c USING given g
    WHERE c.firing_id = g.firing_id AND c.chunk_no = g.chunk_no AND c.claimed_by = $6 AND c.state = 'CLAIMED'
    RETURNING c.firing_id, c.chunk_no, c.device_ids, c.user_keys, c.device_types, c.countries, c.languages, c.timezones,
              c.targets, g.reasons, g.gone, g.repeated
  ), kept AS (
    INSERT INTO delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
    SELECT mine.firing_id, t.device_id, t.user_key, t.device_type, t.country, t.language, t.timezone,
           CASE WHEN t.reason IS NULL THEN 'sent' ELSE 'failed' END, t.reason, $7
    FROM mine, unnest(device_ids, user_keys, device_types, countries, languages, timezones,
                      ARRAY(SELECT json_array_elements_text(mine.reasons::json)))
           AS t(device_id, user_key, device_type, country, language, timezone, reason)
    ${onConflict} RETURNING firing_id, outcome
  ), deactivated AS (
    UPDATE device d SET active = false, updated_at = $7
    WHERE d.id = ANY(ARRAY(SELECT mine.device_ids[place::int]
                           FROM mine, json_array_elements_text(mine.gone::json) AS place))
      AND d.updated_at <= $8
  ), counted AS (
    UPDATE firing f SET sent_count = sent_count + c.sent, failed_count = failed_count + c.failed,
      target_count = target_count - c.doubled, repeated_count = repeated_count + c.repeated,
      chunks_left = chunks_left - c.chunks,
      state = CASE WHEN chunks_left = c.chunks THEN 'FINISHED' ELSE state END,
      complete_at = CASE WHEN chunks_left = c.chunks THEN $7::timestamptz END
    FROM (SELECT firing_id, chunks, repeated, coalesce(sent, 0) AS sent, coalesce(failed, 0) AS failed,
                 targets - coalesce(sent + failed, 0) AS doubled
          FROM (SELECT firing_id, count(*)::int AS chunks, sum(targets) AS targets, sum(repeated) AS repeated
                FROM mine GROUP BY firing_id) chunks_done
          LEFT JOIN (SELECT firing_id, count(*) FILTER (WHERE outcome = 'sent') AS sent,
                            count(*) FILTER (WHERE outcome = 'failed') AS failed
                     FROM kept GROUP BY firing_id) outcomes USING (firing_id)) c
    WHERE f.id = c.firing_id RETURNING f.message_id, f.chunks_left, c.sent, c.doubled
  ), told AS (
    UPDATE message m SET sent_count = sent_count + c.sent, target_count = target_count - c.doubled,
      state = CASE WHEN c.chunks_left = 0 AND m.kind <> 'scheduled' THEN 'FINISHED' ELSE m.state END,
      complete_at = CASE WHEN c.chunks_left = 0 AND m.kind <> 'scheduled' THEN $7::timestamptz ELSE m.complete_at END
    FROM (SELECT message_id, sum(sent) AS sent, sum(doubled) AS doubled, sum(chunks_left) AS chunks_left
          FROM counted GROUP BY message_id) c
    WHERE m.id = c.message_id
  )
  SELECT firing_id AS "firingId", chunk_no AS "chunkNo" FROM mine`);

const RECORD = recordWith('');

/** For the rare chunk with a device that has its outcome: ready for that at every row, it takes twice as long. */
const RECORD_REST = recordWith('ON CONFLICT DO NOTHING');

/**
 * One delivery row a device, the counts of firings and messages, and the end of both with the last chunk: one statement,
 * in which what another has claimed since is left alone. The counts are those of the rows kept: a device that has its
 * outcome already keeps it, is no target twice and holds no chunk up. A device registered after `claimedAt`, when the
 * tokens were read, is not the one whose token was answered gone: it stays active. Device columns come from the chunks
 * themselves, not over the wire again. Rows are locked by their keys as they come: of two at once that meet in a message
 * one may be ended as a deadlock, having done nothing. Not for an open transaction: the statement may be tried again.
 * Returns how many chunks were the worker's.
 */
export async function recordChunks(
  sql: Sql,
  outcomes: readonly ChunkOutcome[],
  worker: string,
  claimedAt: Date,
  now: Date,
): Promise<number> {
  const parameters = [
    outcomes.map((one) => one.firingId),
    outcomes.map((one) => one.chunkNo),
    outcomes.map((one) => JSON.stringify(one.reasons)),
    outcomes.map((one) => JSON.stringify(one.gonePlaces)),
    outcomes.map((one) => one.repeated),
    worker,
    now,
    claimedAt,
  ];
  try {
    return (await rowsOf(sql, RECORD, parameters)).length;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return (await rowsOf(sql, RECORD_REST, parameters)).length;
  }
}

/** As SQL, to be ended by a RETURNING: at most so many outcomes `d` of the firings $1, by the primary key. */
export function deleteOutcomes(most: number): string {
  return `DELETE FROM delivery d
     USING (SELECT firing_id, device_id FROM delivery WHERE firing_id = ANY($1::bigint[]) LIMIT ${most}) old
     WHERE d.firing_id = old.firing_id AND d.device_id = old.device_id`;
}
