// The filters of the refused events, as they stand in the address.
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

export const REJECTION_STATES = ['open', 'replayed', 'discarded'] as const;
export const VIAS = ['kafka', 'http'] as const;

export interface RejectedSearch {
  /** Left out: those that nobody has settled. */
  readonly state?: (typeof REJECTION_STATES)[number] | 'all' | undefined;
  readonly service?: string | undefined;
  readonly code?: string | undefined;
  readonly via?: (typeof VIAS)[number] | undefined;
}

export function searchOfRejected(given: Record<string, unknown>): RejectedSearch {
  return chosen({
    state: wordIn(given, 'state', [...REJECTION_STATES, 'all'] as const),
    service: textIn(given, 'service'),
    code: textIn(given, 'code', 64),
    via: wordIn(given, 'via', VIAS),
  });
}
