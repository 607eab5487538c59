// How a metric is declared: its name, what it says, its labels, and, where nobody counts it, how it is read at each scrape.
// Only files named metrics.ts declare one, and only stage.ts registers it.
import { Counter, Gauge, type Metric } from 'prom-client';

/** One value, or one for each set of labels; undefined: there is none. */
type Reading = number | undefined | readonly (readonly [value: number, labels: Labels])[];
type Labels = Readonly<Record<string, string>>;
type Read = () => Reading | Promise<Reading>;

/** Counted by this process. */
export function counter<Label extends string = never>(
  name: string,
  help: string,
  ...labelNames: Label[]
): Counter<Label> {
  return new Counter({ name, help, labelNames, registers: [] });
}

/** Its values are read at each scrape. While the database is away, metrics that read it are left out. */
export function gauge(name: string, help: string, labelNames: readonly string[], read: Read): Metric {
  return new Gauge({ name, help, labelNames, registers: [], collect: collectBy(labelNames, read) });
}

/** Its values are read at each scrape from what another counts. */
export function readCounter(name: string, help: string, labelNames: readonly string[], read: Read): Metric {
  return new Counter({ name, help, labelNames, registers: [], collect: collectBy(labelNames, read) });
}

interface Collected {
  reset(): void;
  inc(labels: Labels, value: number): void;
  remove(): void;
}

function collectBy(labelNames: readonly string[], read: Read) {
  return async function (this: Collected): Promise<void> {
    this.reset();
    const found = await (async () => read())().catch(() => undefined);
    // One without labels is 0 after a reset, which would be a figure: days until the disk is full, for one.
    if (found === undefined && labelNames.length === 0) this.remove();
    for (const [value, labels] of typeof found === 'number' ? [[found, {}] as const] : (found ?? []))
      this.inc(labels, value);
  };
}

/** A caller that asks while another waits for the answer gets the same answer, so one scrape asks once. */
export function sharedWhileAsking<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asking: Promise<Answer> | undefined;
  return async () => {
    asking ??= ask().finally(() => (asking = undefined));
    return asking;
  };
}
