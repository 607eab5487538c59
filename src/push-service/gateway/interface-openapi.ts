// The OpenAPI document of the push interface, made from its operations and from the schemas that check bodies and answers. Pure.
import { z } from 'zod';
import {
  AUTHENTICATION_HEADERS,
  EXTENSIONS_HEADER,
  HEADER_PREFIXES,
  IDEMPOTENCY_KEY_HEADER,
  REQUEST_ID_HEADER,
  RETRY_AFTER_HEADER,
  WARNINGS_HEADER,
} from '../../push-contract/headers.js';
import { PUSH_ERRORS } from '../../push-contract/errors.js';
import { Channel, ChannelList, Channels } from '../channels/channel-bodies.js';
import { OPERATIONS, type Operation, type OperationName } from './operations.js';
import { CountPage } from './fields.js';
import { MessageRequest } from '../messages/message-request.js';
import { ChangedSchedule, MessageList, NewSchedule, ScheduleList } from '../schedules/schedule-bodies.js';
import { Registration, TimezonesOf, TimezonesQuery } from '../users/user-registration.js';
import { ANSWERS, type AnswerName } from './answers.js';

interface Described {
  /** Where the operation is described: a section, or a name in push-decisions.md. It is the tag. */
  readonly section: string;
  readonly success: number;
  readonly body?: z.ZodType;
  readonly query?: z.ZodObject;
  readonly answer?: AnswerName;
  readonly conflict?: true;
  /** Operations that take the requestId of the answer, and the name of the parameter that takes it. */
  readonly links?: Readonly<Partial<Record<OperationName, string>>>;
}

type More = Omit<Described, 'section' | 'success'>;

const at = (section: string, success: number, more: More = {}): Described => ({ section, success, ...more });

const DESCRIBED: Readonly<Record<OperationName, Described>> = {
  registerUser: at('push-interface.md §4.1', 201, { body: Registration }),
  getUser: at('push-interface.md §4.1', 200, { answer: 'User' }),
  deleteUser: at('push-interface.md §4.1', 204),
  createChannel: at('push-interface.md §4.2', 201, { body: Channel, conflict: true }),
  updateChannels: at('push-interface.md §4.2', 200, { body: Channels, answer: 'Channels' }),
  listChannels: at('push-interface.md §4.2', 200, { query: ChannelList, answer: 'Channels' }),
  deleteChannels: at('push-interface.md §4.2', 204, { body: Channels }),
  addChannelUser: at('push-interface.md §4.2', 201),
  removeChannelUser: at('push-interface.md §4.2', 204),
  sendMessage: at('push-interface.md §4.3', 202, {
    body: MessageRequest,
    answer: 'Sent',
    conflict: true,
    links: {
      getMessage: 'requestId',
      getBreakdown: 'requestId',
      getReserveStatus: 'reserveId',
      cancelReservation: 'reserveId',
    },
  }),
  getMessage: at('push-interface.md §4.3', 200, { answer: 'Result' }),
  getReserveStatus: at('push-interface.md §4.4', 200, { answer: 'Reservation' }),
  cancelReservation: at('push-interface.md §4.4', 204),
  cancelScheduledMessage: at('push-interface.md §4.4', 204),
  createSchedule: at('schedules', 201, { body: NewSchedule, answer: 'Schedule', conflict: true }),
  listSchedules: at('schedules', 200, { query: ScheduleList, answer: 'Schedules' }),
  getSchedule: at('schedules', 200, { answer: 'Schedule' }),
  updateSchedule: at('schedules', 200, { body: ChangedSchedule, answer: 'Schedule' }),
  deleteSchedule: at('schedules', 204),
  listScheduledMessages: at('schedules', 200, { query: MessageList, answer: 'ScheduledMessages' }),
  getScheduledMessage: at('schedules', 200, { answer: 'ScheduledMessage' }),
  countTimezones: at('target-timezone', 200, { query: TimezonesQuery, answer: 'Timezones' }),
  getTimezones: at('user-timezones', 200, { body: TimezonesOf, answer: 'UserTimezones' }),
  closeKey: at('close-key', 200, { answer: 'ClosedKey' }),
  getBreakdown: at('result-breakdown', 200, { query: CountPage, answer: 'Breakdown' }),
};

