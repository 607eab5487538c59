// What this process alone has met with single projects, written where every replica's API and metrics show it. Never
// rejects: what cannot be written is written with the next, or ends by itself.
import { v7 } from 'uuid';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';
import { endTrouble, noteTrouble } from './project-trouble.store.js';

export class LocalTroubles {
  /** Names this process in the rows. */
  readonly #process = v7();
  #hasNoted = false;
  #stopped = false;

  constructor(
    private readonly sql: Sql,
    private readonly log: Log,
  ) {}

  note(serviceId: string, code: string, detail: string): void {
    if (this.#stopped) return;
    this.#hasNoted = true;
    noteTrouble(this.sql, { serviceId, process: this.#process, code, detail }).catch((error: unknown) => {
      this.log.error({ err: error, serviceId, code }, 'its trouble could not be written; the next one is');
    });
  }

  end(serviceId: string, code: string): void {
    endTrouble(this.sql, { process: this.#process, serviceId, code }).catch((error: unknown) => {
      this.log.error(
        { err: error, serviceId, code },
        'its trouble could not be taken back; it ends by itself',
      );
    });
  }

  /** The process ends: its troubles are nobody's. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (!this.#hasNoted) return;
    await endTrouble(this.sql, { process: this.#process }).catch((error: unknown) => {
      this.log.warn(
        { err: error },
        'troubles of this process could not be taken back; they end by themselves',
      );
    });
  }
}
