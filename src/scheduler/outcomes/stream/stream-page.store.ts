// Reads a page of the log of outcomes for the stream: which campaign and send each is about, and its state. Never writes.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { LogAsk } from '../log/log-reader.js';
import type { CursorRow } from '../log/outcome-cursor.js';

export interface StreamRow extends CursorRow {
  /** null: an outcome of a campaign or an occurrence. */
  readonly send: string | null;
  /** campaign.<state>, occurrence.<state>; null: an outcome of a send. */
  readonly kind: string | null;
  readonly occurrence: string | null;
  readonly state: string;
  readonly code: string | null;
  /** null: its send is gone, or the shard has no rows. */
  readonly campaign: string | null;
  readonly campaignId: string;
  readonly serviceId: string;
}

// What read_log() reads; sends and campaigns by primary key, only in the days in which they may lie. Locks nothing.
const READ = prepared(`
select l.shard, l.waits, l.fill_to, l.restored, (l.event).position, (l.event).send, (l.event).kind, (l.event).occurrence,
       (l.event).to_state as state, (l.event).code, c.id as campaign, c.campaign_id as "campaignId", c.service_id as "serviceId"
  from read_log('stream', $1, $2, $3, $4) l
  left join lateral (select s.campaign from send s
                      where s.id = (l.event).send and s.ended_at >= (l.event).at - interval '1 day' limit 1) s on true
  left join lateral (select c.* from campaign c where c.id = coalesce((l.event).campaign, s.campaign) limit 1) c on true`);

/** In order of position within each shard. */
export async function streamPage(sql: Sql, ask: LogAsk): Promise<readonly StreamRow[]> {
  const { shards, rowsOfShard, rows, ranges } = ask;
  if (shards.length === 0) return [];
  await sql.query('set local enable_partition_pruning = on; set local enable_seqscan = off');
  return sql.query<StreamRow>(READ, [shards, rowsOfShard, rows, ranges]);
}
