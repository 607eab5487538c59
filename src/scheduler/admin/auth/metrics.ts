// The metrics of who calls: refused callers, and spent budgets.
import { counter } from '../../../platform/metric.js';
import { refusedMetric } from '../../../platform/http/metrics.js';

export const authMetrics = () => ({
  refused: refusedMetric('carillon_authentication_refused_total'),
  spent: counter(
    'carillon_budget_spent_total',
    'requests refused with 429 BUDGET_SPENT, by the budget that was spent',
    'budget',
  ),
});
