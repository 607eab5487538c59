// The metrics of the process as a whole: each health check and each loop as 0 or 1, and the age of its zone rules, read
// when they are scraped.
import { Gauge, type Registry } from 'prom-client';
import type { CheckResult, Health } from '../../platform/http/health.js';
import type { Clock } from '../../platform/clock.js';
import type { Loops } from '../../platform/loops.js';
import { yearsBehind } from '../../zone-rules/load-zone-rules.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';

export function addStandingMetrics(
  registry: Registry,
  { health, loops, rules, clock }: { health: Health; loops: Loops; rules: ZoneRules; clock: Clock },
): void {
  const { version, source } = rules;
  const age = new Gauge({
    name: 'carillon_zone_rules_years_behind',
    help: 'Calendar years since the release of the zone rules that plans are made by',
    labelNames: ['version', 'source'],
    registers: [registry],
    collect: () => {
      const years = yearsBehind(version, clock.now());
      if (years !== undefined) age.set({ version, source }, years);
    },
  });
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
