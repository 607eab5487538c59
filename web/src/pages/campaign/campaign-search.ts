// What of a campaign is looked at, as it stands in its address.
import { chosen, numberIn, textIn, wordIn } from '../../parts/search-text.ts';

export const TABS = ['plan', 'sends', 'report', 'message', 'history', 'event'] as const;
export type Tab = (typeof TABS)[number];

export interface CampaignSearch {
  /** Left out: the plan. */
  readonly tab?: Tab | undefined;
  readonly occurrence?: string | undefined;
  /** Of the tab of sends: states with commas, and a zone. */
  readonly state?: string | undefined;
  readonly zone?: string | undefined;
  readonly code?: string | undefined;
  /** Of the message and the event; left out: the revision in force. */
  readonly revision?: number | undefined;
  /** Of the message; left out: every language without a text of its own. */
  readonly language?: string | undefined;
}

export function searchOfCampaign(given: Record<string, unknown>): CampaignSearch {
  return chosen({
    tab: wordIn(given, 'tab', TABS),
    occurrence: textIn(given, 'occurrence', 64),
    state: textIn(given, 'state', 200),
    zone: textIn(given, 'zone', 64),
    code: textIn(given, 'code', 64),
    revision: numberIn(given, 'revision', 1_000_000),
    language: textIn(given, 'language', 35),
  });
}
