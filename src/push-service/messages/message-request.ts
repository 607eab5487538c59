// push-interface.md §2.3 to §2.5: checks the body of POST messages and brings it to one form: enums in upper case, defaults
// filled in, nulls and unknown members dropped. That form is stored, answered and sent. accept-message.ts checks what needs a
// clock or zone rules.
import { z } from 'zod';
import type { I18n as I18nTexts } from '../../push-contract/messages.js';
import { LANGUAGE, MAX_TARGET_TO, RESERVE_TIME, SCHEDULE_CODE } from '../../push-contract/limits.js';
import { MESSAGE_TYPES, TARGET_TYPES } from '../../push-contract/statuses.js';
import {
  asks,
  listOf,
  object,
  oneOf,
  optional,
  record,
  text,
  textLike,
  withDefault,
} from '../gateway/fields.js';
import { countryCode, MAX_CHANNEL_NAME_LENGTH, offsetSeconds } from '../users/user-registration.js';
import { parseLocal } from '../../zone-rules/civil.js';
import { anyCaseDeviceType, inUpperCase } from './device-type.js';

const Target = object({
  type: z.preprocess(inUpperCase, oneOf(TARGET_TYPES)).meta({ type: 'string', enum: [...TARGET_TYPES] }),
  deviceType: optional(anyCaseDeviceType),
  to: optional(listOf(text(MAX_CHANNEL_NAME_LENGTH), 0, MAX_TARGET_TO)),
  // Not specified (push-interface.md §2.3): an empty filter could mean "all" or "nobody", so we refuse it.
  country: optional(listOf(countryCode, 1, 300)),
  /** Extension `target-timezone`. */
  timezone: optional(listOf(offsetSeconds, 1, 1_000)),
}).superRefine((target, context) => {
  if (target.type !== 'ALL' && (target.to === undefined || target.to.length === 0)) {
    context.addIssue({
      code: 'custom',
      path: ['to'],
      message: `is required and not empty for ${target.type}`,
    });
  }
});

const Languages = record(optional(object({ content: z.string({ error: asks('must be a string') }) })))
  .superRefine((members, context) => {
    for (const key of Object.keys(members)) {
      if (key !== 'default' && !LANGUAGE.test(key)) {
        context.addIssue({
          code: 'custom',
          path: [key],
          message: 'is no language: an ISO 639-1 code in lower case, zh-Hant, zh-Hans or default',
        });
      }
    }
  })
  .transform((members): I18nTexts =>
    // A language that is null is absent.
    Object.fromEntries(
      Object.entries(members).flatMap(([key, member]) => (member === undefined ? [] : [[key, member]])),
    ),
  );

/** More than there are languages. If more are sent, they are not checked one by one. */
const MAX_LANGUAGES = 1_000;

const I18n = z
  .unknown()
  .refine((given) => typeof given !== 'object' || Object.keys(given ?? {}).length <= MAX_LANGUAGES, {
    error: `must have at most ${MAX_LANGUAGES} languages`,
    abort: true,
  })
  .pipe(Languages);

const Content = object({
  content: optional(z.string({ error: 'must be a string' })),
  custom: optional(record(z.unknown())),
  option: optional(record(z.unknown())),
  i18n: optional(I18n),
});
export type Content = z.output<typeof Content>;

/** push-decisions.md, "Messages": `message.fcmv1` is accepted as a name of gcm; gcm itself wins where both are given. */
function renameFcm(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || !('fcmv1' in given))
    return given;
  const { fcmv1, ...rest } = given;
  return { ...rest, gcm: ('gcm' in given ? given.gcm : undefined) ?? fcmv1 };
}

const Message = z.preprocess(
  renameFcm,
  object({ default: Content, gcm: optional(Content), apns: optional(Content), i18n: optional(I18n) }),
);
export type Message = z.output<typeof Message>;

const reserveTime = textLike(RESERVE_TIME, 'must have the format yyyy-MM-dd HH:mm').refine(
  (value) => parseLocal(value.replace(' ', 'T')) !== undefined,
  'is no date and time of the calendar',
);

export const MessageRequest = object({
  messageType: withDefault(oneOf(MESSAGE_TYPES), 'NOTIF'),
  target: Target,
  message: Message,
  reserveTime: optional(reserveTime),
  reserveTimeZone: optional(z.string({ error: 'must be a string' })),
  scheduleCode: optional(textLike(SCHEDULE_CODE, 'must match [A-Za-z0-9_-]{1,64}')),
}).refine(({ reserveTime: at, scheduleCode }) => at === undefined || scheduleCode === undefined, {
  path: ['scheduleCode'],
  message: 'must not be given together with reserveTime',
});

/** The form in which a message is kept. */
export type MessageRequest = z.output<typeof MessageRequest>;
