// The metrics of reports.
import { gauge } from '../../platform/metric.js';

export const reportMetrics = (reports: { readonly waiting: number }) => [
  gauge('carillon_reports_waiting', 'reports that wait for a turn in this process', () => reports.waiting),
];