/** Any operation may answer these. Where a name can be taken it may answer 409 too. */
const ERROR_STATUSES = [400, 401, 403, 404, 413, 429, 500, 503, 504] as const;

type Json = Readonly<Record<string, unknown>>;

export function pushOpenApi(): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    const path = operation.route.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Push notification service', version: 'v2' },
    security: [{ timestamp: [], accessKey: [], signature: [] }],
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(AUTHENTICATION_HEADERS).map(([name, rest]) => [
          name,
          { type: 'apiKey', in: 'header', name: `${HEADER_PREFIXES[0]}${rest}` },
        ]),
      ),
      headers: {
        [REQUEST_ID_HEADER]: { required: true, schema: { type: 'string', minLength: 1 } },
        [EXTENSIONS_HEADER]: { required: true, schema: { type: 'string' } },
        [WARNINGS_HEADER]: { required: false, schema: { type: 'string' } },
        [RETRY_AFTER_HEADER]: { required: true, schema: { type: 'integer', minimum: 1 } },
      },
      schemas: {
        ...Object.fromEntries(
          Object.entries(ANSWERS).map(([name, schema]) => [name, jsonSchema(schema, 'output')]),
        ),
        Error: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['errorCode', 'message'],
              properties: {
                errorCode: {
                  type: 'string',
                  enum: [...new Set(Object.values(PUSH_ERRORS).map((one) => one.errorCode))],
                },
                message: { type: 'string' },
              },
            },
          },
        },
      },
    },
  };
}

function describe(operation: Operation): Json {
  const { section, success, body, query, answer, conflict, links } = DESCRIBED[operation.name];
  const pathNames = [...operation.route.matchAll(/:(\w+)/g)].map((match) => match[1]);
  const schema = { type: 'string' };
  const statuses = [...ERROR_STATUSES, ...(conflict === true ? [409] : [])].toSorted((a, b) => a - b);
  const idempotency = { name: IDEMPOTENCY_KEY_HEADER, in: 'header', required: false, schema };
  return {
    // To add a user to a channel there are two methods, and an operationId must be unique.
    operationId:
      operation.method === 'POST' && operation.name === 'addChannelUser'
        ? 'addChannelUserByPost'
        : operation.name,
    tags: [section],
    parameters: [
      ...pathNames.map((name) => ({ name, in: 'path', required: true, schema })),
      ...Object.entries(query?.shape ?? {}).map(([name, member]) => ({
        name,
        in: 'query',
        required: false,
        schema: jsonSchema(member as z.ZodType),
      })),
      ...(operation.name === 'sendMessage' ? [idempotency] : []),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body) } } },
    }),
    responses: {
      [success]: {
        description: 'done',
        headers: headersOf(success, operation.name === 'sendMessage' ? [WARNINGS_HEADER] : []),
        ...(answer !== undefined && {
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${answer}` } } },
        }),
        ...(links !== undefined && { links: linksTo(links) }),
      },
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          {
            description: 'refused (push-interface.md §7)',
            headers: headersOf(status),
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Error' } },
              'application/xml': {},
            },
          },
        ]),
      ),
    },
  };
}

function headersOf(status: number, more: readonly string[] = []): Json {
  const names = [REQUEST_ID_HEADER, EXTENSIONS_HEADER, ...more];
  if (status === 429 || status === 503) names.push(RETRY_AFTER_HEADER);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function linksTo(links: NonNullable<Described['links']>): Json {
  const service = { serviceId: '$request.path.serviceId' };
  return Object.fromEntries(
    Object.entries(links).map(([operationId, parameter]) => [
      operationId,
      { operationId, parameters: { ...service, [parameter]: '$response.body#/requestId' } },
    ]),
  );
}

/** The schema of what a client sends or gets, without the rules that JSON Schema cannot express. The answer 400 names those. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): unknown {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
