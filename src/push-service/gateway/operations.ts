// The operations of the interface by the names that faults, logs and the OpenAPI document call them by; one line per
// route. Pure.

export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As the router knows it. */
  readonly route: string;
}

const BASE = '/push/v2/services/:serviceId';

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
  {
    name: 'cancelScheduledMessage',
    method: 'DELETE',
    route: `${BASE}/schedules/:scheduleCode/messages/:messageId`,
  },
  { name: 'createSchedule', method: 'POST', route: `${BASE}/schedules` },
  { name: 'listSchedules', method: 'GET', route: `${BASE}/schedules` },
  { name: 'getSchedule', method: 'GET', route: `${BASE}/schedules/:scheduleCode` },
  { name: 'updateSchedule', method: 'PUT', route: `${BASE}/schedules/:scheduleCode` },
  { name: 'deleteSchedule', method: 'DELETE', route: `${BASE}/schedules/:scheduleCode` },
  { name: 'listScheduledMessages', method: 'GET', route: `${BASE}/schedules/:scheduleCode/messages` },
  {
    name: 'getScheduledMessage',
    method: 'GET',
    route: `${BASE}/schedules/:scheduleCode/messages/:messageId`,
  },
  { name: 'countTimezones', method: 'GET', route: `${BASE}/users/timezones` },
  { name: 'getBreakdown', method: 'GET', route: `${BASE}/messages/:requestId/breakdown` },
] as const satisfies readonly Operation[];

export type OperationName = (typeof OPERATIONS)[number]['name'];

export const OPERATION_NAMES: readonly OperationName[] = [
  ...new Set(OPERATIONS.map((operation) => operation.name)),
];

const byRoute = new Map<string, OperationName>(
  OPERATIONS.map((one) => [`${one.method} ${one.route}`, one.name]),
);

/** Undefined for what is no route of the interface. */
export function operationOf(method: string, route: string | undefined): OperationName | undefined {
  return byRoute.get(`${method} ${route ?? ''}`);
}
