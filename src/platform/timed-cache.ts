// A small map whose entries grow old: for keys and tokens, which may be disabled at any moment. Remembers absences too,
// so that a flood of unknown names costs one query each per life, and never holds more than its bound.
import type { Clock } from './clock.js';

export interface TimedCacheOptions {
  /** Life of an entry, real milliseconds. */
  ttlMs: number;
  /** The oldest entry leaves when one more comes. */
  max: number;
  clock: Clock;
}

export class TimedCache<Value> {
  readonly #entries = new Map<string, { until: number; value: Promise<Value> }>();

  constructor(private readonly options: TimedCacheOptions) {}

  /** The value of `key`, loaded at most once per life by however many ask at once. A failed load is not kept. */
  async get(key: string, load: () => Promise<Value>): Promise<Value> {
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
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #fresh(key: string): Promise<Value> | undefined {
    const found = this.#entries.get(key);
    return found !== undefined && found.until > this.options.clock.elapsed() ? found.value : undefined;
  }

  #keep(key: string, value: Promise<Value>): Promise<Value> {
    const entry = { until: this.options.clock.elapsed() + this.options.ttlMs, value };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.options.max) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return value;
  }
}
