// What single processes have met with a project, mostly why they do not call it: seen by the API and by /metrics of every replica. Rests are the project's own
// and stand in its row (project-block.store.ts).
import { rowsOf, type Sql } from '../../platform/database/database.js';

export interface Trouble {
  readonly serviceId: string;
  /** The process that has it. */
  readonly process: string;
  /** `CIRCUIT_OPEN`, `CLOCK_CORRECTED`, or the code of a fault of ours. */
  readonly code: string;
  readonly detail: string;
}

/** It goes on, or has begun; call it every minute at least while it lasts. Nothing for a project that is gone. */
export async function noteTrouble(sql: Sql, { serviceId, process, code, detail }: Trouble): Promise<void> {
  await sql.query(
    `insert into project_trouble (service_id, process, code, detail, since, seen_at)
     select service_id, $2, $3, $4, clock_timestamp(), clock_timestamp() from project where service_id = $1
     on conflict (service_id, code, process) do update set seen_at = excluded.seen_at, detail = excluded.detail`,
    [serviceId, process, code, detail],
  );
}

/** Of one service; undefined: of the process, which ends. */
export async function endTrouble(
  sql: Sql,
  { process, serviceId, code }: { process: string; serviceId?: string; code?: string },
): Promise<void> {
  await sql.query(
    `delete from project_trouble where process = $1 and ($2::text is null or service_id = $2)
        and ($3::text is null or code = $3)`,
    [process, serviceId ?? null, code ?? null],
  );
}

/** What is not refreshed for so long belongs to a process that died. */
export const TROUBLE_GOOD_FOR = "interval '2 minutes'";

export async function deleteOldTrouble(sql: Sql): Promise<number> {
  const rows = await rowsOf(
    sql,
    `delete from project_trouble where seen_at < clock_timestamp() - interval '1 day' returning 1 as gone`,
  );
  return rows.length;
}
