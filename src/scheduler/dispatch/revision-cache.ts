// What the requests of a revision share, kept while its sends leave. A revision never changes, so an entry never grows
// stale; the bound is on bytes, for a message may be a megabyte.
import type { Sql } from '../../platform/database/database.js';
import { revisionFacts, type RevisionFacts } from '../store/send/fire.store.js';

export interface RevisionName {
  readonly campaign: string;
  readonly revision: number;
}

const MAX_BYTES = 64 * 1_048_576;

const nameOf = ({ campaign, revision }: RevisionName): string => `${campaign} ${revision}`;

export class RevisionCache {
  readonly #entries = new Map<string, RevisionFacts>();
  #bytes = 0;

  constructor(private readonly sql: Sql) {}

  /** Looks up all of them with one query for those that are not here. */
  async getMany(names: readonly RevisionName[]): Promise<(name: RevisionName) => RevisionFacts | undefined> {
    const found = new Map<string, RevisionFacts>();
    const missing = new Map<string, RevisionName>();
    for (const name of names) {
      const known = this.#entries.get(nameOf(name));
      if (known === undefined) missing.set(nameOf(name), name);
      else found.set(nameOf(name), known);
    }
    if (missing.size > 0) {
      for (const facts of await revisionFacts(this.sql, [...missing.values()])) {
        found.set(nameOf(facts), facts);
        this.#keep(facts);
      }
    }
    return (name) => found.get(nameOf(name));
  }

  #keep(facts: RevisionFacts): void {
    if (this.#entries.has(nameOf(facts))) return;
    this.#entries.set(nameOf(facts), facts);
    this.#bytes += facts.bytes;
    for (const [name, { bytes }] of this.#entries) {
      if (this.#bytes <= MAX_BYTES || this.#entries.size === 1) break;
      this.#entries.delete(name);
      this.#bytes -= bytes;
    }
  }
}
