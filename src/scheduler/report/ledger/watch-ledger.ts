// The loop `ledger`: every ten minutes one process reads the ledger of the last hours, and keeps whether it balances for whoever judges
// alerts. Reads as a report does, with rests in between, so that no due send waits for it.
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import { beginRound, keepRound, type LedgerFacts } from '../../store/alert-round.store.js';
import { readLedger, type Ledger } from './ledger.store.js';

/** Real milliseconds between two rounds of all processes together. */
export const WATCH_LEDGER_MS = 600_000;
/** A process comes a little early, or it would miss every other round. */
const EARLY_MS = 30_000;
/** How many missing rows the alert names by kind. */
const MOST_NAMED = 3;

export interface WatchLedgerDeps {
  readonly sql: Sql;
  /** Gives the turns of reports. */
  readonly reports: Database;
  readonly clock: Pick<Clock, 'now'>;
  /** How far back it looks, milliseconds. */
  readonly backMs: number;
}

export class WatchLedger {
  constructor(private readonly deps: WatchLedgerDeps) {}

  /** Returns 0: there is never more to do at once. */
  async runOnce(): Promise<number> {
    const { sql, reports, clock, backMs } = this.deps;
    const mark = await beginRound(sql, 'ledger', WATCH_LEDGER_MS - EARLY_MS);
    if (mark === undefined) return 0;
    const now = clock.now();
    const ledger = await readLedger(reports, { serviceIds: null, from: now - backMs }, now);
    await keepRound(sql, 'ledger', mark, factsOf(ledger));
    return 0;
  }
}

export function factsOf({ events, planned, tests, devices, missing }: Ledger): LedgerFacts {
  const lines = Object.entries({ events, planned, tests, devices }).filter(([, line]) => !line.balanced);
  const said = [
    ...lines.map(([name, { left, sum }]) => `${name}: ${left} are ${sum}`),
    ...missing.slice(0, MOST_NAMED).map(({ code, count }) => `${count} ${code}`),
  ];
  return {
    differing: lines.length,
    missing: missing.reduce((sum, { count }) => sum + count, 0),
    detail: said.join(', '),
  };
}
