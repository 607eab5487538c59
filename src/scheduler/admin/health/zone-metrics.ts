// The age of the zone rules that plans are made by, as a metric.
import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../../platform/clock.js';
import { yearsBehind } from '../../../zone-rules/load-zone-rules.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';

export function addZoneMetrics(registry: Registry, rules: ZoneRules, clock: Clock): void {
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
}
