// push-interface.md §2.1: the body of POST users, field by field.
import { z } from 'zod';
import {
  COUNTRY,
  DEFAULT_COUNTRY,
  DEFAULT_LANGUAGE,
  DEFAULT_TIMEZONE_SECONDS,
  LANGUAGE,
  MAX_TIMEZONES_OF,
  MAX_USER_ID_LENGTH,
} from '../../push-contract/limits.js';
import {
  boolean,
  countPage,
  integer,
  listOf,
  object,
  optional,
  text,
  textLike,
  withDefault,
} from '../gateway/fields.js';
import { deviceType } from '../messages/device-type.js';

/** Not specified (push-interface.md §2.1). It bounds what is stored. Providers' tokens are much shorter. */
const MAX_TOKEN_LENGTH = 4_096;

/** Not specified (push-interface.md §2.1): the widest offset that a calendar library takes, 18 hours either way, in seconds. */
export const MAX_OFFSET_SECONDS = 64_800;

export const offsetSeconds = integer(-MAX_OFFSET_SECONDS, MAX_OFFSET_SECONDS);

export const countryCode = textLike(COUNTRY, 'must be an ISO 3166-1 alpha-2 code in upper case');

const languageCode = textLike(LANGUAGE, 'must be an ISO 639-1 code in lower case, zh-Hant or zh-Hans');

/** Not specified (push-interface.md §2.2). It bounds what is stored and indexed. */
export const MAX_CHANNEL_NAME_LENGTH = 256;

export const Registration = object({
  userId: text(MAX_USER_ID_LENGTH),
  country: withDefault(countryCode, DEFAULT_COUNTRY),
  language: withDefault(languageCode, DEFAULT_LANGUAGE),
  timezone: withDefault(offsetSeconds, DEFAULT_TIMEZONE_SECONDS),
  channelName: optional(text(MAX_CHANNEL_NAME_LENGTH)),
  deviceType,
  deviceToken: text(MAX_TOKEN_LENGTH),
  isNotificationAgreement: boolean(),
  isAdAgreement: boolean(),
  isNightAdAgreement: boolean(),
});

export type Registration = z.output<typeof Registration>;

/**
 * An APNs token is bytes in hexadecimal digits: upper and lower case name one device, and lower case is kept. Any other token
 * stays as it is (tokens of FCM differ by case).
 */
export function keptToken({
  deviceType: type,
  deviceToken,
}: Pick<Registration, 'deviceType' | 'deviceToken'>): string {
  return type === 'APNS' && /^[0-9a-f]+$/i.test(deviceToken) ? deviceToken.toLowerCase() : deviceToken;
}

/** Extension `target-timezone`. */
export const TimezonesQuery = object({
  channelName: text(MAX_CHANNEL_NAME_LENGTH).optional(),
  ...countPage,
});

/** Extension `user-timezones`. */
export const TimezonesOf = object({ userIds: listOf(text(MAX_USER_ID_LENGTH), 1, MAX_TIMEZONES_OF) });
export type TimezonesOf = z.output<typeof TimezonesOf>;
