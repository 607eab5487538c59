// The OpenAPI document of the management API. Nest makes it from the routes. This file adds the answers and refusals of each
// operation, and the form of a refusal (RFC 9457).
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { MANAGEMENT_ANSWERS, READY } from './management-answers.js';

/** Any route under /v1 may answer these. refusalsOf() adds those of some routes. */
const REFUSALS: readonly number[] = [400, 401, 413, 415, 500, 503];

/** The refusals of routes without a token: only the form of a request to them can be wrong. */
const WITHOUT_TOKEN: readonly number[] = [400, 413, 415, 500];

/** Routes that make something whose name may be taken, or whose number has a limit. */
const CONFLICTS: ReadonlySet<string> = new Set([
  'POST /v1/services',
  'POST /v1/accounts/{accountId}/access-keys',
  'POST /v1/services/{serviceId}/schedules',
]);

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const PROBLEM = {
  type: 'object',
  required: ['title', 'status', 'code', 'detail', 'requestId'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    code: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' },
    detail: { type: 'string' },
    problems: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'text'],
        properties: { pointer: { type: 'string' }, code: { type: 'string' }, text: { type: 'string' } },
      },
    },
    requestId: { type: 'string' },
  },
} as const;

/** Loads @nestjs/swagger only when it is called, so that a service starts without its 530 files. */
export async function managementOpenApi(application: INestApplication): Promise<OpenAPIObject> {
  const { DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
  const about = new DocumentBuilder().setTitle('Push service management').setVersion('v1').addBearerAuth();
  const document = SwaggerModule.createDocument(application, about.build());
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const answer = MANAGEMENT_ANSWERS.get(`${method.toUpperCase()} ${path}`);
      for (const status of Object.keys(operation.responses)) {
        operation.responses[status] = {
          description: 'done',
          ...(answer !== undefined && { content: jsonOf(answer) }),
        };
      }
      const open = !path.startsWith('/v1/');
      if (!open) operation.security = [{ bearer: [] }];
      for (const status of refusalsOf(method, path, open)) {
        operation.responses[String(status)] = {
          description: 'refused',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        };
      }
    }
  }
  const ready = document.paths['/health/ready']?.get;
  if (ready !== undefined)
    ready.responses['503'] = {
      description: 'something is wrong; the checks say what',
      content: jsonOf(READY),
    };
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: PROBLEM as never },
  };
  return document;
}

function jsonOf(answer: z.ZodType): Record<string, { schema: object }> {
  const schema = z.toJSONSchema(answer, { target: 'openapi-3.0', io: 'output', unrepresentable: 'any' });
  return { 'application/json': { schema } };
}

function refusalsOf(method: string, path: string, open: boolean): number[] {
  const refusals = [...(open ? WITHOUT_TOKEN : REFUSALS)];
  if (path.includes('{')) refusals.push(404);
  if (CONFLICTS.has(`${method.toUpperCase()} ${path}`)) refusals.push(409);
  // It asks the provider, and one may not ask the provider too often.
  if (path.endsWith('/check')) refusals.push(429);
  return refusals.toSorted((a, b) => a - b);
}
