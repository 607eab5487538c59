// What is lost of spans, where they are exported at all.
import { Counter, type Registry } from 'prom-client';
import type { Tracing } from './tracing.js';

export function addTracingMetrics(registry: Registry, tracing: Tracing): void {
  if (!tracing.isOn) return;
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
