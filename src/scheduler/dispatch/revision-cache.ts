// Caches what all requests of a revision share. A revision never changes, so an entry never becomes wrong. The bound is in bytes,
// because a message may have a megabyte.
import { LRUCache } from 'lru-cache';
import type { Sql } from '../../platform/database/database.js';
import { revisionFacts, type RevisionFacts, type RevisionName } from '../store/send/fire.store.js';

const MAX_BYTES = 64 * 1_048_576;

const keyOf = ({ campaign, revision }: RevisionName): string => `${campaign} ${revision}`;

export class RevisionCache {
  readonly #known = new LRUCache<string, RevisionFacts>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
  });

  constructor(private readonly sql: Sql) {}

  /** Looks up all of them, with one query for those that are not cached. */
  async getMany(names: readonly RevisionName[]): Promise<(name: RevisionName) => RevisionFacts | undefined> {
    const found = new Map<string, RevisionFacts>();
    const missing = new Map<string, RevisionName>();
    for (const name of names) {
      const key = keyOf(name);
      const known = found.get(key) ?? this.#known.get(key);
      if (known === undefined) missing.set(key, name);
      else found.set(key, known);
    }
    if (missing.size > 0) {
      for (const facts of await revisionFacts(this.sql, [...missing.values()])) {
        found.set(keyOf(facts), facts);
        this.#known.set(keyOf(facts), facts);
      }
    }
    return (name) => found.get(keyOf(name));
  }
}
