// The operations of the interface, one line for each route. Faults and the OpenAPI document use these names. Pure.

const BASE = '/push/v2/services/:serviceId';
const SCHEDULED_MESSAGE = `${BASE}/schedules/:scheduleCode/messages/:messageId`;

/** push-interface.md §4.1 to §4.4, then what push-decisions.md, "Schedule registration" and "Extensions", add. */
export const OPERATIONS = [
  { name: 'registerUser', method: 'POST', route: `${BASE}/users` },
  { name: 'getUser', method: 'GET', route: `${BASE}/users/:userId` },
  { name: 'deleteUser', method: 'DELETE', route: `${BASE}/users/:userId` },
  { name: 'createChannel', method: 'POST', route: `${BASE}/channels` },
  { name: 'updateChannels', method: 'PUT', route: `${BASE}/channels` },
  { name: 'listChannels', method: 'GET', route: `${BASE}/channels` },
  { name: 'deleteChannels', method: 'DELETE', route: `${BASE}/channels` },
  { name: 'addChannelUser', method: 'GET', route: `${BASE}/channels/:channelName/users/:userId` },
  { name: 'addChannelUser', method: 'POST', route: `${BASE}/channels/:channelName/users/:userId` },
  { name: 'removeChannelUser', method: 'DELETE', route: `${BASE}/channels/:channelName/users/:userId` },
  { name: 'sendMessage', method: 'POST', route: `${BASE}/messages` },
  { name: 'getMessage', method: 'GET', route: `${BASE}/messages/:requestId` },
  { name: 'getReserveStatus', method: 'GET', route: `${BASE}/reservations/:reserveId/reserve-status` },
  { name: 'cancelReservation', method: 'DELETE', route: `${BASE}/reservations/:reserveId` },
  { name: 'cancelScheduledMessage', method: 'DELETE', route: SCHEDULED_MESSAGE },
  { name: 'createSchedule', method: 'POST', route: `${BASE}/schedules` },
  { name: 'listSchedules', method: 'GET', route: `${BASE}/schedules` },
  { name: 'getSchedule', method: 'GET', route: `${BASE}/schedules/:scheduleCode` },
  { name: 'updateSchedule', method: 'PUT', route: `${BASE}/schedules/:scheduleCode` },
  { name: 'deleteSchedule', method: 'DELETE', route: `${BASE}/schedules/:scheduleCode` },
  { name: 'listScheduledMessages', method: 'GET', route: `${BASE}/schedules/:scheduleCode/messages` },
  { name: 'getScheduledMessage', method: 'GET', route: SCHEDULED_MESSAGE },
  { name: 'countTimezones', method: 'GET', route: `${BASE}/timezones` },
  { name: 'getTimezones', method: 'POST', route: `${BASE}/timezones` },
  { name: 'closeKey', method: 'PUT', route: `${BASE}/messages/keys/:key` },
  { name: 'getBreakdown', method: 'GET', route: `${BASE}/messages/:requestId/breakdown` },
] as const;
export type Operation = (typeof OPERATIONS)[number];
export type OperationName = Operation['name'];

export const OPERATION_NAMES: readonly OperationName[] = [...new Set(OPERATIONS.map(({ name }) => name))];

const byRoute = new Map<string, OperationName>(
  OPERATIONS.map((one) => [`${one.method} ${one.route}`, one.name]),
);

/** Undefined for a route that is not in the interface. */
export function operationOf(method: string, route: string | undefined): OperationName | undefined {
  return byRoute.get(`${method} ${route ?? ''}`);
}
