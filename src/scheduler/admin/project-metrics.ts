// Metrics of each project: what its calls are held back by, as the database has it for all processes, and what waits in
// this one. Read when they are scraped; a database that is away leaves them out.
import { Gauge, type Registry } from 'prom-client';
import type { Sql } from '../../platform/database/database.js';
import { callStates } from './call-state.store.js';

export interface ProjectMetricsParts {
  readonly sql: Sql;
  readonly now: () => Date;
  /** undefined: this process does not dispatch. */
  readonly dispatch: { queues(): readonly QueueState[] } | undefined;
}

interface QueueState {
  readonly serviceId: string;
  readonly queued: number;
  readonly onWire: number;
  readonly circuitOpen: boolean;
}

export function addProjectMetrics(registry: Registry, { sql, now, dispatch }: ProjectMetricsParts): void {
  const asked = sharedWhileAsking(() => callStates(sql, now()).catch(() => []));
  const gauge = (
    name: string,
    help: string,
    labels: readonly string[],
    collect: (to: Gauge) => void | Promise<void>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['service', ...labels],
      registers: [registry],
      async collect() {
        this.reset();
        await collect(this);
      },
    });

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

/** All who ask while an answer is on its way are given that one: a scrape asks once. */
function sharedWhileAsking<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asking: Promise<Answer> | undefined;
  return async () => {
    asking ??= ask().finally(() => (asking = undefined));
    return asking;
  };
}
