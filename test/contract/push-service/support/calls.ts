// For each operation of the interface a request that is right, one that cannot be read, and, where a name can be taken,
// one that takes it again. The names are those of interface.ts.
import type { Answer, CallOptions, Client } from './client.js';
import { message, send } from './stage.js';

/** A project with one of everything that operations name. */
export interface Furnished {
  readonly client: Client;
  readonly requestId: string;
  readonly reserveId: string;
  /** Attached to the schedule `s`. */
  readonly messageId: string;
}

/** A user `u` in the channel `c`, a schedule `s`, and a message of each kind; a reservation of a year that is far. */
export async function furnish(client: Client): Promise<Furnished> {
  await client.post('channels', { channelName: 'c' });
  await client.register({ userId: 'u', channelName: 'c' });
  await client.post('schedules', { scheduleCode: 's', scheduleTime: '00:00', startDate: '2099-01-01' });
  return {
    client,
    requestId: await send(client, message()),
    reserveId: await send(client, message({ reserveTime: '2099-01-01 00:00' })),
    messageId: await send(client, message({ scheduleCode: 's' })),
  };
}

type Call = (at: Furnished, options?: CallOptions) => Promise<Answer>;

export const RIGHT: Readonly<Record<string, Call>> = {
  registerUser: ({ client }, options) =>
    client.post(
      'users',
      {
        userId: 'v',
        deviceType: 'APNS',
        deviceToken: 't',
        isNotificationAgreement: true,
        isAdAgreement: false,
        isNightAdAgreement: false,
      },
      options,
    ),
  countTimezones: ({ client }, options) => client.get('timezones?channelName=c', options),
  getTimezones: ({ client }, options) => client.post('timezones', { userIds: ['u'] }, options),
  getUser: ({ client }, options) => client.get('users/u', options),
  deleteUser: ({ client }, options) => client.delete('users/u', undefined, options),
  createChannel: ({ client }, options) => client.post('channels', { channelName: 'x' }, options),
  updateChannels: ({ client }, options) => client.put('channels', [{ channelName: 'c' }], options),
  listChannels: ({ client }, options) => client.get('channels', options),
  deleteChannels: ({ client }, options) => client.delete('channels', [{ channelName: 'c' }], options),
  addChannelUser: ({ client }, options) => client.get('channels/c/users/u', options),
  addChannelUserByPost: ({ client }, options) => client.post('channels/c/users/u', undefined, options),
  removeChannelUser: ({ client }, options) => client.delete('channels/c/users/u', undefined, options),
  sendMessage: ({ client }, options) => client.post('messages', message(), options),
  getMessage: ({ client, requestId }, options) => client.get(`messages/${requestId}`, options),
  getReserveStatus: ({ client, reserveId }, options) =>
    client.get(`reservations/${reserveId}/reserve-status`, options),
  cancelReservation: ({ client, reserveId }, options) =>
    client.delete(`reservations/${reserveId}`, undefined, options),
  cancelScheduledMessage: ({ client, messageId }, options) =>
    client.delete(`schedules/s/messages/${messageId}`, undefined, options),
  createSchedule: ({ client }, options) =>
    client.post('schedules', { scheduleCode: 'x', scheduleTime: '00:00' }, options),
  listSchedules: ({ client }, options) => client.get('schedules', options),
  getSchedule: ({ client }, options) => client.get('schedules/s', options),
  updateSchedule: ({ client }, options) => client.put('schedules/s', { scheduleTime: '01:00' }, options),
  deleteSchedule: ({ client }, options) => client.delete('schedules/s', undefined, options),
  listScheduledMessages: ({ client }, options) => client.get('schedules/s/messages', options),
  getScheduledMessage: ({ client, messageId }, options) =>
    client.get(`schedules/s/messages/${messageId}`, options),
  closeKey: ({ client }, options) => client.call('PUT', 'messages/keys/free', options),
  getBreakdown: ({ client, requestId }, options) => client.get(`messages/${requestId}/breakdown`, options),
};

/** A part of the request is what no such part can be. */
export const UNREADABLE: Readonly<Record<string, Call>> = {
  registerUser: ({ client }) => client.post('users', {}),
  countTimezones: ({ client }) => client.get('timezones?channelName=%FF'),
  getTimezones: ({ client }) => client.post('timezones', {}),
  getUser: ({ client }) => client.get('users/%00'),
  deleteUser: ({ client }) => client.delete('users/%FF'),
  createChannel: ({ client }) => client.post('channels', {}),
  updateChannels: ({ client }) => client.put('channels', {}),
  listChannels: ({ client }) => client.get('channels?pageSize=x'),
  deleteChannels: ({ client }) => client.delete('channels', {}),
  addChannelUser: ({ client }) => client.get('channels/%00/users/u'),
  addChannelUserByPost: ({ client }) => client.post('channels/c/users/%00'),
  removeChannelUser: ({ client }) => client.delete('channels/c/users/%00'),
  sendMessage: ({ client }) => client.post('messages', {}),
  getMessage: ({ client }) => client.get('messages/%FF'),
  getReserveStatus: ({ client }) => client.get('reservations/%FF/reserve-status'),
  cancelReservation: ({ client }) => client.delete('reservations/%FF'),
  cancelScheduledMessage: ({ client, messageId }) => client.delete(`schedules/%00/messages/${messageId}`),
  createSchedule: ({ client }) => client.post('schedules', {}),
  listSchedules: ({ client }) => client.get('schedules?size=0'),
  getSchedule: ({ client }) => client.get('schedules/%00'),
  updateSchedule: ({ client }) => client.put('schedules/s', {}),
  deleteSchedule: ({ client }) => client.delete('schedules/%00'),
  listScheduledMessages: ({ client }) => client.get('schedules/s/messages?page=-1'),
  getScheduledMessage: ({ client, messageId }) => client.get(`schedules/%00/messages/${messageId}`),
  closeKey: ({ client }) => client.call('PUT', `messages/keys/${'k'.repeat(256)}`),
  getBreakdown: ({ client }) => client.get('messages/%FF/breakdown'),
};

export const CONFLICTING: Readonly<Record<string, Call>> = {
  createChannel: ({ client }) => client.post('channels', { channelName: 'c' }),
  createSchedule: ({ client }) => client.post('schedules', { scheduleCode: 's', scheduleTime: '00:00' }),
  sendMessage: async ({ client }) => {
    const headers = { 'idempotency-key': 'taken' };
    await client.post('messages', message(), { headers });
    return client.post('messages', message({ messageType: 'AD' }), { headers });
  },
};
