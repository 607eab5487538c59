// The OpenAPI 3.1 document of the API, made from the routes themselves: paths, roles and statuses from their decorators, parameters
// and bodies from the schemas that check them, answers from the schemas that give them their types.
import type { Type } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import type { z } from 'zod';
import type { Json } from '../../platform/http/json-schema.js';
import { keepsAnswer } from '../../platform/http/operation.decorator.js';
import { ProblemBody } from '../../platform/http/problem.js';
import { Components } from './components.js';
import { refusalsOf } from './common-refusals.js';
import { ROLES, rolesThatMay } from '../admin/auth/caller.js';
import { SESSION_COOKIE } from '../admin/auth/session.js';
import { routesOf, type Route } from './routes.js';
import { sample } from './sample.js';

export function openApi(controllers: readonly Type[]): Json {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  // Shared responses are numbered as they come: by name, so that no order of stages changes the document.
  for (const route of routesOf(controllers.toSorted((a, b) => (a.name < b.name ? -1 : 1)))) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Carillon',
      version: '1',
      description: [
        'Campaigns, sends, reports and administration of the Carillon scheduler.',
        'Errors are application/problem+json (RFC 9457) with a stable code. Every answer carries x-request-id.',
        'Readers pass over members, and words of a list, that they do not know: a new one is no new version.',
      ].join(' '),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { session: [] }],
    paths: sorted(paths),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'opaque',
          description: 'A token made with "carillon tokens create" or POST /v1/tokens',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'Set by POST /v1/session; what changes something also needs Origin and x-csrf',
        },
      },
      headers: {
        'x-request-id': {
          required: true,
          schema: { type: 'string' },
          description: "The caller's own where it is usable",
        },
        'retry-after': { required: true, schema: { type: 'integer', minimum: 1 }, description: 'Seconds' },
        'ratelimit-limit': {
          schema: { type: 'integer' },
          description: 'BUDGET_REQUESTS, of the budget that has the least left; only where a token was sent',
        },
        'ratelimit-remaining': { schema: { type: 'integer', minimum: 0 }, description: 'Requests left' },
        'ratelimit-reset': {
          schema: { type: 'integer', minimum: 0 },
          description: 'Seconds until all of them are there again',
        },
        'idempotency-replayed': {
          schema: { const: 'true' },
          description: 'The answer of the first request under the key',
        },
      },
      responses: components.responses,
      schemas: sorted(components.schemas),
    },
  };
}

const LIMITS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;

function sorted(members: Json): Json {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function operation(route: Route, components: Components): Json {
  const { mark, roles, path } = route;
  const body = mark.body ?? (route.body === undefined ? undefined : { 'application/json': route.body });
  return {
    operationId: route.id,
    tags: [/^\/v1\/([^/]+)/.exec(path)?.[1] ?? 'service'],
    summary: mark.summary,
    ...(roles === undefined
      ? { security: [] }
      : { description: `Needs a token with the role ${roles.join(' or ')}, or one that holds it.` }),
    // For clients that show only what their token may.
    'x-roles': roles === undefined ? ROLES : rolesThatMay(roles),
    parameters: parametersOf(route, components),
    ...(body !== undefined && {
      requestBody: {
        // A body may be left out where its schema takes an empty one.
        required: route.body?.safeParse(undefined).success !== true,
        content: Object.fromEntries(
          Object.entries(body).map(([type, schema]) => [type, components.media(schema, 'input')]),
        ),
      },
    }),
    responses: { ...answersOf(route, components), ...refusedOf(route, components) },
  };
}

function parametersOf({ method, params, query, roles, mark }: Route, components: Components): Json[] {
  const described = (schema: z.ZodType): Json => {
    const { description, ...placed } = components.place(schema, 'input');
    return { schema: placed, ...(description !== undefined && { description }) };
  };
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
  return [
    ...params.map(([name, schema]) => ({ name, in: 'path', required: true, ...described(schema) })),
    ...(Object.entries(query?.shape ?? {}) as [string, z.ZodType][]).map(([name, schema]) => ({
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      ...described(schema),
    })),
    ...(keepsAnswer(method, mark) && roles !== undefined ? [key] : []),
  ];
}

const headersOf = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function answersOf({ status, mark, method, roles }: Route, components: Components): Record<string, Json> {
  const { answer, otherMedia = [], otherStatuses = [] } = mark;
  const replayed = keepsAnswer(method, mark) && roles !== undefined ? ['idempotency-replayed'] : [];
  // A stream has begun before there is an answer to write them on.
  const limits = roles === undefined || otherMedia.includes('text/event-stream') ? [] : LIMITS;
  const content = {
    ...(answer !== undefined && { 'application/json': components.media(answer, 'output') }),
    ...Object.fromEntries(otherMedia.map((type) => [type, { schema: { type: 'string' } }])),
  };
  const one = {
    description: answer?.description ?? 'Done',
    headers: headersOf('x-request-id', ...limits, ...replayed),
    ...(Object.keys(content).length > 0 && { content }),
  };
  return Object.fromEntries([status, ...otherStatuses].map((each) => [each, one]));
}

function refusedOf(route: Route, components: Components): Record<string, Json> {
  const { $ref = '' } = components.place(ProblemBody, 'output');
  const schemas = { definitions: components.schemas, members: 'required' } as const;
  return Object.fromEntries(
    Object.entries(refusalsOf(route)).map(([status, codes = []]) => {
      const waits = status === '429' ? ['retry-after', ...LIMITS] : status === '503' ? ['retry-after'] : [];
      const example = sample({ $ref }, schemas) as object;
      const ofStatus = { title: STATUS_CODES[status], status: Number(status), code: codes[0] };
      const properties: Record<string, Json> = { status: { const: Number(status) }, code: { enum: codes } };
      const members = route.mark.refusalMembers?.[Number(status)]?.shape ?? {};
      for (const [name, member] of Object.entries(members) as [string, z.ZodType][])
        properties[name] = components.place(member, 'output');
      const content = { schema: { $ref, properties }, example: { ...example, ...ofStatus } };
      const response = {
        description: codes.join(', '),
        headers: headersOf('x-request-id', ...waits),
        content: { 'application/problem+json': content },
      };
      return [status, components.share(`Refused_${status}`, response)];
    }),
  );
}
