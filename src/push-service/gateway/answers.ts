// The answers of the interface, as schemas. The types of answers, the OpenAPI document and the tests of answers come from them.
// No request is parsed with them.
import { z } from 'zod';
import {
  ACCEPTED_STATUS_CODE,
  DAYS_OF_WEEK,
  DEVICE_TYPES,
  MESSAGE_STATUS_CODES,
  MESSAGE_STATUS_NAMES,
  MESSAGE_TYPES,
  RESERVE_STATUSES,
  SCHEDULE_STATUSES,
  SEND_STATUS_NAMES,
  TARGET_TYPES,
} from '../../push-contract/statuses.js';

const id = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** push-decisions.md, "Times": as answerTime() writes it. */
const time = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}(?:[+-]\d{2}:\d{2})?$/);
const count = z.int().min(0);
const deviceType = z.enum(DEVICE_TYPES);

/** The row from which an answer is made. It has instants where the answer has local times. */
export type RowOf<Answer, Instant extends string = `${string}Time`> = {
  readonly [Name in keyof Answer]: Name extends Instant ? Date | Extract<Answer[Name], null> : Answer[Name];
};

/** push-interface.md §2.1. */
const User = z.strictObject({
  userId: z.string(),
  country: z.string(),
  language: z.string(),
  timezone: z.int(),
  channelName: z.string().nullable(),
  notificationAgreement: z.boolean(),
  adAgreement: z.boolean(),
  nightAdAgreement: z.boolean(),
  notificationAgreementTime: time.nullable(),
  adAgreementTime: time.nullable(),
  nightAdAgreementTime: time.nullable(),
  createTime: time,
  updateTime: time,
  devices: z.array(z.strictObject({ deviceType, deviceToken: z.string() })),
});
export type UserView = z.output<typeof User>;

/** push-interface.md §2.2. */
const Channel = z.strictObject({
  channelName: z.string(),
  channelDesc: z.string().nullable(),
  createTime: time,
  updateTime: time.nullable(),
});
export type ChannelView = z.output<typeof Channel>;

/** push-interface.md §4.3. */
const Sent = z.strictObject({
  requestId: id,
  requestTime: time,
  statusCode: z.literal(ACCEPTED_STATUS_CODE),
  statusName: z.enum(SEND_STATUS_NAMES).exclude(['fail']),
});
export type SendResponse = z.output<typeof Sent>;

const i18n = z.record(z.string(), z.object({ content: z.string() }));
const content = z.strictObject({
  content: z.string().exactOptional(),
  custom: z.record(z.string(), z.unknown()).exactOptional(),
  option: z.record(z.string(), z.unknown()).exactOptional(),
  i18n: i18n.exactOptional(),
});

/** push-interface.md §2.6. A null messageStatusCode means still processing. Target and message come from the kept request. */
const Result = z.strictObject({
  requestId: id,
  requestTime: time,
  statusCode: z.literal(ACCEPTED_STATUS_CODE),
  statusName: z.enum(SEND_STATUS_NAMES).extract(['success', 'fail']),
  messageStatusCode: z.enum(MESSAGE_STATUS_CODES).nullable(),
  messageStatusName: z.enum(MESSAGE_STATUS_NAMES),
  completeTime: time.nullable(),
  targetCount: count,
  sentCount: count,
  messageType: z.enum(MESSAGE_TYPES),
  target: z.strictObject({
    type: z.enum(TARGET_TYPES),
    deviceType: deviceType.exactOptional(),
    to: z.array(z.string()).exactOptional(),
    country: z.array(z.string()).exactOptional(),
    timezone: z.array(z.int()).exactOptional(),
  }),
  message: z.strictObject({
    default: content,
    gcm: content.exactOptional(),
    apns: content.exactOptional(),
    i18n: i18n.exactOptional(),
  }),
});
export type SendResult = z.output<typeof Result>;

/** push-interface.md §2.7. */
const Reservation = z.strictObject({
  reserveId: id,
  reserveTimeZone: z.string(),
  reserveTime: z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/),
  reserveStatus: z.enum(RESERVE_STATUSES),
});
export type ReservationStatus = z.output<typeof Reservation>;

/** push-decisions.md, "Reservations and schedules". */
const Schedule = z.strictObject({
  scheduleId: id,
  scheduleCode: z.string(),
  scheduleDesc: z.string().nullable(),
  scheduleTimeZone: z.string(),
  scheduleTime: z.string().regex(/^\d{2}:\d{2}:00$/),
  startDate: z.iso.date(),
  endDate: z.iso.date().nullable(),
  dayOfWeeks: z.array(z.enum([...DAYS_OF_WEEK, 'ALL'])).min(1),
  scheduleStatus: z.enum(SCHEDULE_STATUSES),
  createTime: time,
  updateTime: time.nullable(),
});
export type ScheduleView = z.output<typeof Schedule>;

const ScheduledMessage = z.strictObject({
  messageId: id,
  scheduleId: id,
  serviceId: z.string(),
  message: z.string(),
});
export type ScheduledMessageView = z.output<typeof ScheduledMessage>;

function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    content: z.array(item),
    totalElements: count,
    totalPages: count,
    first: z.boolean(),
    last: z.boolean(),
    numberOfElements: count,
    size: count,
    number: count,
  });
}

/** A page of a list. */
export type Page<Item> = Omit<z.output<ReturnType<typeof pageOf>>, 'content'> & { content: Item[] };

/** Extension `close-key`. The members of the message are null where the key is closed. */
const ClosedKey = z.strictObject({
  key: z.string(),
  keyStatus: z.enum(['taken', 'closed']),
  requestId: id.nullable(),
  requestTime: time.nullable(),
  statusName: z.enum(SEND_STATUS_NAMES).exclude(['fail']).nullable(),
  /** The service knows every message that it took under the key within so many seconds before this answer. */
  provesSeconds: count,
});
export type ClosedKey = z.output<typeof ClosedKey>;

/** Extension `target-timezone`: one row for each registered offset, seconds from UTC. */
const Timezone = z.strictObject({
  timezone: z.int(),
  users: count,
  devices: count,
});
export type TimezoneCount = z.output<typeof Timezone>;

/** Extension `user-timezones`: one row for each user who exists, seconds from UTC. */
const UserTimezone = z.strictObject({ userId: z.string(), timezone: z.int() });
export type UserTimezone = z.output<typeof UserTimezone>;

/** Extension `result-breakdown`: one row for each combination that occurs. `reason` is null where the outcome is `sent`. */
const Breakdown = z.strictObject({
  requestId: id,
  breakdown: z.array(
    z.strictObject({
      deviceType,
      country: z.string(),
      language: z.string(),
      timezone: z.int(),
      outcome: z.enum(['sent', 'failed', 'unknown', 'suppressed', 'pending']),
      reason: z.string().nullable(),
      count,
    }),
  ),
  /** Of the ids that the message names: only on the first page, and only for the target USER. */
  ids: z.strictObject({ named: count, unknown: count, withoutDevice: count }).optional(),
});
export type ResultBreakdown = z.output<typeof Breakdown>;
export type BreakdownRow = ResultBreakdown['breakdown'][number];

export const ANSWERS = {
  User,
  Channels: z.array(Channel),
  Sent,
  Result,
  Reservation,
  Schedule,
  Schedules: pageOf(Schedule),
  ScheduledMessage,
  ScheduledMessages: pageOf(ScheduledMessage),
  Timezones: z.array(Timezone),
  UserTimezones: z.array(UserTimezone),
  Breakdown,
  ClosedKey,
} as const;
export type AnswerName = keyof typeof ANSWERS;
