// Refuses query members that an operation under /v1 does not know. If it ignored a misspelt filter, the answer would have
// everything. The members that an operation knows are those of its own @Query({ schema }).
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Problem } from './problem.js';
import { queryMembersOf } from './query-members.js';

export class KnownQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { routeOptions, query } = context.switchToHttp().getRequest<FastifyRequest>();
    // The router's pattern, not the path of the request, which may be written with escapes.
    if (routeOptions.url?.startsWith('/v1/') !== true) return next.handle();
    const known = queryMembersOf(context);
    const unknown = Object.keys(query as object).filter((name) => !known.has(name));
    if (unknown.length === 0) return next.handle();
    const text = `this operation does not know it; it takes ${[...known].toSorted().join(', ') || 'none'}`;
    throw new Problem(400, 'INVALID_REQUEST', 'the query holds what this operation does not know', {
      problems: unknown.map((name) => ({ pointer: `?${name}`, code: 'UNKNOWN_PARAMETER', text })),
    });
  }
}
