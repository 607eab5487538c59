// Instants as callers give them to filters, brought into one form that PostgreSQL reads: it knows neither the year 0 nor
// offsets beyond 16 hours.
import { z } from 'zod';

/** ISO 8601 with an offset, left as it was given. */
export const instantWithOffset = z.iso.datetime({
  offset: true,
  error: 'must be an instant with Z or an offset, as 2027-03-01T00:00:00Z (in a query + is written %2B)',
});

/** The same from the year 1900 on, as `2027-03-01T00:00:00.000Z`. */
export const givenInstant = instantWithOffset
  .transform((text) => new Date(text))
  .refine((at) => at.getUTCFullYear() >= 1900 && at.getUTCFullYear() <= 9999, 'must lie after the year 1900')
  .transform((at) => at.toISOString());
