// Reads which members the query of an operation may have, from its own @Query({ schema }).
import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';

type RouteArguments = Readonly<Record<string, { readonly schema?: unknown }>>;

const known = new WeakMap<object, ReadonlySet<string>>();

/** The members for the operation that is called. Throws where its query has no object schema. */
export function queryMembersOf(
  context: Pick<ExecutionContext, 'getHandler' | 'getClass'>,
): ReadonlySet<string> {
  const handler = context.getHandler();
  let members = known.get(handler);
  if (members === undefined) {
    const args = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) as unknown;
    known.set(handler, (members = membersOf((args ?? {}) as RouteArguments)));
  }
  return members;
}

function membersOf(args: RouteArguments): Set<string> {
  const queries = Object.entries(args).filter(([key]) => key.startsWith(`${RouteParamtypes.QUERY}:`));
  const names = queries.flatMap(([, { schema }]) => {
    if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
    throw new Error('a @Query() without an object schema: nobody could say which members it knows');
  });
  return new Set(names);
}
