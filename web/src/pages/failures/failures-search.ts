// The filters of the failures, as they stand in the address, and the group that is open.
import { SEND_SETS } from '../../api/sends.ts';
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

const { failed, uncertain, expired } = SEND_SETS;
export const FAILURE_SETS = { failed, uncertain, expired } as const;
export type FailureSet = keyof typeof FAILURE_SETS;
export const FAILURE_SET_NAMES = Object.keys(FAILURE_SETS) as readonly FailureSet[];

export const GROUPINGS = ['code', 'code,zone', 'code,campaign', 'code,mode'] as const;

export interface FailuresSearch {
  /** Left out: what failed. */
  readonly state?: FailureSet | undefined;
  readonly service?: string | undefined;
  readonly zone?: string | undefined;
  readonly by?: (typeof GROUPINGS)[number] | undefined;
  /** The key of the group whose sends are shown. */
  readonly open?: string | undefined;
}

export function searchOfFailures(given: Record<string, unknown>): FailuresSearch {
  return chosen({
    state: wordIn(given, 'state', FAILURE_SET_NAMES),
    service: textIn(given, 'service'),
    zone: textIn(given, 'zone', 64),
    by: wordIn(given, 'by', GROUPINGS),
    open: textIn(given, 'open', 400),
  });
}
