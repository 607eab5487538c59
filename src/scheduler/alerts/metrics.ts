// Metrics of what needs a person.
import type { Metric } from 'prom-client';
import type { Sql } from '../../platform/database/database.js';
import { gauge, sharedWhileAsking } from '../../platform/metric.js';
import { openAlerts } from './alert.store.js';
import { CAUSE_CODES, causeOf } from './cause.js';

export function alertMetrics(sql: Sql): Metric[] {
  const open = sharedWhileAsking(() => openAlerts(sql));
  return [
    gauge(
      'carillon_alerts_open{cause,severity}',
      'open alerts, by cause; 0 where there is none',
      async () => {
        const alerts = await open();
        return CAUSE_CODES.map((cause) => [
          alerts.filter((alert) => alert.cause === cause).length,
          { cause, severity: causeOf(cause).severity },
        ]);
      },
    ),
  ];
}
