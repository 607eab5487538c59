// What the answer to a close means for the uncertain send. Pure: no clock, no call.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { lengthText } from '../decide/timing/length-text.js';
import type { Policy } from '../decide/timing/campaign-policy.js';
import type { CloseReading } from '../push-client/answers/read-close.js';
import type { DueClose } from '../store/send/close-key.store.js';

/** The two sides measure ages by clocks of their own; this much is left for what these may be set by, milliseconds. */
const MARGIN_MS = 5_000;

export const PROVED_NOT_SENT = 'PROVED_NOT_SENT';
/** The gateway may have taken the request and not know it any more. */
export const NOT_PROVABLE = 'NOT_PROVABLE';

export type CloseVerdict =
  | Extract<CloseReading, { readonly kind: 'taken' }>
  /** Nothing was sent: it is sent under another key. */
  | { readonly kind: 'again' }
  /** Nothing was sent, and it is too late by its campaign's policy. */
  | { readonly kind: 'too-late'; readonly detail: string }
  /** It waits for a person. */
  | { readonly kind: 'no-proof'; readonly detail: string }
  | Extract<CloseReading, { readonly kind: 'unread' }>;

/** `now`: after the answer came. `lateness`: of the campaign's policy. */
export function judgeClose(
  { dueAt, handedOffAt }: Pick<DueClose, 'dueAt' | 'handedOffAt'>,
  reading: CloseReading,
  { now, lateness }: { readonly now: EpochMs; readonly lateness: Policy['lateness'] },
): CloseVerdict {
  if (reading.kind !== 'closed') return reading;
  const ageMs = now - handedOffAt;
  if (ageMs + MARGIN_MS > reading.provesMs) {
    const age = `the request left ${lengthText(ageMs)} ago`;
    return { kind: 'no-proof', detail: `${age}, the gateway knows the last ${lengthText(reading.provesMs)}` };
  }
  const lateMs = dueAt === null ? 0 : now - dueAt;
  if (lateMs > lateness.maxMs && lateness.beyond === 'expire')
    return { kind: 'too-late', detail: `${lengthText(lateMs)} late, ${lengthText(lateness.maxMs)} allowed` };
  return { kind: 'again' };
}
