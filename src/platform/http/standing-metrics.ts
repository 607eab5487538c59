// The metrics of a process as a whole: each health check and each loop as 0 or 1, read when they are scraped.
import { Gauge, type Registry } from 'prom-client';
import type { Loops } from '../loops.js';
import type { CheckResult, Health } from './health.js';

export function addStandingMetrics(
  registry: Registry,
  { health, loops }: { health: Health; loops: Loops },
): void {
  const ready: Gauge = new Gauge({
    name: 'carillon_ready',
    help: '1 where /health/ready answers 200',
    registers: [registry],
    collect: async () => {
      ready.set((await health.report()).ready ? 1 : 0);
    },
  });
  const ofChecks = (name: string, help: string, valueOf: (check: CheckResult) => boolean): void => {
    const checks = new Gauge({
      name,
      help,
      labelNames: ['check'],
      registers: [registry],
      collect: async () => {
        const report = await health.report();
        checks.reset();
        for (const check of report.checks) checks.set({ check: check.name }, valueOf(check) ? 1 : 0);
      },
    });
  };
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
  const working = new Gauge({
    name: 'carillon_loop_ok',
    help: '1 where the last round of the loop succeeded',
    labelNames: ['loop'],
    registers: [registry],
    collect: () => {
      for (const { name, lastError } of loops.status())
        working.set({ loop: name }, lastError === undefined ? 1 : 0);
    },
  });
}
