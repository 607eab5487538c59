// How a metric is declared: its name, what it says, its labels, and, where nobody counts it, how it is read at each scrape.
// Only files named metrics.ts declare one, and only stage.ts registers it.
import { Counter, Gauge, Histogram, type Metric } from 'prom-client';

/** One value, or one for each set of labels; undefined: there is none. */
type Reading = number | undefined | readonly (readonly [value: number, labels: Labels])[];
type Labels = Readonly<Record<string, string>>;
type Read = () => Reading | Promise<Reading>;

type LabelsOf<Declared> = Declared extends `${string}{${infer Listed}}` ? Split<Listed> : never;
type Split<Text> = Text extends `${infer First},${infer Rest}` ? First | Split<Rest> : Text;

/** Counted by this process. `declared`: as in the page of metrics, `name{label,label}`; so too below. */
export function counter<const Declared extends string>(
  declared: Declared,
  help: string,
): Counter<LabelsOf<Declared>> {
  return new Counter(described(declared, help));
}

/** Sorted into buckets by this process; `buckets`: their upper bounds. */
export function histogram<const Declared extends string>(
  declared: Declared,
  help: string,
  buckets: readonly number[],
): Histogram<LabelsOf<Declared>> {
  return new Histogram({ ...described(declared, help), buckets: [...buckets] });
}

/** Its values are read at each scrape. While the database is away, metrics that read it are left out. */
export const gauge = (declared: string, help: string, read: Read): Metric =>
  new Gauge(scraped(declared, help, read));

/** Its values are read at each scrape from what another counts. */
export const readCounter = (declared: string, help: string, read: Read): Metric =>
  new Counter(scraped(declared, help, read));

function described(declared: string, help: string) {
  const [name = '', labels = ''] = declared.split(/[{}]/);
  return { name, help, labelNames: labels === '' ? [] : labels.split(','), registers: [] };
}

interface Collected {
  reset(): void;
  inc(labels: Labels, value: number): void;
  remove(): void;
}

function scraped(declared: string, help: string, read: Read) {
  const metric = described(declared, help);
  return {
    ...metric,
    async collect(this: Collected): Promise<void> {
      this.reset();
      const found = await (async () => read())().catch(() => undefined);
      // One without labels is 0 after a reset, which would be a figure: days until the disk is full, for one.
      if (found === undefined && metric.labelNames.length === 0) this.remove();
      for (const [value, labels] of typeof found === 'number' ? [[found, {}] as const] : (found ?? []))
        this.inc(labels, value);
    },
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
