// The filters of the list of campaigns, as they stand in its address.
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

/** What a filter of states stands for. */
export const STATE_SETS = {
  open: 'accepted,planning,awaiting-approval,planned,running,canceling',
  running: 'running,canceling',
  approval: 'awaiting-approval',
  ended: 'completed,expired,canceled,rejected',
} as const;
export type StateSet = keyof typeof STATE_SETS;
export const STATE_SET_NAMES = Object.keys(STATE_SETS) as readonly StateSet[];

export interface CampaignsSearch {
  readonly q?: string | undefined;
  readonly state?: StateSet | undefined;
  readonly service?: string | undefined;
  readonly tag?: string | undefined;
  readonly attention?: 'true' | undefined;
}

export function searchOfCampaigns(given: Record<string, unknown>): CampaignsSearch {
  return chosen({
    q: textIn(given, 'q'),
    state: wordIn(given, 'state', STATE_SET_NAMES),
    service: textIn(given, 'service'),
    tag: textIn(given, 'tag', 64),
    attention: wordIn(given, 'attention', ['true'] as const),
  });
}
