// Which alerts, as it stands in the address.
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

export const ALERT_STATES = ['open', 'ended'] as const;

export interface AlertsSearch {
  /** Left out: both. */
  readonly state?: (typeof ALERT_STATES)[number] | undefined;
  readonly service?: string | undefined;
}

export function searchOfAlerts(given: Record<string, unknown>): AlertsSearch {
  return chosen({ state: wordIn(given, 'state', ALERT_STATES), service: textIn(given, 'service') });
}
