// The metrics of a process as a whole: each health check and each loop as 0 or 1, and the pools of
// connections, read at each scrape. Also the spans that were
// lost, where spans are exported, and Node's own.
import { collectDefaultMetrics, type Metric, type Registry } from 'prom-client';
import type { Loops } from '../loops/loops.js';
import type { PooledDatabase } from '../database/pooled-database.js';
import { gauge, readCounter } from '../metric.js';
import type { Tracing } from '../tracing/tracing.js';
import type { CheckResult, Health } from './health.js';

interface Process {
  readonly database: Pick<PooledDatabase, 'load'>;
  readonly health: Health;
  readonly loops: Loops;
  readonly tracing: Tracing;
}

export function processMetrics({ database, health, loops, tracing }: Process): Metric[] {
  const ofChecks = (isSet: (check: CheckResult) => boolean) => async () =>
    (await health.report()).checks.map((check) => [isSet(check) ? 1 : 0, { check: check.name }] as const);
  const lost = 'spans that were lost: the queue was full, or the collector did not take them';
  return [
    gauge('carillon_ready', '1 where /health/ready answers 200', async () =>
      (await health.report()).ready ? 1 : 0,
    ),
    gauge(
      'carillon_health_check{check}',
      '0 where the check of that name makes the process unready',
      ofChecks(({ ok, note }) => ok || note === true),
    ),
    gauge(
      'carillon_health_note{check}',
      '1 where the check of that name has a note, which leaves the process ready',
      ofChecks(({ note }) => note === true),
    ),
    gauge('carillon_loop_ok{loop}', '1 where the last round of the loop succeeded', () =>
      loops.status().map(({ name: loop, lastError }) => [lastError === undefined ? 1 : 0, { loop }]),
    ),
    gauge(
      'carillon_pool_connections{pool,state}',
      'connections to the database that are busy or idle, by pool',
      () =>
        database.load.flatMap(({ name: pool, busy, idle }) => [
          [busy, { pool, state: 'busy' }],
          [idle, { pool, state: 'idle' }],
        ]),
    ),
    gauge('carillon_pool_waiting{pool}', 'callers that wait for a connection, by pool', () =>
      database.load.map(({ name: pool, waiting }) => [waiting, { pool }]),
    ),
    ...(tracing.isOn ? [readCounter('carillon_spans_dropped_total', lost, () => tracing.dropped)] : []),
  ];
}

/** Node's default of 10 ms wakes an idle process a hundred times a second: that was a third of its processor time. */
export function collectNodeMetrics(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: 200 });
}
