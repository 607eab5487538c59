// Metrics of each project: what holds its calls back, which the database has for all processes, and what waits in this process. Read
// at each scrape; left out while the database is away.
import type { Registry } from 'prom-client';
import type { Sql } from '../../../platform/database/database.js';
import { scrapedGauges, sharedWhileAsking, type Collect } from '../../../platform/http/scraped-gauges.js';
import { overdueSends } from './overdue.store.js';
import { callStates, type CallState } from './call-state.store.js';

export interface ProjectMetricsDeps {
  readonly sql: Sql;
  readonly now: () => Date;
  /** undefined: this process does not dispatch. */
  readonly dispatch: { queues(): readonly QueueState[] } | undefined;
}

interface QueueState {
  readonly serviceId: string;
  readonly queued: number;
  readonly inFlight: number;
  readonly circuitOpen: boolean;
}

/** Values of a gauge, each with its labels beside the service. */
type Values = readonly (readonly [value: number, labels?: Record<string, string>])[];

const ofEach =
  <Row extends { readonly serviceId: string }>(
    rows: () => Promise<readonly Row[]> | readonly Row[],
    values: (row: Row) => Values,
  ): Collect =>
  async (to) => {
    for (const row of await rows())
      for (const [value, labels] of values(row)) to.set({ service: row.serviceId, ...labels }, value);
  };

export function addProjectMetrics(registry: Registry, { sql, now, dispatch }: ProjectMetricsDeps): void {
  const gauge = scrapedGauges(registry, ['service']);
  const overdue = sharedWhileAsking(() => overdueSends(sql, now().getTime()));
  gauge(
    'carillon_sends_overdue',
    'sends that should have left at least 1 s ago, at most 10 000 of a project; 0 for a blocked project',
    [],
    ofEach(overdue, ({ sends }) => [[sends]]),
  );
  gauge(
    'carillon_sends_overdue_seconds',
    'how long ago the oldest overdue send should have left',
    [],
    ofEach(overdue, ({ oldestSeconds }) => [[oldestSeconds]]),
  );
  const states = sharedWhileAsking(() => callStates(sql, now()));
  const ofProject = (values: (state: CallState) => Values): Collect => ofEach(states, values);
  gauge(
    'carillon_project_rate_limit',
    'calls a second that the project allows',
    [],
    ofProject(({ ratePerSecond }) => [[ratePerSecond]]),
  );
  gauge(
    'carillon_project_rate',
    'calls a second now, over all processes: a 429 halves it',
    [],
    ofProject(({ rate }) => [[rate]]),
  );
  gauge(
    'carillon_project_blocked',
    '1 while nothing is sent for the project',
    ['code'],
    ofProject(({ blockedCode: code }) => (code === null ? [] : [[1, { code }]])),
  );
  gauge(
    'carillon_project_trouble_processes',
    'processes that have a trouble with the project, by code',
    ['code'],
    ofProject(({ troubles }) => Object.entries(troubles).map(([code, processes]) => [processes, { code }])),
  );
  if (dispatch === undefined) return;
  const queues = (): readonly QueueState[] => dispatch.queues();
  gauge(
    'carillon_dispatch_sends',
    'sends that this process has looked ahead to, by where they are',
    ['place'],
    ofEach(queues, ({ queued, inFlight }) => [
      [queued, { place: 'queued' }],
      [inFlight, { place: 'in-flight' }],
    ]),
  );
  gauge(
    'carillon_circuit_open',
    '1 while this process cannot reach the push gateway',
    [],
    ofEach(queues, ({ circuitOpen }) => [[circuitOpen ? 1 : 0]]),
  );
}
