// Refuses query members that an operation under /v1 does not know, instead of leaving them out: a filter that is spelt
// wrong would answer for everything. What an operation knows is read off its own @Query({ schema }).
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Observable } from 'rxjs';
import { z } from 'zod';
import { Problem } from './problem.js';

type RouteArguments = Readonly<Record<string, { readonly schema?: unknown }>>;

interface Routed {
  readonly routeOptions: { readonly url?: string };
  readonly query: object;
}

export class KnownQueryInterceptor implements NestInterceptor {
  readonly #known = new WeakMap<object, ReadonlySet<string>>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { routeOptions, query } = context.switchToHttp().getRequest<Routed>();
    // As the router knows it: a path may be written with escapes.
    if (routeOptions.url?.startsWith('/v1/') !== true) return next.handle();
    const known = this.#knownTo(context);
    const unknown = Object.keys(query).filter((name) => !known.has(name));
    if (unknown.length === 0) return next.handle();
    const text = 'this operation does not know it';
    throw new Problem(400, 'INVALID_REQUEST', 'the query holds what this operation does not know', {
      problems: unknown.map((name) => ({ pointer: `?${name}`, code: 'UNKNOWN_PARAMETER', text })),
    });
  }

  #knownTo(context: ExecutionContext): ReadonlySet<string> {
    const handler = context.getHandler();
    let known = this.#known.get(handler);
    if (known === undefined) {
      const of = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) as unknown;
      this.#known.set(handler, (known = membersOf((of ?? {}) as RouteArguments)));
    }
    return known;
  }
}

function membersOf(args: RouteArguments): Set<string> {
  const queries = Object.entries(args).filter(([key]) => key.startsWith(`${RouteParamtypes.QUERY}:`));
  const names = queries.flatMap(([, { schema }]) => {
    if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
    throw new Error('a @Query() without an object schema: nobody could say which members it knows');
  });
  return new Set(names);
}
