// The heartbeats of the processes that dispatch: each writes its own and reads all.
import type { Sql } from '../../platform/database/database.js';
import { prepared, type PooledDatabase } from '../../platform/database/pooled-database.js';
import type { ReplicaBeat } from '../decide/lifecycle/replica-observer.js';

/** A Sql that is told how long to wait for an answer. */
export type PatientSql = Pick<PooledDatabase, 'query'>;

// A row for each process, by the primary key; updated in place (HOT). The first heartbeat of a process does not read itself.
const BEAT = prepared(`
with beat as (
  insert into replica (id, beat_at) values ($1, clock_timestamp())
  on conflict (id) do update set beat_at = excluded.beat_at)
select id, beat_at::text as beat from replica`);

/**
 * Writes this process's heartbeat and reads all the others' in one statement: a process that could not write has not read
 * either. Waits `answerMs` real milliseconds for the answer.
 */
export async function beat(sql: PatientSql, id: string, answerMs: number): Promise<ReplicaBeat[]> {
  return sql.query<ReplicaBeat>(BEAT, [id], answerMs);
}

/** For a clean exit: what this process still has on the wire is recovered at once. */
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
