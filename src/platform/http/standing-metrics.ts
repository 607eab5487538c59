// The metrics of a process as a whole: each health check and each loop as 0 or 1, read at each scrape. Also the spans that were
// lost, where spans are exported.
import { Counter, type Registry } from 'prom-client';
import type { Loops } from '../loops/loops.js';
import type { Tracing } from '../tracing/tracing.js';
import type { CheckResult, Health } from './health.js';
import { scrapedGauges } from './scraped-gauges.js';

export function addStandingMetrics(
  registry: Registry,
  { health, loops, tracing }: { health: Health; loops: Loops; tracing: Tracing },
): void {
  const gauge = scrapedGauges(registry);
  gauge('carillon_ready', '1 where /health/ready answers 200', [], async (ready) => {
    ready.set((await health.report()).ready ? 1 : 0);
  });
  const ofChecks = (name: string, help: string, valueOf: (check: CheckResult) => boolean): void =>
    gauge(name, help, ['check'], async (checks) => {
      for (const check of (await health.report()).checks)
        checks.set({ check: check.name }, valueOf(check) ? 1 : 0);
    });
  ofChecks(
    'carillon_health_check',
    '0 where the check of that name makes the process unready',
    ({ ok, note }) => ok || note === true,
  );
  ofChecks(
    'carillon_health_note',
    '1 where the check of that name has a note, which leaves the process ready',
    ({ note }) => note === true,
  );
  gauge('carillon_loop_ok', '1 where the last round of the loop succeeded', ['loop'], (working) => {
    for (const { name, lastError } of loops.status())
      working.set({ loop: name }, lastError === undefined ? 1 : 0);
  });
  if (tracing.isOn) addSpansDropped(registry, tracing);
}

function addSpansDropped(registry: Registry, tracing: Tracing): void {
  const dropped: Counter = new Counter({
    name: 'carillon_spans_dropped_total',
    help: 'spans that were lost: the queue was full, or the collector did not take them',
    registers: [registry],
    collect: () => {
      dropped.reset();
      dropped.inc(tracing.dropped);
    },
  });
}
