// The closed lists of push-interface.md §2 and §3: the values that a status member may have.

/** push-interface.md §2.1: this interface always calls Android GCM. */
export const DEVICE_TYPES = ['GCM', 'APNS'] as const;
export type DeviceType = (typeof DEVICE_TYPES)[number];

/** push-interface.md §2.3: notification or advertising. */
export const MESSAGE_TYPES = ['NOTIF', 'AD'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** push-interface.md §2.3: all devices of the project, of channels, of users. */
export const TARGET_TYPES = ['ALL', 'CHANNEL', 'USER'] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** push-interface.md §3: reserveStatus. */
export const RESERVE_STATUSES = ['READY', 'PROCESSING', 'CANCELED', 'FAIL', 'DONE', 'STALE'] as const;
export type ReserveStatus = (typeof RESERVE_STATUSES)[number];

/** push-interface.md §3: statusName of the send response. `fail` appears only in a result. */
export const SEND_STATUS_NAMES = ['success', 'reserved', 'scheduled', 'fail'] as const;

/** push-decisions.md, "Reservations and schedules": statusCode of every accepted send. */
export const ACCEPTED_STATUS_CODE = '202';

/** push-interface.md §3: messageStatusName. */
export const MESSAGE_STATUS_NAMES = ['success', 'processing', 'fail'] as const;

/**
 * push-decisions.md, "Messages": messageStatusCode. `200`: success. `404`: nobody was targeted. `500`: nothing was delivered, or
 * the firing failed. `499`: cancelled. `504`: stale.
 */
export const MESSAGE_STATUS_CODES = ['200', '404', '499', '500', '504'] as const;
export type MessageStatusCode = (typeof MESSAGE_STATUS_CODES)[number];

/** push-decisions.md, "Messages": scheduleStatus. */
export const SCHEDULE_STATUSES = ['ACTIVE', 'INACTIVE'] as const;

/** push-decisions.md, "Schedule registration": the days of dayOfWeeks; `ALL` stands for the seven. */
export const DAYS_OF_WEEK = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type DayOfWeek = (typeof DAYS_OF_WEEK)[number];
