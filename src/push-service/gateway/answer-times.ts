// push-decisions.md, "Times": date-times in answers are local ones of the service's zone, `yyyy-MM-dd'T'HH:mm:ss.SSS`, three
// fraction digits always; with the offset where management asked for it.
import type { EpochMs } from '../../platform/clock.js';
import type { ServiceFacts } from './access.store.js';
import { offsetMs } from './zone-offset.js';

export function answerTime(at: EpochMs | Date, service: Pick<ServiceFacts, 'zone' | 'answerTimes'>): string {
  const instant = Number(at);
  const offset = offsetMs(service.zone, instant);
  const local = new Date(instant + offset).toISOString().slice(0, -1);
  return service.answerTimes === 'offset' ? local + offsetText(offset) : local;
}

/** `+09:00`; a zone that has no offset is `+00:00`. */
function offsetText(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${hours}:${rest}`;
}

/** Null stays null. */
export function answerTimeOrNull(
  at: EpochMs | Date | null,
  service: Pick<ServiceFacts, 'zone' | 'answerTimes'>,
): string | null {
  return at === null ? null : answerTime(at, service);
}
