// Claims uncertain sends whose key is to be closed (hand-off.md, "Uncertain"), and puts those aside about which a close proves nothing.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { Mode } from '../../decide/timing/send-mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { FiredSend } from './fire.store.js';

/** An uncertain send without a requestId, in a project whose gateway closes keys, and whose request carried its key. */
export interface DueClose extends Omit<FiredSend, 'attempt' | 'recipients' | 'target'> {
  readonly serviceId: string;
  readonly campaign: string;
  readonly revision: number;
  readonly attempts: number;
  readonly mode: Mode;
  readonly dueAt: EpochMs | null;
  /** When the first request under this key left. */
  readonly handedOffAt: EpochMs;
}

// sql/scheduler/functions/claim_closes.sql.
const CLAIM = prepared(`
select id, service_id as "serviceId", campaign, revision, occurrence, cell, chunk, retries, released, attempts, mode, due_ms as "dueAt",
       handed_off_ms as "handedOffAt"
  from claim_closes($1, $2, $3)`);

/**
 * At most `limit` sends of each project. Claims them until `againAt`, so that replicas do not ask the same. A claim is no lock: two
 * closes of a key have one answer.
 */
export function claimCloses(
  sql: Sql,
  { now, limit, againAt }: { now: EpochMs; limit: number; againAt: EpochMs },
): Promise<DueClose[]> {
  return sql.query(CLAIM, [new Date(now), limit, new Date(againAt)]);
}

// By the primary key of send_open.
const REST = prepared(`
update send s set next_at = null, code = $3, detail = $4
 where s.id = $1 and s.ended_at = 'infinity' and s.state = 'uncertain' and s.attempts = $2`);

/** The send waits for a person: nothing that the scheduler can ask shows what became of it. */
export async function restUnproved(
  sql: Sql,
  { id, attempts }: Pick<DueClose, 'id' | 'attempts'>,
  { code, detail }: { code: string; detail: string },
): Promise<void> {
  await sql.query(REST, [id, attempts, code, detail]);
}
