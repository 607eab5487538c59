// The addresses of the push interface (§4 and the schedules of the decisions page), built from raw names.
// What they return is the raw request target: sign it and send it unchanged.

/** Every path of the interface starts with it (§9: the version is in the path). */
export const PATH_PREFIX = '/push/v2';

/**
 * One path segment, percent-encoded as UTF-8. Throws URIError on a lone surrogate. The segments `.` and `..` cannot
 * be carried by a URL and are returned as they are; the service answers 404 to what becomes of them.
 */
function segment(name: string): string {
  return encodeURIComponent(name);
}

function under(serviceId: string, ...segments: readonly string[]): string {
  return [PATH_PREFIX, 'services', ...[serviceId, ...segments].map(segment)].join('/');
}

/** §4.1 POST: register a device token. */
export function usersPath(serviceId: string): string {
  return under(serviceId, 'users');
}

/** §4.1 GET, DELETE: one user. */
export function userPath(serviceId: string, userId: string): string {
  return under(serviceId, 'users', userId);
}

/** Extension `target-timezone`, GET: users and devices by registered offset. */
export function usersTimezonesPath(serviceId: string, channelName?: string): string {
  const path = under(serviceId, 'users', 'timezones');
  return channelName === undefined ? path : `${path}?channelName=${segment(channelName)}`;
}

/** §4.2 POST, PUT, GET, DELETE: channels. */
export function channelsPath(serviceId: string): string {
  return under(serviceId, 'channels');
}

/** §4.2 GET (and POST, as every client sends it), DELETE: one user's membership. */
export function channelUserPath(serviceId: string, channelName: string, userId: string): string {
  return under(serviceId, 'channels', channelName, 'users', userId);
}

/** §4.3 POST: send. */
export function messagesPath(serviceId: string): string {
  return under(serviceId, 'messages');
}

/** §4.3 GET: the result of one send. */
export function messagePath(serviceId: string, requestId: string): string {
  return under(serviceId, 'messages', requestId);
}

/** §4.4 GET: where a reservation stands. */
export function reserveStatusPath(serviceId: string, reserveId: string): string {
  return under(serviceId, 'reservations', reserveId, 'reserve-status');
}

/** §4.4 DELETE: cancel a reservation. */
export function reservationPath(serviceId: string, reserveId: string): string {
  return under(serviceId, 'reservations', reserveId);
}

/** Decisions page, POST, GET: schedules. */
export function schedulesPath(serviceId: string): string {
  return under(serviceId, 'schedules');
}

/** §4.4 DELETE: take one message off its schedule; GET by the decisions page. */
export function scheduledMessagePath(serviceId: string, scheduleCode: string, messageId: string): string {
  return under(serviceId, 'schedules', scheduleCode, 'messages', messageId);
}
