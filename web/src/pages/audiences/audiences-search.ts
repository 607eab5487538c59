// Which service, and which of its lists is open, as they stand in the address.
import { chosen, textIn } from '../../parts/search-text.ts';

export interface ServiceSearch {
  readonly service?: string | undefined;
}

export interface AudiencesSearch extends ServiceSearch {
  /** `serviceId/name` of the list whose versions are shown. */
  readonly open?: string | undefined;
}

export function searchOfAudiences(given: Record<string, unknown>): AudiencesSearch {
  return chosen({ service: textIn(given, 'service'), open: textIn(given, 'open', 260) });
}

export function searchOfService(given: Record<string, unknown>): ServiceSearch {
  return chosen({ service: textIn(given, 'service') });
}
