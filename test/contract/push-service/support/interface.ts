// The operations of the interface as its document lists them (push-interface.md §4), and those of push-decisions.md, "Schedule registration" and "Extensions": method, path,
// success, and every status they may be refused with. Written from the documents, never from the service.

export interface Operation {
  readonly name: string;
  readonly section: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** After the service's own; a name in braces stands for one segment. */
  readonly path: string;
  readonly success: number;
  readonly refusals: readonly number[];
}

/** push-interface.md §7: what the gateway answers, whatever the operation. */
export const GATEWAY = [400, 401, 404, 413, 429, 500, 503, 504] as const;

/** push-interface.md §4.1 and most of the others: "400, 401, 403, 404, 500". */
const LISTED = [400, 401, 403, 404, 500];

const CHANNEL_USER = 'channels/{channelName}/users/{userId}';
const SCHEDULED = 'schedules/{scheduleCode}/messages';
const LISTS_429 = [...LISTED, 429];
const MAY_CONFLICT = [...LISTED, 409];

type Row = readonly [
  name: string,
  section: string,
  method: Operation['method'],
  path: string,
  success: number,
  listed?: number[],
];

const ROWS: readonly Row[] = [
  ['registerUser', '§4.1', 'POST', 'users', 201],
  ['countTimezones', 'target-timezone', 'GET', 'timezones', 200],
  ['getTimezones', 'user-timezones', 'POST', 'timezones', 200],
  ['getUser', '§4.1', 'GET', 'users/{userId}', 200],
  ['deleteUser', '§4.1', 'DELETE', 'users/{userId}', 204],
  ['createChannel', '§4.2', 'POST', 'channels', 201, MAY_CONFLICT],
  ['updateChannels', '§4.2', 'PUT', 'channels', 200, LISTS_429],
  ['listChannels', '§4.2', 'GET', 'channels', 200, LISTS_429],
  ['deleteChannels', '§4.2', 'DELETE', 'channels', 204, LISTS_429],
  ['addChannelUser', '§4.2', 'GET', CHANNEL_USER, 201],
  ['addChannelUserByPost', '§4.2', 'POST', CHANNEL_USER, 201],
  ['removeChannelUser', '§4.2', 'DELETE', CHANNEL_USER, 204],
  // 409 by the extension idempotency-key alone.
  ['sendMessage', '§4.3', 'POST', 'messages', 202, MAY_CONFLICT],
  ['getMessage', '§4.3', 'GET', 'messages/{requestId}', 200],
  // "HTTP statuses of the reservation status query: not shown"; push-decisions.md, "Reservations and schedules", answers as its neighbours do.
  ['getReserveStatus', '§4.4', 'GET', 'reservations/{reserveId}/reserve-status', 200],
  ['cancelReservation', '§4.4', 'DELETE', 'reservations/{reserveId}', 204],
  ['cancelScheduledMessage', '§4.4', 'DELETE', `${SCHEDULED}/{messageId}`, 204],
  ['createSchedule', 'schedules', 'POST', 'schedules', 201, MAY_CONFLICT],
  ['listSchedules', 'schedules', 'GET', 'schedules', 200],
  ['getSchedule', 'schedules', 'GET', 'schedules/{scheduleCode}', 200],
  ['updateSchedule', 'schedules', 'PUT', 'schedules/{scheduleCode}', 200],
  ['deleteSchedule', 'schedules', 'DELETE', 'schedules/{scheduleCode}', 204],
  ['listScheduledMessages', 'schedules', 'GET', SCHEDULED, 200],
  ['getScheduledMessage', 'schedules', 'GET', `${SCHEDULED}/{messageId}`, 200],
  ['closeKey', 'close-key', 'PUT', 'messages/keys/{key}', 200],
  ['getBreakdown', 'result-breakdown', 'GET', 'messages/{requestId}/breakdown', 200],
];

export const INTERFACE: readonly Operation[] = ROWS.map(
  ([name, section, method, path, success, listed = LISTED]) => ({
    name,
    section,
    method,
    path,
    success,
    refusals: [...new Set([...listed, ...GATEWAY])].toSorted((a, b) => a - b),
  }),
);

const PATTERNS = INTERFACE.map((operation) => ({
  operation,
  pattern: new RegExp(
    `^/push/v2/services/[^/?]+/${operation.path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?.*)?$`,
  ),
}));

export function operationOf(method: string, target: string): Operation | undefined {
  return PATTERNS.find((one) => one.operation.method === method && one.pattern.test(target))?.operation;
}

/** What is wrong with a status as an answer to this request, or undefined: push-interface.md §4 and §7 list all there are. */
export function foreignStatus(method: string, target: string, status: number): string | undefined {
  const operation = operationOf(method, target);
  const may: readonly number[] =
    operation === undefined ? [...GATEWAY, 403] : [operation.success, ...operation.refusals];
  if (may.includes(status)) return undefined;
  const name = operation === undefined ? '§7 no operation' : `${operation.section} ${operation.name}`;
  return `${name} answered ${status}, which is none of ${may.join(', ')}`;
}
