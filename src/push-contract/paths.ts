// The addresses of the push interface (push-interface.md §4 and the schedules of push-decisions.md, "Schedule registration"),
// built from raw names. Each function returns the raw request target: sign it and send it unchanged. Names become path segments,
// percent- encoded as UTF-8; a lone surrogate throws URIError. A URL cannot have the segments `.` and `..`: they stay as they
// are, and the service answers 404 to the resulting path.

import { PAGE_SIZE } from './limits.js';

/** Every path of the interface starts with it (push-interface.md §9: the version is in the path). */
export const PATH_PREFIX = '/push/v2';

function under(serviceId: string, ...segments: readonly string[]): string {
  return [PATH_PREFIX, 'services', ...[serviceId, ...segments].map(encodeURIComponent)].join('/');
}

/** push-interface.md §4.1 POST: register a device token. */
export function usersPath(serviceId: string): string {
  return under(serviceId, 'users');
}

/** push-interface.md §4.1 GET, DELETE: one user. */
export function userPath(serviceId: string, userId: string): string {
  return under(serviceId, 'users', userId);
}

/** Extension `user-timezones`, POST: the registered offsets of many users. */
export function timezonesOfPath(serviceId: string): string {
  return under(serviceId, 'timezones');
}

/** Extension `target-timezone`, GET: users and devices by registered offset. */
export function timezonesPath(serviceId: string, channelName: string | undefined, page: number): string {
  const members = [
    ...(channelName === undefined ? [] : [`channelName=${encodeURIComponent(channelName)}`]),
    ...(page === 0 ? [] : [`pageIndex=${page}`]),
  ];
  const path = under(serviceId, 'timezones');
  return members.length === 0 ? path : `${path}?${members.join('&')}`;
}

/** push-interface.md §4.2 POST, PUT, GET, DELETE: channels. */
export function channelsPath(serviceId: string): string {
  return under(serviceId, 'channels');
}

/** push-interface.md §4.2 GET: the channels whose name contains this text; `page` from 0. */
export function channelsNamedPath(serviceId: string, channelName: string, page: number): string {
  return `${channelsPath(serviceId)}?channelName=${encodeURIComponent(channelName)}&pageIndex=${page}`;
}

/** push-interface.md §4.2 GET (and POST, as every client sends it), DELETE: one user's membership. */
export function channelUserPath(serviceId: string, channelName: string, userId: string): string {
  return under(serviceId, 'channels', channelName, 'users', userId);
}

/** push-interface.md §4.3 POST: send. */
export function messagesPath(serviceId: string): string {
  return under(serviceId, 'messages');
}

/** push-interface.md §4.3 GET: the result of one send. */
export function messagePath(serviceId: string, requestId: string): string {
  return under(serviceId, 'messages', requestId);
}

/** Extension `close-key`, PUT: closes an Idempotency-Key. */
export function messageKeyPath(serviceId: string, key: string): string {
  return under(serviceId, 'messages', 'keys', key);
}

/** Extension `result-breakdown`, GET: who received one send and who did not; `page` from 0. */
export function breakdownPath(serviceId: string, requestId: string, page: number): string {
  const path = under(serviceId, 'messages', requestId, 'breakdown');
  return page === 0 ? path : `${path}?pageIndex=${page}`;
}

/** push-interface.md §4.4 GET: the status of a reservation. */
export function reserveStatusPath(serviceId: string, reserveId: string): string {
  return under(serviceId, 'reservations', reserveId, 'reserve-status');
}

/** push-interface.md §4.4 DELETE: cancel a reservation. */
export function reservationPath(serviceId: string, reserveId: string): string {
  return under(serviceId, 'reservations', reserveId);
}

/** push-decisions.md, "Schedule registration", POST, GET: schedules. */
export function schedulesPath(serviceId: string): string {
  return under(serviceId, 'schedules');
}

/** push-decisions.md, "Schedule registration", GET: the schedules whose code contains this text; `page` from 0. */
export function schedulesCodedPath(serviceId: string, scheduleCode: string, page: number): string {
  return `${schedulesPath(serviceId)}?scheduleCode=${encodeURIComponent(scheduleCode)}&page=${page}&size=${PAGE_SIZE.max}`;
}

/** push-interface.md §4.4 DELETE: take one message off its schedule; GET by push-decisions.md, "Schedule registration". */
export function scheduledMessagePath(serviceId: string, scheduleCode: string, messageId: string): string {
  return under(serviceId, 'schedules', scheduleCode, 'messages', messageId);
}
