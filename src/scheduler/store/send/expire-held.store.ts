// Ends sends that a pause or an awaited approval holds past their time (life-of-a-send.md, "Campaign and occurrence"): nobody could send
// them any more. Without it a campaign that nobody resumes or approves would stay open for good.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';
import { CHANNELS } from '../channels.js';

const EXPIRE = 'select expire_held($1, $2, $3, $4) as ended';

/**
 * A page of one occurrence: its held sends that are later than `lateness.max` of their revision allows. One with the lateness
 * `send` has no such end, and is held as long as people want. Returns how many ended. sql/scheduler/functions/expire_held.sql.
 */
export async function expireHeld(sql: Sql, now: EpochMs, most: number): Promise<number> {
  const { beyond, maxMs } = policyDefaults.lateness;
  const row = await firstRow<{ ended: number }>(sql, EXPIRE, [new Date(now), most, beyond, maxMs]);
  const ended = row?.ended ?? 0;
  if (ended > 0) await sql.query('select pg_notify($1, $2)', [CHANNELS.close, '']);
  return ended;
}
