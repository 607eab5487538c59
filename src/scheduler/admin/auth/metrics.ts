// The metrics of who calls: refused callers, and spent budgets.
import { counter } from '../../../platform/metric.js';

export const authMetrics = () => ({
  refused: counter(
    'carillon_authentication_refused_total{reason}',
    'Requests whose caller was refused, by reason',
  ),
  spent: counter(
    'carillon_budget_spent_total{budget}',
    'requests refused with 429 BUDGET_SPENT, by the budget that was spent',
  ),
});
