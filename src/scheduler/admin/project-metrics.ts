// Metrics of each project: what its calls are held back by, as the database has it for all processes, and what waits in
// this one. Read when they are scraped; a database that is away leaves them out.
import type { Registry } from 'prom-client';
import type { Sql } from '../../platform/database/database.js';
import { scrapedGauges, sharedWhileAsking } from '../../platform/http/scraped-gauges.js';
import { overdueSends } from '../store/send/read/overdue.store.js';
import type { Days } from '../store/send/work-days.store.js';
import { callStates } from './call-state.store.js';

export interface ProjectMetricsParts {
  readonly sql: Sql;
  readonly now: () => Date;
  /** Those that may hold work. */
  readonly days: () => Promise<Days>;
  /** undefined: this process does not dispatch. */
  readonly dispatch: { queues(): readonly QueueState[] } | undefined;
}

interface QueueState {
  readonly serviceId: string;
  readonly queued: number;
  readonly onWire: number;
  readonly circuitOpen: boolean;
}

export function addProjectMetrics(registry: Registry, parts: ProjectMetricsParts): void {
  addOverdue(registry, parts);
  const { sql, now, dispatch } = parts;
  const gauge = scrapedGauges(registry, ['service']);
  const asked = sharedWhileAsking(() => callStates(sql, now()));
  gauge('carillon_project_rate_limit', 'calls a second that the project is set to', [], async (to) => {
    for (const { serviceId: service, ratePerSecond } of await asked()) to.set({ service }, ratePerSecond);
  });
  gauge(
    'carillon_project_rate',
    'calls a second now, over all processes: a 429 halves it',
    [],
    async (to) => {
      for (const { serviceId: service, rate } of await asked()) to.set({ service }, rate);
    },
  );
  gauge('carillon_project_blocked', '1 while nothing of the project is sent', ['code'], async (to) => {
    for (const { serviceId: service, blockedCode: code } of await asked()) {
      if (code !== null) to.set({ service, code }, 1);
    }
  });
  gauge(
    'carillon_project_trouble_processes',
    'processes that have a trouble with the project, by code',
    ['code'],
    async (to) => {
      for (const { serviceId: service, troubles } of await asked()) {
        for (const [code, count] of Object.entries(troubles)) to.set({ service, code }, count);
      }
    },
  );
  if (dispatch === undefined) return;
  gauge(
    'carillon_dispatch_sends',
    'sends that this process has looked ahead to, by place',
    ['place'],
    (to) => {
      for (const { serviceId: service, queued, onWire } of dispatch.queues()) {
        to.set({ service, place: 'queued' }, queued);
        to.set({ service, place: 'on-wire' }, onWire);
      }
    },
  );
  gauge('carillon_circuit_open', '1 while this process cannot reach the push gateway', [], (to) => {
    for (const { serviceId: service, circuitOpen } of dispatch.queues())
      to.set({ service }, circuitOpen ? 1 : 0);
  });
}

function addOverdue(registry: Registry, { sql, now, days }: ProjectMetricsParts): void {
  const gauge = scrapedGauges(registry, ['service']);
  const asked = sharedWhileAsking(async () => overdueSends(sql, now().getTime(), await days()));
  gauge(
    'carillon_sends_overdue',
    'sends that should have left a second ago, at most 10 000 of a project; none of one that is blocked',
    [],
    async (to) => {
      for (const { serviceId: service, sends } of await asked()) to.set({ service }, sends);
    },
  );
  gauge(
    'carillon_sends_overdue_seconds',
    'how long ago the oldest of them should have left',
    [],
    async (to) => {
      for (const { serviceId: service, oldestSeconds } of await asked()) to.set({ service }, oldestSeconds);
    },
  );
}
