// What became of sends in seven terms, each with the list that shows it and its look. They add up to what was planned. Pure.
import type { SendSetName } from '../../api/sends.ts';

export const DELIVERY_TERMS = [
  'sent',
  'empty',
  'leftOut',
  'failed',
  'uncertain',
  'open',
  'standing',
] as const;
export type DeliveryTerm = (typeof DELIVERY_TERMS)[number];

/** The terms of the API that one of ours holds. */
const OF: Readonly<Record<DeliveryTerm, readonly string[]>> = {
  sent: ['sent'],
  empty: ['empty'],
  leftOut: ['skipped', 'canceled', 'expired'],
  failed: ['failed', 'stale', 'rejected'],
  uncertain: ['uncertain'],
  open: ['open'],
  standing: ['standing'],
};

/** The word of the list that shows exactly these sends (api/sends.ts). */
export const SET_OF = {
  sent: 'sent',
  empty: 'empty',
  leftOut: 'leftOut',
  failed: 'failed',
  uncertain: 'uncertain',
  open: 'open',
  standing: 'standing',
} as const satisfies Readonly<Record<DeliveryTerm, SendSetName>>;

export const TERM_COLOURS: Readonly<Record<DeliveryTerm, string>> = {
  sent: 'var(--state-sent)',
  empty: 'var(--state-nobody)',
  leftOut: 'var(--state-left-out)',
  failed: 'var(--state-failed)',
  uncertain: 'var(--state-uncertain)',
  open: 'var(--state-under-way)',
  standing: 'var(--state-kept)',
};

/** `sends`: counts by the API's terms. */
export function deliveryTerms(
  sends: Readonly<Record<string, number>>,
): Readonly<Record<DeliveryTerm, number>> {
  const sum = (term: DeliveryTerm): number => OF[term].reduce((total, name) => total + (sends[name] ?? 0), 0);
  return Object.fromEntries(DELIVERY_TERMS.map((term) => [term, sum(term)])) as Record<DeliveryTerm, number>;
}
