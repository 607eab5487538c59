// Named SQL of outcomes: what became of claimed chunks, one row a device, with all that follows from it.
import type { Sql } from '../../platform/database/database.js';
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
  with given as (
    select * from unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::int[])
      as g(firing_id, chunk_no, reasons, gone, repeated)
  ), mine as (
    delete from fan_out_chunk c using given g
    where c.firing_id = g.firing_id and c.chunk_no = g.chunk_no and c.claimed_by = $6 and c.state = 'CLAIMED'
    returning c.firing_id, c.chunk_no, c.device_ids, c.user_keys, c.device_types, c.countries, c.languages, c.timezones,
              c.targets, g.reasons, g.gone, g.repeated
  ), kept as (
    insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
    select mine.firing_id, t.device_id, t.user_key, t.device_type, t.country, t.language, t.timezone,
           case when t.reason is null then 'sent' else 'failed' end, t.reason, $7
    from mine, unnest(device_ids, user_keys, device_types, countries, languages, timezones,
                      array(select json_array_elements_text(mine.reasons::json)))
           as t(device_id, user_key, device_type, country, language, timezone, reason)
    ${onConflict} returning firing_id, outcome
  ), deactivated as (
    update device d set active = false, updated_at = $7
    where d.id = any(array(select mine.device_ids[place::int]
                           from mine, json_array_elements_text(mine.gone::json) as place))
      and d.updated_at <= $8
  ), counted as (
    update firing f set sent_count = sent_count + c.sent, failed_count = failed_count + c.failed,
      target_count = target_count - c.doubled, repeated_count = repeated_count + c.repeated,
      chunks_left = chunks_left - c.chunks,
      state = case when chunks_left = c.chunks then 'FINISHED' else state end,
      complete_at = case when chunks_left = c.chunks then $7::timestamptz end
    from (select firing_id, chunks, repeated, coalesce(sent, 0) as sent, coalesce(failed, 0) as failed,
                 targets - coalesce(sent + failed, 0) as doubled
          from (select firing_id, count(*)::int as chunks, sum(targets) as targets, sum(repeated) as repeated
                from mine group by firing_id) chunks_done
          left join (select firing_id, count(*) filter (where outcome = 'sent') as sent,
                            count(*) filter (where outcome = 'failed') as failed
                     from kept group by firing_id) outcomes using (firing_id)) c
    where f.id = c.firing_id returning f.message_id, f.chunks_left, c.sent, c.doubled
  ), told as (
    update message m set sent_count = sent_count + c.sent, target_count = target_count - c.doubled,
      state = case when c.chunks_left = 0 and m.kind <> 'scheduled' then 'FINISHED' else m.state end,
      complete_at = case when c.chunks_left = 0 and m.kind <> 'scheduled' then $7::timestamptz else m.complete_at end
    from (select message_id, sum(sent) as sent, sum(doubled) as doubled, sum(chunks_left) as chunks_left
          from counted group by message_id) c
    where m.id = c.message_id
  )
  select firing_id as "firingId", chunk_no as "chunkNo" from mine`);

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
  { claimedAt, now }: { readonly claimedAt: Date; readonly now: Date },
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
    return (await sql.query(RECORD, parameters)).length;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return (await sql.query(RECORD_REST, parameters)).length;
  }
}

/** As SQL, to be ended by a RETURNING: at most so many outcomes `d` of the firings $1, by the primary key. */
export function deleteOutcomes(most: number): string {
  return `delete from delivery d
     using (select firing_id, device_id from delivery where firing_id = any($1::bigint[]) limit ${most}) old
     where d.firing_id = old.firing_id and d.device_id = old.device_id`;
}
