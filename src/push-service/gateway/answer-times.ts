// push-decisions.md, "Times": date-times in answers are local to the service's zone, `yyyy-MM-dd'T'HH:mm:ss.SSS`. They always
// have three fraction digits, and they have the offset where management asked for it.
import type { EpochMs } from '../../platform/clock.js';
import { formatOffset } from '../../zone-rules/civil.js';
import type { ServiceFacts } from './access.store.js';
import type { RowOf } from './answers.js';

/** By which local time to write, and whether to write its offset. */
export type AnswerClock = Pick<ServiceFacts, 'offsets' | 'answerTimes'>;

export function answerTime(at: EpochMs | Date, service: AnswerClock): string {
  const instant = Number(at);
  const offset = service.offsets.offsetAt(instant);
  const local = new Date(instant + offset).toISOString().slice(0, -1);
  return service.answerTimes === 'offset' ? local + formatOffset(offset) : local;
}

/** The answer from a row. Its instants become times of the service's zone. */
export function answerOf<Answer extends object>(row: RowOf<Answer>, service: AnswerClock): Answer {
  const members = Object.entries<unknown>(row).map(([name, value]) => [
    name,
    value instanceof Date ? answerTime(value, service) : value,
  ]);
  return Object.fromEntries(members) as Answer;
}

/** Null stays null. */
export function answerTimeOrNull(at: EpochMs | Date | null, service: AnswerClock): string | null {
  return at === null ? null : answerTime(at, service);
}
