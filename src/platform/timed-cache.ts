// A small map whose entries grow old: for keys and tokens, which may be disabled at any moment. Remembers absences too,
// so that a flood of unknown names costs one query each per life, and beside what was found: they never push it out.
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';

export interface TimedCacheOptions {
  /** Life of an entry since its load began, real milliseconds; 0: every call loads. */
  ttlMs: number;
  /** Of what was found, and of what was not: the one that was not asked for the longest leaves when one more comes. */
  max: number;
  clock: Clock;
}

interface Entry<Value> {
  readonly since: number;
  readonly value: Promise<Value>;
}

/** `undefined` is an absence. What is being loaded is not bounded here: whoever loads does that. */
export class TimedCache<Value> {
  readonly #loading = new Map<string, Entry<Value>>();
  readonly #found: LRUCache<string, Entry<Value>>;
  readonly #absent: LRUCache<string, Entry<Value>>;

  constructor(private readonly options: TimedCacheOptions) {
    // Their age is judged here: the library's clock is not ours.
    this.#found = new LRUCache({ max: options.max });
    this.#absent = new LRUCache({ max: options.max });
  }

  /** The value of `key`, loaded at most once per life by however many ask at once. A failed load is not kept. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    return this.#fresh(key) ?? this.#keep(key, load());
  }

  /** The same for many keys, with one load of those that are not here. */
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
      else if (loading !== undefined)
        found.set(
          key,
          this.#keep(
            key,
            loading.then((values) => values.get(key) ?? absent),
          ),
        );
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
    // Forgotten or loaded anew meanwhile, it is not what is to be remembered.
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
