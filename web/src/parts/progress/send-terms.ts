// The terms of a sum over the sends of a campaign: each state falls into one of them, so that the terms add up to the whole. Pure.
import type { SendState } from '../../api/sends.ts';

export const SEND_TERMS = ['sent', 'failed', 'nobody', 'leftOut', 'late', 'uncertain', 'open'] as const;
export type SendTerm = (typeof SEND_TERMS)[number];

/** The term of each state; a send that was replaced by another counts nowhere. */
export const TERM_OF: Readonly<Record<SendState, SendTerm | 'replaced'>> = {
  planned: 'open',
  sending: 'open',
  accepted: 'open',
  reserved: 'open',
  scheduled: 'open',
  canceling: 'open',
  held: 'open',
  uncertain: 'uncertain',
  sent: 'sent',
  failed: 'failed',
  stale: 'failed',
  rejected: 'failed',
  empty: 'nobody',
  skipped: 'leftOut',
  canceled: 'leftOut',
  expired: 'late',
  superseded: 'replaced',
};

export interface SummedSends {
  readonly total: number;
  readonly terms: Readonly<Record<SendTerm, number>>;
}

/** `sends`: newest sends by state. A state that this page does not know counts as open: it is never dropped. */
export function summedSends(sends: Readonly<Record<string, number>>): SummedSends {
  const terms: Record<SendTerm, number> = {
    sent: 0,
    failed: 0,
    nobody: 0,
    leftOut: 0,
    late: 0,
    uncertain: 0,
    open: 0,
  };
  for (const [state, count] of Object.entries(sends)) {
    const term = Object.hasOwn(TERM_OF, state) ? TERM_OF[state as SendState] : 'open';
    if (term !== 'replaced') terms[term] += count;
  }
  return { total: Object.values(terms).reduce((sum, count) => sum + count, 0), terms };
}

/** The states of a term, as the filter of a list takes them. */
export const statesOfTerm = (term: SendTerm): readonly SendState[] =>
  (Object.keys(TERM_OF) as SendState[]).filter((state) => TERM_OF[state] === term);
