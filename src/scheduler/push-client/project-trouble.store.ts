// What single processes have met with a project, mostly why they do not call it: seen by the API and by /metrics of every
// replica. Blocks are the project's own and stand in its row (project-block.store.ts).
import { v7 } from 'uuid';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';

/** Those of this process. Never rejects: what cannot be written is written with the next, or ends by itself. */
export class LocalTroubles {
  /** Names this process in the rows. */
  readonly #process = v7();
  #hasNoted = false;
  #stopped = false;

  constructor(
    private readonly sql: Sql,
    private readonly log: Log,
  ) {}

  /**
   * It goes on, or has begun; call it every minute at least while it lasts. `code`: `CIRCUIT_OPEN`, `CLOCK_CORRECTED`, or that
   * of a fault of ours. Nothing for a project that is gone.
   */
  note(serviceId: string, code: string, detail: string): void {
    if (this.#stopped) return;
    this.#hasNoted = true;
    void this.#write(
      `insert into project_trouble (service_id, process, code, detail, since, seen_at)
       select service_id, $2, $3, $4, clock_timestamp(), clock_timestamp() from project where service_id = $1
       on conflict (service_id, code, process) do update set seen_at = excluded.seen_at, detail = excluded.detail`,
      [serviceId, this.#process, code, detail],
    );
  }

  end(serviceId: string, code: string): void {
    const text = 'delete from project_trouble where process = $1 and service_id = $2 and code = $3';
    void this.#write(text, [this.#process, serviceId, code]);
  }

  /** The process ends: its troubles are nobody's. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (!this.#hasNoted) return;
    await this.#write('delete from project_trouble where process = $1', [this.#process]);
  }

  async #write(text: string, parameters: readonly string[]): Promise<void> {
    try {
      await this.sql.query(text, parameters);
    } catch (error) {
      const why = { err: error, process: this.#process };
      this.log.error(why, 'a trouble of this process could not be written down or taken back');
    }
  }
}

/** What is not refreshed for so long belongs to a process that died. */
export const TROUBLE_GOOD_FOR = "interval '2 minutes'";

export async function deleteOldTrouble(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `delete from project_trouble where seen_at < clock_timestamp() - interval '1 day' returning 1 as gone`,
  );
  return rows.length;
}
