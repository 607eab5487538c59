// The heartbeats of the processes that dispatch: each process writes its own and reads all others'.
import type { Sql } from '../../platform/database/database.js';
import { prepared, type PooledDatabase } from '../../platform/database/pooled-database.js';
import type { ReplicaBeat } from '../decide/lifecycle/replica-observer.js';

/** A Sql whose query() takes the longest wait for an answer. */
export type PatientSql = Pick<PooledDatabase, 'query'>;

export interface ReplicaRow extends ReplicaBeat {
  /** The server to which it has written what that may have lost. */
  readonly server: string | null;
}

interface BeatAnswer {
  /** The server that answered, by its identity. */
  readonly server: string;
  readonly rows: readonly ReplicaRow[];
}

// One row for each process, by the primary key; updated in place (HOT). The first heartbeat of a process does not read its own row.
const BEAT = prepared(`
with beat as (
  insert into replica (id, beat_at, server, machine, clock_ahead_ms)
  values ($1, clock_timestamp(), coalesce($2, server_identity()), $3, $4)
  on conflict (id) do update
    set beat_at = excluded.beat_at, server = excluded.server, clock_ahead_ms = excluded.clock_ahead_ms)
select server_identity() as now, r.id, r.beat_at::text as beat, r.server
  from (values (1)) as one left join replica r on true`);

/** The row that a process writes about itself. */
export interface OwnBeat {
  readonly id: string;
  readonly server: string | undefined;
  /** The others use it to find out whose clock is wrong. */
  readonly machine?: string | undefined;
  readonly clockAheadMs?: number | undefined;
}

/**
 * Writes this process's heartbeat and reads all the others' in one statement: a process that could not write has not read
 * either. `server`: the server to which it has written what that may have lost; undefined: it has fired nothing yet. Waits
 * `answerMs` real milliseconds for the answer.
 */
export async function beat(
  sql: PatientSql,
  { id, server, machine, clockAheadMs }: OwnBeat,
  answerMs: number,
): Promise<BeatAnswer> {
  type Row = { now: string } & (ReplicaRow | { id: null });
  const rows = await sql.query<Row>(
    BEAT,
    [id, server ?? null, machine ?? null, clockAheadMs ?? null],
    answerMs,
  );
  return {
    server: rows[0]?.now ?? '',
    rows: rows.flatMap((row) =>
      row.id === null ? [] : [{ id: row.id, beat: row.beat, server: row.server }],
    ),
  };
}

/** For a clean exit: the others at once make uncertain what this process still has in flight. */
export async function leave(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from replica where id = $1', [id]);
}

/**
 * Deletes the rows of dead replicas, except of one that has written a heartbeat since. Call it only when no `sending` send names
 * them: the row of a replica decides whether it lives.
 */
export async function deleteReplicas(sql: Sql, dead: readonly ReplicaBeat[]): Promise<void> {
  if (dead.length === 0) return;
  await sql.query(
    `delete from replica r using unnest($1::uuid[], $2::timestamptz[]) as d(id, beat_at)
      where r.id = d.id and r.beat_at = d.beat_at`,
    [dead.map(({ id }) => id), dead.map(({ beat: at }) => at)],
  );
}
