// Gauges whose values are read at each scrape. While the database is away, gauges that read it are left out.
import { Gauge, type Registry } from 'prom-client';

/** Sets the values of a gauge, by its labels. */
export type Collect = (to: Gauge) => void | Promise<void>;
export type AddGauge = (name: string, help: string, labels: readonly string[], collect: Collect) => void;

/** Adds gauges to `registry`, each with the labels `common` besides its own. */
export function scrapedGauges(registry: Registry, common: readonly string[] = []): AddGauge {
  return (name, help, labels, collect) => {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...common, ...labels],
      registers: [],
      async collect() {
        this.reset();
        await Promise.resolve(collect(this)).catch(() => undefined);
      },
    });
    registry.registerMetric(gauge);
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
