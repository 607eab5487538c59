// push-decisions.md, "Schedule registration": the bodies of POST and PUT schedules, and the queries of the lists.
import { z } from 'zod';
import { DEFAULT_RESERVE_TIME_ZONE, SCHEDULE_CODE } from '../../push-contract/limits.js';
import { DAYS_OF_WEEK, type DayOfWeek } from '../../push-contract/statuses.js';
import {
  count,
  freeText,
  listOf,
  object,
  oneOf,
  optional,
  textLike,
  withDefault,
} from '../gateway/fields.js';
import { parseLocal } from '../../zone-rules/civil.js';
import { MESSAGE_COLUMNS, SCHEDULE_COLUMNS } from './schedule.store.js';

const MAX_DESCRIPTION_LENGTH = 4_000;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const date = textLike(DATE, 'must have the format yyyy-MM-dd').refine(
  (value) => parseLocal(`${value}T00:00`) !== undefined,
  'is no date of the calendar',
);

/** Seconds are ignored. */
const scheduleTime = textLike(TIME, 'must have the format HH:mm or HH:mm:ss').transform((value) => {
  const [, hour, minute] = TIME.exec(value) ?? [];
  return Number(hour) * 60 + Number(minute);
});

const days = listOf(oneOf(['ALL', ...DAYS_OF_WEEK]), 1, 8).transform((given): DayOfWeek[] =>
  given.includes('ALL') ? [...DAYS_OF_WEEK] : DAYS_OF_WEEK.filter((day) => given.includes(day)),
);

const members = {
  scheduleDesc: optional(freeText(MAX_DESCRIPTION_LENGTH)),
  /** zoneFault() checks whether the zone rules know it. */
  scheduleTimeZone: withDefault(z.string({ error: 'must be a string' }), DEFAULT_RESERVE_TIME_ZONE),
  scheduleTime,
  startDate: optional(date),
  endDate: optional(date),
  dayOfWeeks: withDefault(days, [...DAYS_OF_WEEK]),
};

function endsAfterStart(given: { startDate?: string | undefined; endDate?: string | undefined }): boolean {
  return given.startDate === undefined || given.endDate === undefined || given.startDate <= given.endDate;
}

const ORDER = { path: ['endDate'], message: 'must not be before startDate' };

export const NewSchedule = object({
  scheduleCode: textLike(SCHEDULE_CODE, 'must match [A-Za-z0-9_-]{1,64}'),
  ...members,
}).refine(endsAfterStart, ORDER);
export type NewSchedule = z.output<typeof NewSchedule>;

/** The path names the schedule: a scheduleCode in the body is an unknown member. */
export const ChangedSchedule = object(members).refine(endsAfterStart, ORDER);
export type ChangedSchedule = z.output<typeof ChangedSchedule>;

const MAX_PAGE = 100;
const DEFAULT_PAGE = 20;

/** `asc`, `desc`, or a member of `columns`, with or without `,asc` or `,desc`. Sorts by `usual` where no member is named. */
function sort<Member extends string>(columns: Readonly<Record<Member, string>>, usual: Member) {
  const names = Object.keys(columns) as Member[];
  const form = new RegExp(`^(?:(asc|desc)|(${names.join('|')})(?:,(asc|desc))?)$`, 'i');
  return z
    .string()
    .regex(form, `must be asc, desc, or one of ${names.join(', ')}, then ,asc or ,desc`)
    .optional()
    .transform((given = 'asc') => {
      const [, alone, named, behind] = form.exec(given) ?? [];
      const member = names.find((one) => one.toLowerCase() === named?.toLowerCase()) ?? usual;
      return { column: columns[member], descending: (alone ?? behind)?.toLowerCase() === 'desc' };
    });
}

/** Page from 0, size 1 to 100 [20]. */
const page = { page: count(0, 2_147_483_647, 0), size: count(1, MAX_PAGE, DEFAULT_PAGE) };

/** `?page&size&scheduleCode&sort`. Sorted by scheduleCode by default. */
export const ScheduleList = object({
  ...page,
  scheduleCode: z.string().optional(),
  sort: sort(SCHEDULE_COLUMNS, 'scheduleCode'),
});
export type ScheduleList = z.output<typeof ScheduleList>;

/** `?page&size&sort`. Sorted by messageId by default, and so by the time of sending. */
export const MessageList = object({ ...page, sort: sort(MESSAGE_COLUMNS, 'messageId') });
export type MessageList = z.output<typeof MessageList>;
