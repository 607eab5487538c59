// What of a campaign is looked at, as it stands in its address.
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

export const TABS = ['plan', 'sends', 'report', 'history'] as const;
export type Tab = (typeof TABS)[number];

export interface CampaignSearch {
  /** Left out: the plan. */
  readonly tab?: Tab | undefined;
  readonly occurrence?: string | undefined;
  /** Of the tab of sends: states with commas, and a zone. */
  readonly state?: string | undefined;
  readonly zone?: string | undefined;
}

export function searchOfCampaign(given: Record<string, unknown>): CampaignSearch {
  return chosen({
    tab: wordIn(given, 'tab', TABS),
    occurrence: textIn(given, 'occurrence', 64),
    state: textIn(given, 'state', 200),
    zone: textIn(given, 'zone', 64),
  });
}
