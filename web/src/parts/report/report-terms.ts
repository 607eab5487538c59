// The terms of a report beside the states of a send: which states a list must show to hold what a figure counts.
import type { SendState } from '../../api/sends.ts';

/** A term that is no state of its own. The others have the name of their only state. */
const OPEN: readonly SendState[] = ['planned', 'sending', 'accepted', 'reserved', 'canceling', 'held'];
const ALONE: readonly SendState[] = [
  'sent',
  'empty',
  'failed',
  'stale',
  'rejected',
  'canceled',
  'expired',
  'skipped',
  'uncertain',
];

/** undefined: no list shows exactly these. */
export function statesOfReportTerm(term: string): readonly SendState[] | undefined {
  if (term === 'open') return OPEN;
  if (term === 'standing') return ['scheduled'];
  const state = ALONE.find((one) => one === term);
  return state === undefined ? undefined : [state];
}

export const SEND_TERM_COLOURS: Readonly<Record<string, string>> = {
  sent: 'var(--state-sent)',
  failed: 'var(--state-failed)',
  stale: 'var(--state-failed)',
  rejected: 'var(--state-failed)',
  uncertain: 'var(--state-uncertain)',
  unknown: 'var(--state-uncertain)',
  expired: 'var(--state-late)',
};
