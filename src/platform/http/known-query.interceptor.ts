// Refuses query members that an operation under /v1 does not know, instead of leaving them out: a filter that is spelt
// wrong would answer for everything. What an operation knows is read off its own @Query({ schema }).
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Problem } from './problem.js';
import { QueryMembers } from './query-members.js';

interface Routed {
  readonly routeOptions: { readonly url?: string };
  readonly query: object;
}

export class KnownQueryInterceptor implements NestInterceptor {
  readonly #members = new QueryMembers();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { routeOptions, query } = context.switchToHttp().getRequest<Routed>();
    // As the router knows it: a path may be written with escapes.
    if (routeOptions.url?.startsWith('/v1/') !== true) return next.handle();
    const known = this.#members.of(context);
    const unknown = Object.keys(query).filter((name) => !known.has(name));
    if (unknown.length === 0) return next.handle();
    const text = `this operation does not know it; it takes ${[...known].toSorted().join(', ') || 'none'}`;
    throw new Problem(400, 'INVALID_REQUEST', 'the query holds what this operation does not know', {
      problems: unknown.map((name) => ({ pointer: `?${name}`, code: 'UNKNOWN_PARAMETER', text })),
    });
  }
}
