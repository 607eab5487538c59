// Between the rows of schedules and what is on the wire. Pure.
import { DateTime } from 'luxon';
import { v7 } from 'uuid';
import { DAYS_OF_WEEK } from '../../push-contract/statuses.js';
import {
  LOCALTIME,
  type Page,
  type ScheduledMessageView,
  type ScheduleView,
} from '../../push-contract/schedules.js';
import type { EpochMs } from '../../platform/clock.js';
import { answerTime, answerTimeOrNull } from '../gateway/answer-times.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { nextFiring, type ScheduleTimes } from './occurrences.js';
import type { ChangedSchedule } from './schedule-bodies.js';
import type { KeptSchedule, ScheduledMessageRow, ScheduleRow } from './schedule.store.js';

/** Fills in today, by the schedule's own zone, or the service's for LOCALTIME. */
export function keepSchedule(
  service: Pick<ServiceFacts, 'id' | 'zone'>,
  scheduleCode: string,
  given: ChangedSchedule,
  now: EpochMs,
): KeptSchedule {
  const zone = given.scheduleTimeZone === LOCALTIME ? service.zone : given.scheduleTimeZone;
  const times: ScheduleTimes = {
    timeZone: given.scheduleTimeZone,
    minute: given.scheduleTime,
    startDate: given.startDate ?? DateTime.fromMillis(now, { zone }).toFormat('yyyy-MM-dd'),
    endDate: given.endDate ?? null,
    daysOfWeek: given.dayOfWeeks,
  };
  const nextFireAt = nextFiring(times, now);
  return {
    id: v7({ msecs: now }),
    serviceId: service.id,
    scheduleCode,
    scheduleDesc: given.scheduleDesc ?? null,
    ...times,
    now: new Date(now),
    nextFireAt: nextFireAt === null ? null : new Date(nextFireAt),
  };
}

export function scheduleView(
  row: ScheduleRow,
  service: Pick<ServiceFacts, 'zone' | 'answerTimes'>,
): ScheduleView {
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    scheduleId: row.id,
    scheduleCode: row.scheduleCode,
    scheduleDesc: row.scheduleDesc,
    scheduleTimeZone: row.timeZone,
    scheduleTime: `${two(Math.floor(row.minute / 60))}:${two(row.minute % 60)}`,
    startDate: row.startDate,
    endDate: row.endDate,
    dayOfWeeks: row.daysOfWeek.length === DAYS_OF_WEEK.length ? ['ALL'] : [...row.daysOfWeek],
    scheduleStatus: row.nextFireAt === null ? 'INACTIVE' : 'ACTIVE',
    createTime: answerTime(row.createdAt, service),
    updateTime: answerTimeOrNull(row.updatedAt, service),
  };
}

export function scheduledMessageView(
  row: ScheduledMessageRow,
  service: Pick<ServiceFacts, 'id'>,
): ScheduledMessageView {
  return { messageId: row.id, scheduleId: row.scheduleId, serviceId: service.id, message: row.request };
}

export function pageOf<Item>(
  content: Item[],
  total: number,
  query: { page: number; size: number },
): Page<Item> {
  const totalPages = Math.ceil(total / query.size);
  return {
    content,
    totalElements: total,
    totalPages,
    first: query.page === 0,
    last: query.page >= totalPages - 1,
    numberOfElements: content.length,
    size: query.size,
    number: query.page,
  };
}
