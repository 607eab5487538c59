// The interface as an OpenAPI document, made from the operations and the very schemas that check its bodies. Pure.
import { z } from 'zod';
import {
  AUTHENTICATION_HEADERS,
  HEADER_PREFIXES,
  IDEMPOTENCY_KEY_HEADER,
} from '../../push-contract/headers.js';
import { PUSH_ERRORS } from '../../push-contract/errors.js';
import { Channel, ChannelList, Channels } from '../channels/channel-bodies.js';
import { OPERATIONS, type Operation, type OperationName } from '../gateway/operations.js';
import { MessageRequest } from '../messages/message-request.js';
import { ChangedSchedule, MessageList, NewSchedule, ScheduleList } from '../schedules/schedule-bodies.js';
import { Registration } from '../users/user-registration.js';

interface Described {
  /** Where it is written. */
  readonly section: string;
  readonly success: number;
  readonly body?: z.ZodType;
  readonly query?: readonly string[];
  readonly answer?: 'object' | 'array';
  readonly conflict?: true;
}

const listQuery = (schema: z.ZodObject): string[] => Object.keys(schema.shape);

const DESCRIBED: Readonly<Record<OperationName, Described>> = {
  registerUser: { section: '§4.1', success: 201, body: Registration },
  getUser: { section: '§4.1', success: 200, answer: 'object' },
  deleteUser: { section: '§4.1', success: 204 },
  createChannel: { section: '§4.2', success: 201, body: Channel, conflict: true },
  updateChannels: { section: '§4.2', success: 200, body: Channels, answer: 'array' },
  listChannels: { section: '§4.2', success: 200, query: listQuery(ChannelList), answer: 'array' },
  deleteChannels: { section: '§4.2', success: 204, body: Channels },
  addChannelUser: { section: '§4.2', success: 201 },
  removeChannelUser: { section: '§4.2', success: 204 },
  sendMessage: { section: '§4.3', success: 202, body: MessageRequest, answer: 'object', conflict: true },
  getMessage: { section: '§4.3', success: 200, answer: 'object' },
  getReserveStatus: { section: '§4.4', success: 200, answer: 'object' },
  cancelReservation: { section: '§4.4', success: 204 },
  cancelScheduledMessage: { section: '§4.4', success: 204 },
  createSchedule: { section: 'schedules', success: 201, body: NewSchedule, answer: 'object', conflict: true },
  listSchedules: { section: 'schedules', success: 200, query: listQuery(ScheduleList), answer: 'object' },
  getSchedule: { section: 'schedules', success: 200, answer: 'object' },
  updateSchedule: { section: 'schedules', success: 200, body: ChangedSchedule, answer: 'object' },
  deleteSchedule: { section: 'schedules', success: 204 },
  listScheduledMessages: {
    section: 'schedules',
    success: 200,
    query: listQuery(MessageList),
    answer: 'object',
  },
  getScheduledMessage: { section: 'schedules', success: 200, answer: 'object' },
  countTimezones: { section: 'target-timezone', success: 200, query: ['channelName'], answer: 'array' },
  getBreakdown: { section: 'result-breakdown', success: 200, answer: 'object' },
};

/** Every operation may be answered with these; 409 where names are taken. */
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
      schemas: {
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

function describe(operation: Operation & { readonly name: OperationName }): Json {
  const { section, success, body, query = [], answer, conflict } = DESCRIBED[operation.name];
  const pathNames = [...operation.route.matchAll(/:(\w+)/g)].map((match) => match[1]);
  const text = { schema: { type: 'string' } };
  const statuses = [...ERROR_STATUSES, ...(conflict === true ? [409] : [])].toSorted((a, b) => a - b);
  const idempotency = { name: IDEMPOTENCY_KEY_HEADER, in: 'header', required: false, ...text };
  return {
    // Adding a user to a channel has two methods; an operationId names one.
    operationId:
      operation.method === 'POST' && operation.name === 'addChannelUser'
        ? 'addChannelUserByPost'
        : operation.name,
    tags: [section],
    parameters: [
      ...pathNames.map((name) => ({ name, in: 'path', required: true, ...text })),
      ...query.map((name) => ({ name, in: 'query', required: false, ...text })),
      ...(operation.name === 'sendMessage' ? [idempotency] : []),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body) } } },
    }),
    responses: {
      [success]: {
        description: 'done',
        ...(answer !== undefined && { content: { 'application/json': { schema: { type: answer } } } }),
      },
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          {
            description: 'refused (§7)',
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

/** What a client sends; rules JSON Schema cannot say are left to the 400 that names them. */
function jsonSchema(schema: z.ZodType): unknown {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
