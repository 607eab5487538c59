// Decisions page: date-times in answers are local ones of the service's zone, `yyyy-MM-dd'T'HH:mm:ss.SSS`, three
// fraction digits always; with the offset where management asked for it.
import { DateTime } from 'luxon';
import type { EpochMs } from '../../platform/clock.js';
import type { ServiceFacts } from './access.store.js';

export function answerTime(at: EpochMs | Date, service: Pick<ServiceFacts, 'zone' | 'answerTimes'>): string {
  const local = DateTime.fromMillis(Number(at), { zone: service.zone });
  // The same text as by a pattern, in a fraction of the time: every answer holds one or two.
  const text = local.toISO({ includeOffset: false }) ?? '';
  return service.answerTimes === 'offset' ? text + local.toFormat('ZZ') : text;
}

/** Null stays null. */
export function answerTimeOrNull(
  at: EpochMs | Date | null,
  service: Pick<ServiceFacts, 'zone' | 'answerTimes'>,
): string | null {
  return at === null ? null : answerTime(at, service);
}
