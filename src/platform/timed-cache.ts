// A small cache whose entries expire. For keys and tokens, because somebody may disable them at any moment. It remembers absences
// too, so that each unknown name costs one query in its lifetime. Absences have a cache of their own, so that they never evict
// what was found.
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';

export interface TimedCacheOptions {
  /** How long an entry lives from the beginning of its load, real milliseconds; 0: every call loads. */
  ttlMs: number;
  /** The most found entries and, separately, the most absences. The least recently used one is evicted. */
  max: number;
  clock: Clock;
}

interface Entry<Value> {
  readonly since: number;
  readonly value: Promise<Value>;
}

/** The value `undefined` is an absence. The caller must bound the number of loads that run at once. */
export class TimedCache<Value> {
  readonly #loading = new Map<string, Entry<Value>>();
  readonly #found: LRUCache<string, Entry<Value>>;
  readonly #absent: LRUCache<string, Entry<Value>>;

  constructor(private readonly options: TimedCacheOptions) {
    // Their age is checked here, by our clock and from the beginning of the load.
    this.#found = new LRUCache({ max: options.max });
    this.#absent = new LRUCache({ max: options.max });
  }

  /** The value of `key`. It is loaded at most once in a lifetime, however many ask at once. A failed load is not kept. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    return this.#fresh(key) ?? this.#keep(key, load());
  }

  /** As get(), for many keys, with one load for those that are not cached. */
  async getMany(
    keys: readonly string[],
    load: (missing: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    absent: Value,
  ): Promise<Map<string, Value>> {
    const missing = [...new Set(keys)].filter((key) => this.#fresh(key) === undefined);
    const loading = missing.length === 0 ? undefined : load(missing);
    const found = new Map<string, Promise<Value>>();
    for (const key of new Set(keys)) {
      const fresh = this.#fresh(key);
      if (fresh !== undefined) found.set(key, fresh);
      else if (loading !== undefined) {
        const loaded = loading.then((values) => values.get(key) ?? absent);
        found.set(key, this.#keep(key, loaded));
      }
    }
    const values = await Promise.all([...found].map(async ([key, value]) => [key, await value] as const));
    return new Map(values);
  }

  delete(key: string): void {
    for (const entries of [this.#loading, this.#found, this.#absent]) entries.delete(key);
  }

  clear(): void {
    for (const entries of [this.#loading, this.#found, this.#absent]) entries.clear();
  }

  #fresh(key: string): Promise<Value> | undefined {
    const entry = this.#loading.get(key) ?? this.#found.get(key) ?? this.#absent.get(key);
    const isFresh = entry !== undefined && this.options.clock.elapsed() - entry.since < this.options.ttlMs;
    return isFresh ? entry.value : undefined;
  }

  #keep(key: string, value: Promise<Value>): Promise<Value> {
    const entry = { since: this.options.clock.elapsed(), value };
    this.delete(key);
    this.#loading.set(key, entry);
    // A load whose key was deleted or loaded anew meanwhile is not remembered.
    const isLast = (): boolean => this.#loading.get(key) === entry && this.#loading.delete(key);
    value.then(
      (loaded) => {
        if (isLast()) (loaded === undefined ? this.#absent : this.#found).set(key, entry);
      },
      () => void isLast(),
    );
    return value;
  }
}
