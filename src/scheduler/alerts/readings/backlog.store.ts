// Reads what waits for a loop: dead letters, outcomes that consumers of the log have not read, rejections; and which processes are
// silent. Reads only, a bounded number of rows.
import { columnsOf } from '../../../platform/database/row-arrays.js';
import type { PartitionEnds } from '../../../platform/kafka/kafka.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { unreadBehind } from '../../store/unread-outcomes.js';
import { LATELY_MS, MOST } from './project-readings.store.js';

export interface OutboxReading {
  /** At most MOST. */
  readonly waiting: number;
  readonly oldestAt: Date | null;
}

// Index outbox_unpublished, by topic and position: the oldest of the first MOST rows.
const OUTBOX = prepared(`
select count(*)::int as waiting, min(o.created_at) as "oldestAt"
  from (select created_at from outbox where published_at is null and refused_at is null order by topic, position limit ${MOST}) o`);

export async function readOutbox(sql: Sql): Promise<OutboxReading> {
  return (await firstRow<OutboxReading>(sql, OUTBOX)) ?? { waiting: 0, oldestAt: null };
}

export interface CursorReading {
  readonly consumer: string;
  /** The oldest outcome that it has not read; null: it has read all. */
  readonly oldestAt: Date | null;
}

// One probe of index send_event_position for each shard and hole.
const CURSORS = prepared(`
select k.consumer, (select min(e.at) from outcome_cursor c cross join ${unreadBehind({ columns: 'e.at' })}
                     where c.consumer = k.consumer) as "oldestAt"
  from unnest($1::text[]) as k(consumer) order by 1`);

export function readCursors(sql: Sql, consumers: readonly string[]): Promise<CursorReading[]> {
  return sql.query(CURSORS, [consumers]);
}

export interface PartitionLag {
  readonly topic: string;
  readonly partition: number;
  /** Records that intake has not committed to the database. */
  readonly records: number;
}

const ENDS = columnsOf<PartitionEnds>('topic text, partition int, first bigint, next bigint');

/** How far intake is behind the ends of its partitions. Primary key of partition_place. */
export function readLag(sql: Sql, ends: readonly PartitionEnds[]): Promise<PartitionLag[]> {
  return sql.query(
    `select e.topic, e.partition, greatest(0, e.next - greatest(e.first, coalesce(p.next_offset, 0)))::float8 as records
       from ${ENDS.from} as e left join partition_place p using (topic, partition) order by 1, 2`,
    ENDS.parametersOf(ends),
  );
}

export interface RejectionReading {
  /** null: the event named none that could be read. */
  readonly serviceId: string | null;
  readonly open: number;
}

// Index rejection_open, from the first id of the time on.
const REJECTIONS = prepared(`
select r.service_id as "serviceId", count(*)::int as open
  from (select service_id from rejection where state = 'open' and id >= uuid_floor($1) order by id limit ${MOST}) r
 group by 1`);

/** Open rejections of the last LATELY_MS, by service. */
export function readRejections(sql: Sql, now: EpochMs): Promise<RejectionReading[]> {
  return sql.query(REJECTIONS, [new Date(now - LATELY_MS)]);
}

export interface ReplicaReading {
  readonly live: number;
  /** Silent for longer than a process may be, and not recovered yet. */
  readonly unheard: number;
  /** How far the clock that is off most is from the database's, milliseconds; null: nobody has said. */
  readonly clockOffMs: number | null;
}

// Reads the whole table: one row for each process.
const REPLICAS = prepared(`
select count(*) filter (where r.beats)::int as live, count(*) filter (where not r.beats)::int as unheard,
       max(abs(r.clock_ahead_ms)) filter (where r.beats) as "clockOffMs"
  from (select beat_at > clock_timestamp() - $1 * interval '1 millisecond' as beats, clock_ahead_ms from replica) r`);

/** `silentMs`: real milliseconds. */
export async function readReplicas(sql: Sql, silentMs: number): Promise<ReplicaReading> {
  return (
    (await firstRow<ReplicaReading>(sql, REPLICAS, [silentMs])) ?? { live: 0, unheard: 0, clockOffMs: null }
  );
}

export interface CredentialReading {
  readonly serviceId: string;
  readonly devices: number;
}

// Index breakdown_rollup_minute, from the first minute of the time on.
const WITHOUT_CREDENTIAL = prepared(`
select b.service_id as "serviceId", sum(b.devices)::float8 as devices from breakdown_rollup b
 where b.minute >= $1 and b.outcome = 'failed' and b.reason = 'PROVIDER_NOT_CONFIGURED' group by 1 having sum(b.devices) > 0`);

/** Devices that were due within LATELY_MS and failed because the push service has no key for their provider, as breakdowns say. */
export function readWithoutCredential(sql: Sql, now: EpochMs): Promise<CredentialReading[]> {
  return sql.query(WITHOUT_CREDENTIAL, [new Date(now - LATELY_MS)]);
}
