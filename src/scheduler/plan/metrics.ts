// The metrics of planning.
import { counter, gauge } from '../../platform/metric.js';
import { yearsBehind } from '../../zone-rules/load-zone-rules.js';
import type { Core } from '../core.js';

export const planMetrics = ({ rules: { version, source }, clock }: Pick<Core, 'rules' | 'clock'>) => ({
  givenUp: counter(
    'carillon_plannings_given_up_total',
    'plannings that failed too often: a campaign was rejected or an occurrence skipped as PLANNING_FAILED',
  ),
  plans: counter('carillon_plans_total', 'plans that this process wrote; a long recurrence has several'),
  cells: counter('carillon_plan_cells_total', 'cells of these plans'),
  rulesAge: gauge(
    'carillon_zone_rules_years_behind{version,source}',
    'Calendar years since the release of the zone rules that plans are made by',
    () => {
      const years = yearsBehind(version, clock.now());
      return years === undefined ? [] : [[years, { version, source }]];
    },
  ),
});
