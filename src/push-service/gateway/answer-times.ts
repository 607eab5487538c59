// push-decisions.md, "Times": date-times in answers are local ones of the service's zone, `yyyy-MM-dd'T'HH:mm:ss.SSS`, three
// fraction digits always; with the offset where management asked for it.
import type { EpochMs } from '../../platform/clock.js';
import { formatOffset } from '../../zone-rules/civil.js';
import type { ServiceFacts } from './access.store.js';

/** On whose clock, and how. */
export type AnswerClock = Pick<ServiceFacts, 'offsets' | 'answerTimes'>;

export function answerTime(at: EpochMs | Date, service: AnswerClock): string {
  const instant = Number(at);
  const offset = service.offsets.offsetAt(instant);
  const local = new Date(instant + offset).toISOString().slice(0, -1);
  return service.answerTimes === 'offset' ? local + formatOffset(offset) : local;
}

/** Null stays null. */
export function answerTimeOrNull(at: EpochMs | Date | null, service: AnswerClock): string | null {
  return at === null ? null : answerTime(at, service);
}
