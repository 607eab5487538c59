// Metrics of the gateways as this process sees them.
import type { Metric } from 'prom-client';
import { gauge } from '../../platform/metric.js';
import type { GatewaySilences } from './gateway-silences.js';

export const gatewayMetrics = (silences: Pick<GatewaySilences, 'lengths'>): Metric[] => [
  gauge(
    'carillon_gateway_silent_seconds{service}',
    'for how long the push gateway has given no answer to this process, though it was called; 0: it answers',
    () => silences.lengths.map(({ serviceId: service, ms }) => [ms / 1_000, { service }]),
  ),
];
