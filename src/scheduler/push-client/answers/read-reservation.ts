// Reads the answers to GET reserve-status (push-interface.md §2.7, §3) and to a cancel (push-interface.md §4.4). Pure; has a result
// for every answer.
import { z } from 'zod';
import { jsonOf } from '../../../push-contract/read-error.js';
import { RESERVE_STATUSES, type ReserveStatus } from '../../../push-contract/statuses.js';
import type { PushAnswer } from '../push-api.js';
import { brief } from './read-project.js';

export type ReservationReading =
  | { readonly kind: 'status'; readonly status: ReserveStatus }
  /** A name that the interface does not list: kept, shown, asked about again. */
  | { readonly kind: 'unknown-status'; readonly status: string }
  | { readonly kind: 'unread'; readonly detail: string };

const Body = z.object({ reserveStatus: z.string().min(1) });

export function readReservation(answer: PushAnswer): ReservationReading {
  if (answer.kind === 'unanswered') return { kind: 'unread', detail: answer.error };
  const success = answer.status >= 200 && answer.status < 300;
  const read = Body.safeParse(success ? jsonOf(answer.body) : undefined);
  if (!read.success) return { kind: 'unread', detail: `${answer.status} ${brief(answer.body)}` };
  const { reserveStatus } = read.data;
  const status = RESERVE_STATUSES.find((known) => known === reserveStatus);
  return status === undefined
    ? { kind: 'unknown-status', status: brief(reserveStatus) }
    : { kind: 'status', status };
}

/** `proves-nothing`: a 400 or 404 may mean that an earlier cancel worked, or that this one came too late. */
export type CancelReading = {
  readonly kind: 'confirmed' | 'proves-nothing' | 'unread';
  readonly detail: string;
};

export function readCancel(answer: PushAnswer): CancelReading {
  if (answer.kind === 'unanswered') return { kind: 'unread', detail: answer.error };
  const detail = `${answer.status} ${brief(answer.body)}`.trim();
  if (answer.status >= 200 && answer.status < 300) return { kind: 'confirmed', detail };
  return { kind: answer.status === 400 || answer.status === 404 ? 'proves-nothing' : 'unread', detail };
}
