// Troubles of single processes with a project, mostly why a process does not call it: the API and /metrics of every replica show
// them. A block belongs to the project and stands in its row (project-block.store.ts).
import { v7 } from 'uuid';
import type { Sql } from '../../../platform/database/database.js';
import type { Log } from '../../../platform/logging/log.js';

/** The troubles of this process. Never rejects: a trouble that cannot be written is written the next time, or expires. */
export class LocalTroubles {
  /** Names this process in its rows. */
  readonly #process = v7();
  #hasNoted = false;
  #stopped = false;

  constructor(
    private readonly sql: Sql,
    private readonly log: Log,
  ) {}

  /**
   * Writes a trouble that begins or goes on; call it at least every minute while it lasts. `code`: `CIRCUIT_OPEN`,
   * `CLOCK_CORRECTED`, or the code of a fault on our side. Does nothing for a project that is deleted.
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

  /** Deletes all troubles of this process, because it ends. */
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
      this.log.error(why, 'a trouble of this process could not be written or deleted');
    }
  }
}

/** A trouble that was not refreshed for so long belongs to a process that died. */
export const TROUBLE_GOOD_FOR = "interval '2 minutes'";

export async function deleteOldTrouble(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `delete from project_trouble where seen_at < clock_timestamp() - interval '1 day' returning 1 as gone`,
  );
  return rows.length;
}
