// Decides which of two acts on a campaign counts, by their times and by how strict they are (campaign-events.md, "Order of acts").
// Pure.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

/** How strict each act is. */
const STRICTNESS = { schedule: 0, cancel: 1 } as const;

export interface Act {
  readonly act: keyof typeof STRICTNESS;
  /** The CloudEvents time of an event; for an act by hand, when it arrived. */
  readonly time: EpochMs;
}

/** Producers' clocks have whole seconds and differ: an act that was made later may have a time that is this much earlier. */
export const CLOCK_SKEW_MS = 60_000;

/** Whether an act that arrives after `newest`, the newest that counts, came too late to change anything. */
export function isSuperseded({ act, time }: Act, newest: Act): boolean {
  if (time > newest.time) return false;
  const isStricter = STRICTNESS[act] > STRICTNESS[newest.act];
  return !isStricter || time < newest.time - CLOCK_SKEW_MS;
}
