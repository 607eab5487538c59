// Works off acts on campaigns and their revisions, page by page. What leaves does not depend on it, because `fire` reads the mark of an act. Each page
// is a transaction; the page of a process that dies is left to the next process.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { settleRevision } from '../../store/revision/settle-revision.store.js';
import { workRevisionPage } from '../../store/send/revise.store.js';
import { anyActWaits, putActLast, WAITS_MS, workPage } from '../../store/send/act.store.js';

/** Sends of one page, whose rows are locked together. A thousand took more than a second on a busy machine. */
const PAGE = 500;

interface WorkActsDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Asks for a round after so many real milliseconds. */
  readonly wakeIn?: (ms: number) => void;
  readonly page?: number;
}

export class WorkActs {
  constructor(private readonly deps: WorkActsDeps) {}

  /** One page of the act that has waited longest, and one of a revision; if one fails, the others go first. Returns whether it did any. */
  async runOnce(): Promise<number> {
    const { database, clock, wakeIn, page = PAGE } = this.deps;
    try {
      const now = clock.now();
      const acted = await database.transaction((sql) => workPage(sql, now, page));
      const revised = await database.transaction((sql) => workRevisionPage(sql, now, page));
      const settled = await database.transaction((sql) => settleRevision(sql, now));
      const did = acted || revised || settled;
      if (!did && wakeIn !== undefined && (await anyActWaits(database))) wakeIn(WAITS_MS);
      return did ? 1 : 0;
    } catch (error) {
      await putActLast(database).catch(() => undefined);
      throw error;
    }
  }
}
