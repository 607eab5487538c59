// The filters of the list of sends, as they stand in its address.
import { SEND_SETS } from '../../api/sends.ts';
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

export type SendSet = keyof typeof SEND_SETS;
export const SEND_SET_NAMES = Object.keys(SEND_SETS) as readonly SendSet[];

export const MODES = ['immediate', 'reserved', 'scheduled'] as const;

export interface SendsSearch {
  readonly service?: string | undefined;
  readonly state?: SendSet | undefined;
  readonly zone?: string | undefined;
  readonly mode?: (typeof MODES)[number] | undefined;
  readonly code?: string | undefined;
}

export function searchOfSends(given: Record<string, unknown>): SendsSearch {
  return chosen({
    service: textIn(given, 'service'),
    state: wordIn(given, 'state', SEND_SET_NAMES),
    zone: textIn(given, 'zone', 64),
    mode: wordIn(given, 'mode', MODES),
    code: textIn(given, 'code', 64),
  });
}
