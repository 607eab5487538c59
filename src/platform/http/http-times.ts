// Reads the times in the headers of an answer (RFC 9110 §5.6.7, §10.2.3). Pure.
import { DateTime } from 'luxon';
import type { EpochMs } from '../clock.js';

/** Undefined where the header is not a date. */
export function httpDate(header: string): EpochMs | undefined {
  const date = DateTime.fromHTTP(header);
  return date.isValid ? date.toMillis() : undefined;
}

/**
 * Retry-After in milliseconds. The header has whole seconds, or a date, which counts from the time at the server that wrote it.
 * Undefined where it has neither.
 */
export function retryAfterOf(header: string | undefined, writtenAt: () => EpochMs): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,12}$/.test(header)) return Number(header) * 1_000;
  const at = httpDate(header);
  return at === undefined ? undefined : Math.max(0, at - writtenAt());
}
