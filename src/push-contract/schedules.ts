// Schedules as push-decisions.md, "Schedule registration", fixes them: the record, and the page of a list.
import type { DayOfWeek, ScheduleStatus } from './statuses.js';

/** The zone of a schedule that fires on each user's own clock. */
export const LOCALTIME = 'LOCALTIME';

export interface ScheduleView {
  scheduleId: string;
  scheduleCode: string;
  scheduleDesc: string | null;
  scheduleTimeZone: string;
  scheduleTime: string;
  startDate: string;
  endDate: string | null;
  dayOfWeeks: (DayOfWeek | 'ALL')[];
  scheduleStatus: ScheduleStatus;
  createTime: string;
  updateTime: string | null;
}

/** `message` is the request as JSON text. */
export interface ScheduledMessageView {
  messageId: string;
  scheduleId: string;
  serviceId: string;
  message: string;
}

export interface Page<Item> {
  content: Item[];
  totalElements: number;
  totalPages: number;
  first: boolean;
  last: boolean;
  numberOfElements: number;
  size: number;
  number: number;
}
