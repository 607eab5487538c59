// Looks up the traces of a page's outcomes: each revision once in a process, with one statement for all that are not cached. The
// trace of a revision never changes; most revisions have none.
import { LRUCache } from 'lru-cache';
import type { Sql } from '../../../platform/database/database.js';
import type { TraceContext } from '../../../platform/tracing/trace-context.js';
import type { RevisionName } from '../../store/send/fire.store.js';
import { revisionTraces } from '../../store/trace.store.js';

/** About 200 bytes each. */
const MOST = 20_000;

const keyOf = ({ campaign, revision }: RevisionName): string => `${campaign} ${revision}`;

export class OutcomeTraces {
  readonly #known = new LRUCache<string, { readonly trace: TraceContext | undefined }>({ max: MOST });

  /** The trace of each outcome, in their order. */
  async of(sql: Sql, outcomes: readonly RevisionName[]): Promise<(TraceContext | undefined)[]> {
    const found = new Map<string, TraceContext | undefined>();
    const missing = new Map<string, RevisionName>();
    for (const outcome of outcomes) {
      const key = keyOf(outcome);
      if (found.has(key) || missing.has(key)) continue;
      const known = this.#known.get(key);
      if (known === undefined) missing.set(key, outcome);
      else found.set(key, known.trace);
    }
    if (missing.size > 0) {
      const rows = await revisionTraces(sql, [...missing.values()]);
      const traces = new Map(rows.map((row) => [keyOf(row), row.trace ?? undefined]));
      for (const key of missing.keys()) {
        const trace = traces.get(key);
        found.set(key, trace);
        this.#known.set(key, { trace });
      }
    }
    return outcomes.map((outcome) => found.get(keyOf(outcome)));
  }
}
