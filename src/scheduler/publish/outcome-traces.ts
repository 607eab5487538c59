// The traces of the outcomes of a page: looked up once for each revision in a process, with one statement a page for those that
// are not known. A revision's trace never changes; most have none.
import { LRUCache } from 'lru-cache';
import type { Sql } from '../../platform/database/database.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { OutcomeRow } from '../store/send/outcome.store.js';
import { revisionTraces } from '../store/trace.store.js';

/** Some 200 bytes each. */
const MOST = 20_000;

type Named = Pick<OutcomeRow, 'campaign' | 'revision'>;

const nameOf = ({ campaign, revision }: Named): string => `${campaign} ${revision}`;

export class OutcomeTraces {
  readonly #known = new LRUCache<string, { readonly trace: TraceContext | undefined }>({ max: MOST });

  /** Each outcome's, in their order. */
  async of(sql: Sql, outcomes: readonly Named[]): Promise<(TraceContext | undefined)[]> {
    const found = new Map<string, TraceContext | undefined>();
    const missing = new Map<string, Named>();
    for (const outcome of outcomes) {
      const name = nameOf(outcome);
      if (found.has(name) || missing.has(name)) continue;
      const known = this.#known.get(name);
      if (known === undefined) missing.set(name, outcome);
      else found.set(name, known.trace);
    }
    if (missing.size > 0) {
      const rows = await revisionTraces(sql, [...missing.values()]);
      const traces = new Map(rows.map((row) => [nameOf(row), row.trace ?? undefined]));
      for (const name of missing.keys()) {
        const trace = traces.get(name);
        found.set(name, trace);
        this.#known.set(name, { trace });
      }
    }
    return outcomes.map((outcome) => found.get(nameOf(outcome)));
  }
}
