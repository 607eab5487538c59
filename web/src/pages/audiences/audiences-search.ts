// Which service's lists, and which list is open, as they stand in the address.
import { chosen, textIn } from '../../parts/search-text.ts';

export interface AudiencesSearch {
  readonly service?: string | undefined;
  /** `serviceId/name` of the list whose versions are shown. */
  readonly open?: string | undefined;
}

export function searchOfAudiences(given: Record<string, unknown>): AudiencesSearch {
  return chosen({ service: textIn(given, 'service'), open: textIn(given, 'open', 260) });
}
