// Rolls the outcomes of sends up: adds them to the sums from which reports are read (docs/decisions/0054). A page is added in the
// transaction that moves the cursors, so it is added once, whichever process dies.
import type { Sql } from '../../../platform/database/database.js';
import type { LogAsk, LogConsumer, TakenPage } from '../log/log-reader.js';
import { rollUpPage } from './roll-up.store.js';

export class RollUp implements LogConsumer {
  readonly name = 'rollup';

  /** `breakdownFrom`: the breakdown of a send with at least this many devices is asked for. */
  constructor(private readonly breakdownFrom = 100) {}

  take(sql: Sql, ask: LogAsk): Promise<TakenPage> {
    return rollUpPage(sql, ask, this.breakdownFrom);
  }
}
