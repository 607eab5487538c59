// The place of the intake in each partition of Kafka. It is written in the transaction that takes the records, because a group's
// offsets outlive events that a failover has lost (docs/decisions/0067).
import type { PartitionOffset, Partition } from '../../platform/kafka/kafka.js';
import { firstRow, type Sql } from '../../platform/database/database.js';

/** Records before this batch were taken, and the server that answers now does not have them. */
export class PlaceLostError extends Error {
  readonly code = 'PLACE_LOST';
}

export interface Places {
  /** The identity of the database server that answers. */
  readonly server: string;
  /** The partitions whose last place another database server wrote. */
  readonly toGoBackTo: readonly PartitionOffset[];
}

/** A second process that still believes that it owns the partition waits here, to the end of the caller's transaction. */
export async function lockPartition(sql: Sql, { topic, partition }: Partition): Promise<void> {
  await sql.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`kafka ${topic}/${partition}`]);
}

/** By the primary key. */
export async function readPlaces(sql: Sql, partitions: readonly Partition[]): Promise<Places> {
  const rows = await sql.query<{ server: string } & (PartitionOffset | { topic: null })>(
    `select n.server, p.topic, p.partition, p.next_offset::text as offset
       from (select server_identity() as server) n
       left join (unnest($1::text[], $2::int[]) as g(topic, partition) join partition_place p using (topic, partition))
         on p.server <> n.server`,
    [partitions.map(({ topic }) => topic), partitions.map(({ partition }) => partition)],
  );
  return {
    server: rows[0]?.server ?? '',
    toGoBackTo: rows.flatMap((row) => (row.topic === null ? [] : [row])),
  };
}

/**
 * Throws PlaceLostError where records are missing before the first of a batch and `server`, on which the reading of its partition
 * began, is not the server that answers. On the same server a gap comes from Kafka: records that it has removed, or its own marks.
 */
export async function refuseGap(
  sql: Sql,
  { topic, partition, offset }: PartitionOffset,
  server: string | undefined,
): Promise<void> {
  const row = await firstRow<{ next: string | null; server: string }>(
    sql,
    `select server_identity() as server,
            (select next_offset::text from partition_place where topic = $1 and partition = $2) as next`,
    [topic, partition],
  );
  if (row === undefined || row.next === null || row.server === server) return;
  if (BigInt(offset) > BigInt(row.next))
    throw new PlaceLostError(
      `${topic}/${partition} was taken up to ${offset}, the database has it up to ${row.next}`,
    );
}

/** Writes that the next place is after this record. The caller holds the partition's lock. */
export async function keepPlace(sql: Sql, { topic, partition, offset }: PartitionOffset): Promise<void> {
  await sql.query(
    `insert into partition_place (topic, partition, next_offset, server) values ($1, $2, $3::bigint + 1, server_identity())
     on conflict (topic, partition) do update set next_offset = excluded.next_offset, server = excluded.server`,
    [topic, partition, offset],
  );
}
