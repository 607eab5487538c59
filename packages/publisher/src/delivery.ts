// The forms of delivery, each with what belongs beside it and nothing else (campaign-events.md, "delivery").
import type { Delivery, Segment } from './contract.js';

interface Repeated {
  /** An RFC 5545 RRULE, on the wall clock of the zone; in UTC for an instant. */
  readonly recurrence?: string;
}

export const delivery = {
  /** As soon as possible. */
  now: (): Delivery => ({ now: true }),

  /** At that instant: a Date, or a text with its offset or Z. */
  at: (instant: Date | string, repeated: Repeated = {}): Delivery => ({
    at: typeof instant === 'string' ? instant : instant.toISOString(),
    ...repeated,
  }),

  /** When the clocks of that IANA zone show `local`, such as `2027-03-01T09:00`. */
  inZone: (zone: string, local: string, repeated: Repeated = {}): Delivery => ({
    at: local,
    zone,
    ...repeated,
  }),

  /** When each recipient's own clock shows `local`; `segments` where it is known who lives where. */
  onRecipientClock: (
    local: string,
    options: Repeated & { readonly segments?: Segment[] } = {},
  ): Delivery => ({ at: local, zone: 'recipient', ...options }),

  /** Attached to a schedule that the push service keeps, until an instant if given. */
  bySchedule: (scheduleCode: string, until?: Date | string): Delivery => ({
    scheduleCode,
    ...(until !== undefined && { until: typeof until === 'string' ? until : until.toISOString() }),
  }),
};
