// The filters of the list of sends, as they stand in its address.
import { SEND_SETS, type SendSetName } from '../../api/sends.ts';
import { chosen, instantIn, textIn, wordIn } from '../../parts/search-text.ts';

export const SEND_SET_NAMES = Object.keys(SEND_SETS) as readonly SendSetName[];

export const MODES = ['immediate', 'reserved', 'scheduled'] as const;

export interface SendsSearch {
  readonly service?: string | undefined;
  readonly state?: SendSetName | undefined;
  readonly zone?: string | undefined;
  readonly mode?: (typeof MODES)[number] | undefined;
  readonly code?: string | undefined;
  /** States with commas between, where no word of `state` stands for exactly these. */
  readonly states?: string | undefined;
  /** Our id. */
  readonly campaign?: string | undefined;
  /** Due at or after `from`, and before `to`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly deferred?: 'true' | undefined;
  /** Milliseconds. */
  readonly lateOver?: string | undefined;
}

export function searchOfSends(given: Record<string, unknown>): SendsSearch {
  return chosen({
    service: textIn(given, 'service'),
    state: wordIn(given, 'state', SEND_SET_NAMES),
    zone: textIn(given, 'zone', 64),
    mode: wordIn(given, 'mode', MODES),
    code: textIn(given, 'code', 64),
    states: textIn(given, 'states', 200),
    campaign: textIn(given, 'campaign', 36),
    from: instantIn(given, 'from'),
    to: instantIn(given, 'to'),
    deferred: wordIn(given, 'deferred', ['true'] as const),
    lateOver: textIn(given, 'lateOver', 12),
  });
}
