// Instants as all our answers and stored documents write them. Pure: it never asks what time it is.
import type { EpochMs } from './clock.js';

/** ISO 8601 in UTC with milliseconds: `2027-03-01T00:00:00.000Z`. */
export function instantText(at: EpochMs): string {
  return new Date(at).toISOString();
}

/** The same, or null where there is none. */
export function instantTextOr(at: EpochMs | null): string | null {
  return at === null ? null : instantText(at);
}
