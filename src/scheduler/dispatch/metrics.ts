// The metrics of dispatch: what waits in this process, and what became of hand-offs.
import { counter, gauge, histogram } from '../../platform/metric.js';

export interface QueueState {
  readonly serviceId: string;
  readonly queued: number;
  readonly inFlight: number;
  readonly circuitOpen: boolean;
}

/** Upper bounds, seconds: the usual is some milliseconds, the SLO a few seconds, what a stop held hours. */
const LATE_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600];

export const dispatchMetrics = (queues: () => readonly QueueState[]) => ({
  notTaken: counter('carillon_push_not_taken_total{service,code}', 'hand-offs that were not taken, by code'),
  lateness: histogram(
    'carillon_send_lateness_seconds{mode}',
    'how long after their instant sends left that the push service took',
    LATE_SECONDS,
  ),
  recovered: counter(
    'carillon_sends_recovered_total',
    'sends in flight of a replica that was gone, made uncertain by this process',
  ),
  sends: gauge(
    'carillon_dispatch_sends{service,place}',
    'sends that this process has looked ahead to, by where they are',
    () =>
      queues().flatMap(({ serviceId: service, queued, inFlight }) => [
        [queued, { service, place: 'queued' }],
        [inFlight, { service, place: 'in-flight' }],
      ]),
  ),
  circuits: gauge(
    'carillon_circuit_open{service}',
    '1 while this process cannot reach the push gateway',
    () => queues().map(({ serviceId: service, circuitOpen }) => [circuitOpen ? 1 : 0, { service }]),
  ),
});

export const replicaMetrics = (replicas: { readonly live: number }) => ({
  live: gauge(
    'carillon_replicas_live',
    'processes that dispatch and live, this one among them, as it sees them',
    () => replicas.live,
  ),
});
