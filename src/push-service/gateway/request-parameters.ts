// How controllers take what they need of a request: the calling service, a checked body, a path name, a query.
import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { isStorable } from '../../platform/http/storable-text.js';
import { readJson, STORABLE, type RawBody } from './body.js';
import { badRequest, notFound } from './push-error.js';
import type { ServiceFacts } from './access.store.js';
import { validate } from './validate.js';

/** Not specified: no name of the interface is longer, percent-encoded or not. */
export const MAX_PATH_SEGMENT_LENGTH = 4_096;

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

function pathSegment(context: ExecutionContext, name: string): string {
  return (requestOf(context).params as Record<string, string>)[name] ?? '';
}

/** The service that the path names; the gateway has checked the caller's right to it. */
export const Service = createParamDecorator((_: unknown, context: ExecutionContext): ServiceFacts => {
  const service = requestOf(context).caller?.service;
  if (service === undefined) throw notFound();
  return service;
});

/** A name in the path, percent-decoded; 400 when the database could not store it. */
export const PathName = createParamDecorator((name: string, context: ExecutionContext): string => {
  const value = pathSegment(context, name);
  if (!isStorable(value)) throw badRequest(`${name}: ${STORABLE}`);
  return value;
});

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/** One of our ids in the path, with or without hyphens, in upper or lower case. Anything but a UUID names nothing: 404. */
export const PathId = createParamDecorator((name: string, context: ExecutionContext): string => {
  const value = pathSegment(context, name);
  const groups = UUID.exec(value);
  const hyphens = value.split('-').length - 1;
  if (groups === null || (hyphens !== 0 && hyphens !== 4)) throw notFound(`${name}: is no UUID`);
  return groups.slice(1).join('-').toLowerCase();
});

/** The members of the query, percent-decoded. Refuses a member that is given twice or that is not encoded as UTF-8. */
export const QueryMembers = createParamDecorator(
  (_: unknown, context: ExecutionContext): Record<string, string> => {
    const target = requestOf(context).raw.url ?? '';
    const members = new Map<string, string>();
    for (const pair of target.includes('?') ? target.slice(target.indexOf('?') + 1).split('&') : []) {
      if (pair === '') continue;
      const [name = '', ...rest] = pair.split('=').map(decodeQuery);
      if (members.has(name)) throw badRequest(`${name}: must be given once`);
      members.set(name, rest.join('='));
    }
    return Object.fromEntries(members);
  },
);

function decodeQuery(encoded: string): string {
  let text: string;
  try {
    text = decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    throw badRequest('query: its percent-encoding is not UTF-8');
  }
  if (!isStorable(text)) throw badRequest(`query: ${STORABLE}`);
  return text;
}

/** Pipe: reads the JSON body and checks it against the schema. */
export class JsonBody<Schema extends z.ZodType> implements PipeTransform {
  constructor(private readonly schema: Schema) {}

  transform(body: RawBody | undefined): z.output<Schema> {
    return validate(this.schema, readJson(body));
  }
}

/** Pipe: checks the query, whose members are all texts, against the schema. */
export class Query<Schema extends z.ZodType> implements PipeTransform {
  constructor(private readonly schema: Schema) {}

  transform(members: Record<string, string>): z.output<Schema> {
    return validate(this.schema, members, 'query');
  }
}
