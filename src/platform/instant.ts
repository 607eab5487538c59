// Writes instants as all our answers and stored documents have them. Pure: it never reads a clock.
import type { EpochMs } from './clock.js';

/** ISO 8601 in UTC with milliseconds: `2027-03-01T00:00:00.000Z`. */
export function instantText(at: EpochMs): string {
  return new Date(at).toISOString();
}

/** As instantText(); null stays null. */
export function instantTextOr(at: EpochMs | null): string | null {
  return at === null ? null : instantText(at);
}
