// Makes the row of a schedule from its body, and the answer from the row. Pure.
import type { Page, ScheduleView } from '../gateway/answers.js';
import { LOCALTIME } from '../../push-contract/limits.js';
import { v7 } from 'uuid';
import { DAYS_OF_WEEK } from '../../push-contract/statuses.js';
import { formatDate, splitLocal } from '../../zone-rules/civil.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import { answerTime, answerTimeOrNull, type AnswerClock } from '../gateway/answer-times.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { requireTable } from '../wall-clock.js';
import { nextFiring, type ScheduleTimes } from './occurrences.js';
import type { NewSchedule } from './schedule-bodies.js';
import type { KeptSchedule, ScheduleRow } from './schedule.store.js';

/** Fills in today's date, by the schedule's own zone or, for LOCALTIME, by the service's. zoneFault() has checked the zone. */
export function keepSchedule(
  service: Pick<ServiceFacts, 'id' | 'offsets'>,
  given: NewSchedule,
  now: EpochMs,
  rules: ZoneRules,
): KeptSchedule {
  const zone = given.scheduleTimeZone;
  const offsets = zone === LOCALTIME ? service.offsets : requireTable(rules, zone);
  const times: ScheduleTimes = {
    timeZone: zone,
    minute: given.scheduleTime,
    startDate: given.startDate ?? formatDate(splitLocal(offsets.toLocal(now)).days),
    endDate: given.endDate ?? null,
    daysOfWeek: given.dayOfWeeks,
  };
  const nextFireAt = nextFiring(times, now, rules);
  return {
    id: v7({ msecs: now }),
    serviceId: service.id,
    scheduleCode: given.scheduleCode,
    scheduleDesc: given.scheduleDesc ?? null,
    ...times,
    now: new Date(now),
    nextFireAt: nextFireAt === null ? null : new Date(nextFireAt),
  };
}

export function scheduleView(row: ScheduleRow, service: AnswerClock): ScheduleView {
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    scheduleId: row.id,
    scheduleCode: row.scheduleCode,
    scheduleDesc: row.scheduleDesc,
    scheduleTimeZone: row.timeZone,
    scheduleTime: `${two(Math.floor(row.minute / 60))}:${two(row.minute % 60)}:00`,
    startDate: row.startDate,
    endDate: row.endDate,
    dayOfWeeks: row.daysOfWeek.length === DAYS_OF_WEEK.length ? ['ALL'] : [...row.daysOfWeek],
    scheduleStatus: row.nextFireAt === null ? 'INACTIVE' : 'ACTIVE',
    createTime: answerTime(row.createdAt, service),
    updateTime: answerTimeOrNull(row.updatedAt, service),
  };
}

export function pageOf<Item>(
  content: Item[],
  total: number,
  { page, size }: { readonly page: number; readonly size: number },
): Page<Item> {
  const totalPages = Math.ceil(total / size);
  return {
    content,
    totalElements: total,
    totalPages,
    first: page === 0,
    last: page >= totalPages - 1,
    numberOfElements: content.length,
    size,
    number: page,
  };
}
