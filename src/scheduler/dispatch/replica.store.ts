// The heartbeats of the processes that dispatch: each writes its own and reads all.
import type { Sql } from '../../platform/database/database.js';
import { prepared, type PooledDatabase } from '../../platform/database/pooled-database.js';
import type { ReplicaBeat } from '../decide/lifecycle/replica-observer.js';

/** A Sql that is told how long to wait for an answer. */
export type PatientSql = Pick<PooledDatabase, 'query'>;

export interface ReplicaRow extends ReplicaBeat {
  /** The server whose lost commits it has looked into. */
  readonly server: string | null;
}

export interface HeardBeat {
  /** The server that answered, by its identity. */
  readonly server: string;
  readonly rows: readonly ReplicaRow[];
}

// A row for each process, by the primary key; updated in place (HOT). The first heartbeat of a process does not read itself.
const BEAT = prepared(`
with beat as (
  insert into replica (id, beat_at, server, machine, clock_ahead_ms)
  values ($1, clock_timestamp(), coalesce($2, server_identity()), $3, $4)
  on conflict (id) do update
    set beat_at = excluded.beat_at, server = excluded.server, clock_ahead_ms = excluded.clock_ahead_ms)
select server_identity() as now, r.id, r.beat_at::text as beat, r.server
  from (values (1)) as one left join replica r on true`);

/** What a process writes of itself. */
export interface OwnBeat {
  readonly id: string;
  readonly server: string | undefined;
  /** For others, who ask which clock is wrong. */
  readonly machine?: string | undefined;
  readonly clockAheadMs?: number | undefined;
}

/**
 * Writes this process's heartbeat and reads all the others' in one statement: a process that could not write has not read
 * either. `server`: whose lost commits it has looked into; undefined: it has fired nothing yet. Waits `answerMs` real
 * milliseconds for the answer.
 */
export async function beat(
  sql: PatientSql,
  { id, server, machine, clockAheadMs }: OwnBeat,
  answerMs: number,
): Promise<HeardBeat> {
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

/** For a clean exit: what this process still has in flight is recovered at once. */
export async function leave(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from replica where id = $1', [id]);
}

/**
 * Deletes the rows of the dead, except of one that has written a heartbeat since. Only when no `sending` names them:
 * that its replica lives, a send knows by the row.
 */
export async function forgetReplicas(sql: Sql, dead: readonly ReplicaBeat[]): Promise<void> {
  if (dead.length === 0) return;
  await sql.query(
    `delete from replica r using unnest($1::uuid[], $2::timestamptz[]) as d(id, beat_at)
      where r.id = d.id and r.beat_at = d.beat_at`,
    [dead.map(({ id }) => id), dead.map(({ beat: at }) => at)],
  );
}
