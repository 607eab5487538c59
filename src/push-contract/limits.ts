// push-interface.md §8 and push-decisions.md, "Limits": the numbers of the interface.

/** push-interface.md §8: the gateway refuses a request whose clock differs from its own by so much or more; milliseconds. */
export const CLOCK_WINDOW_MS = 300_000;

/** push-interface.md §8: characters of a userId at registration. */
export const MAX_USER_ID_LENGTH = 128;

/** push-interface.md §8: elements of a channel update or delete. */
export const MAX_CHANNELS_PER_REQUEST = 1_000;

/** push-interface.md §8: bounds and default of pageSize, default of pageIndex. */
export const PAGE_SIZE = { min: 0, max: 100, default: 100 } as const;
export const DEFAULT_PAGE_INDEX = 0;

/** Not specified (push-interface.md §5): the most characters of an access key. The service issues none that is longer. */
export const MAX_ACCESS_KEY_LENGTH = 128;

/** push-decisions.md, "Limits": the most names in `target.to`. */
export const MAX_TARGET_TO = 10_000;

/** push-decisions.md, "Limits": how long an Idempotency-Key returns its first answer, milliseconds. */
export const IDEMPOTENCY_KEY_LIFETIME_MS = 30 * 24 * 3_600_000;

/** push-decisions.md, "Extensions": how long a second request with a key waits for the first, milliseconds. */
export const IDEMPOTENCY_WAIT_MS = 10_000;

/** push-interface.md §2.1: defaults of a registration. */
export const DEFAULT_COUNTRY = 'KR';
export const DEFAULT_LANGUAGE = 'ko';
export const DEFAULT_TIMEZONE_SECONDS = 32_400;

/** push-interface.md §2.3, §2.7: the zone of a reserveTime without one. */
export const DEFAULT_RESERVE_TIME_ZONE = 'Asia/Seoul';

/** push-decisions.md, "Schedule registration": the zone of a schedule that fires on each user's own clock. */
export const LOCALTIME = 'LOCALTIME';

/** push-decisions.md, "Extensions": a user's night by their own clock, [21:00, 08:00), minutes of the day. */
export const NIGHT = { fromMinute: 21 * 60, toMinute: 8 * 60 } as const;

/** push-decisions.md, "Messages": the form of a scheduleCode. */
export const SCHEDULE_CODE = /^[A-Za-z0-9_-]{1,64}$/;

/** Not specified: the rows of a page of an extension's counts, unless the caller asks for fewer. */
export const COUNT_PAGE_SIZE = 1_000;

/** Not specified: the most users of one request of the extension `user-timezones`. */
export const MAX_TIMEZONES_OF = 1_000;

/** push-interface.md §2.3: `yyyy-MM-dd HH:mm`. Checks only the form. */
export const RESERVE_TIME = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2})$/;

/** push-interface.md §2.1: an ISO 639-1 code in lower case, or `zh-Hant` or `zh-Hans`; case-sensitive. */
export const LANGUAGE = /^(?:[a-z]{2}|zh-Han[ts])$/;

/** push-interface.md §2.1: ISO 3166-1 alpha-2, upper case. */
export const COUNTRY = /^[A-Z]{2}$/;
