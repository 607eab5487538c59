// Reads instants that callers give to filters, and brings them into one form that PostgreSQL reads. PostgreSQL knows no year 0
// and no offsets beyond 16 hours.
import { z } from 'zod';

/** ISO 8601 with an offset, unchanged. */
export const instantWithOffset = z.iso.datetime({
  offset: true,
  error: 'must be an instant with Z or an offset, as 2027-03-01T00:00:00Z (in a query + is written %2B)',
});

/** An instant from the year 1900 on, as `2027-03-01T00:00:00.000Z`. */
export const givenInstant = instantWithOffset
  .transform((text) => new Date(text))
  .refine((at) => at.getUTCFullYear() >= 1900 && at.getUTCFullYear() <= 9999, 'must lie after the year 1900')
  .transform((at) => at.toISOString());
