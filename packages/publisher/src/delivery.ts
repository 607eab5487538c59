// The forms of delivery, each with the members that belong to it and no others (campaign-events.md, "delivery").
import type { Delivery, Segment } from './contract.js';

interface Repeated {
  /** An RFC 5545 RRULE, on the wall clock of the zone; in UTC for an instant. */
  readonly recurrence?: string;
}

export const delivery = {
  /** As soon as possible. */
  now: (): Delivery => ({ now: true }),

  /** At an instant: a Date, or a text with its offset or Z. */
  at: (instant: Date | string, repeated: Repeated = {}): Delivery => ({ at: textOf(instant), ...repeated }),

  /** When the clocks of an IANA zone show `at`, such as `2027-03-01T09:00`. */
  inZone: (zone: string, at: string, repeated: Repeated = {}): Delivery => ({ at, zone, ...repeated }),

  /** When each recipient's own clock shows `at`; with `segments`, where you know who lives where. */
  onRecipientClock: (at: string, options: Repeated & { readonly segments?: Segment[] } = {}): Delivery => ({
    at,
    zone: 'recipient',
    ...options,
  }),

  /** Attached to a schedule that the push service keeps; until an instant, if one is given. */
  bySchedule: (scheduleCode: string, until?: Date | string): Delivery => ({
    scheduleCode,
    ...(until !== undefined && { until: textOf(until) }),
  }),
};

function textOf(instant: Date | string): string {
  return typeof instant === 'string' ? instant : instant.toISOString();
}
