// Metrics of the look-ups that campaigns wait for, of all processes together.
import type { Metric } from 'prom-client';
import type { Sql } from '../../platform/database/database.js';
import { gauge } from '../../platform/metric.js';
import { countLookups } from '../store/audience-lookup.store.js';

export const audienceMetrics = (sql: Sql): Metric[] => [
  gauge(
    'carillon_lookups_waiting',
    'campaigns that wait for answers of a push service before they are planned, at most 10 000',
    () => countLookups(sql),
  ),
];
