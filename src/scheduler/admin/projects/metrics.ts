// Metrics of each project, which the database has for all processes: what holds its calls back, and which sends are overdue.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { gauge, sharedWhileAsking } from '../../../platform/metric.js';
import { callStates } from './call-state.store.js';
import { overdueSends } from './overdue.store.js';

export function projectMetrics({ database: sql, clock }: { database: Sql; clock: Pick<Clock, 'now'> }) {
  const overdue = sharedWhileAsking(() => overdueSends(sql, clock.now()));
  const states = sharedWhileAsking(() => callStates(sql, new Date(clock.now())));
  return [
    gauge(
      'carillon_sends_overdue{service}',
      'sends that should have left at least 1 s ago, at most 10 000 of a project; 0 for a blocked project',
      async () => (await overdue()).map(({ serviceId: service, sends }) => [sends, { service }]),
    ),
    gauge(
      'carillon_sends_overdue_seconds{service}',
      'how long ago the oldest overdue send should have left',
      async () =>
        (await overdue()).map(({ serviceId: service, oldestSeconds }) => [oldestSeconds, { service }]),
    ),
    gauge('carillon_project_rate_limit{service}', 'calls a second that the project allows', async () =>
      (await states()).map(({ serviceId: service, ratePerSecond }) => [ratePerSecond, { service }]),
    ),
    gauge(
      'carillon_project_rate{service}',
      'calls a second now, over all processes: a 429 halves it',
      async () => (await states()).map(({ serviceId: service, rate }) => [rate, { service }]),
    ),
    gauge('carillon_project_blocked{service,code}', '1 while nothing is sent for the project', async () =>
      (await states()).flatMap(({ serviceId: service, blockedCode: code }) =>
        code === null ? [] : [[1, { service, code }] as const],
      ),
    ),
    gauge(
      'carillon_project_trouble_processes{service,code}',
      'processes that have a trouble with the project, by code',
      async () =>
        (await states()).flatMap(({ serviceId: service, troubles }) =>
          Object.entries(troubles).map(([code, processes]) => [processes, { service, code }] as const),
        ),
    ),
  ];
}
