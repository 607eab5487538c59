// For a process that also has due work: lists are read a few at a time, and each turn is followed by a rest, so that people
// who page through everything take a share of the event loop and of the database, never all. Reads by id wait for nobody.
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Clock } from '../clock.js';
import { Turns } from '../limited-turns.js';
import { Problem } from './problem.js';
import { queryMembersOf } from './query-members.js';

/** A list of 500 sends holds the event loop for some 30 ms; twenty readers took all of it (bench/load). */
const TURNS = { most: 2, waiting: 200, waitMs: 10_000 };
/** At most a second: a list that searched long and found nothing has kept the database busy, not the event loop. */
const REST = { times: 5, mostMs: 1_000 };

export class ListTurnsInterceptor implements NestInterceptor {
  readonly #turns: Turns;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    const text = `${TURNS.most} lists are read and others wait: ask again later`;
    const retryAfterSeconds = Math.ceil(TURNS.waitMs / 1_000);
    this.#turns = new Turns(
      { ...TURNS, rest: { ...REST, clock } },
      () => new Problem(503, 'LISTS_BUSY', text, { retryAfterSeconds }),
    );
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    // Reports have turns of their own, so that a request that waits for one keeps no list waiting.
    const isReport = routeOptions.url?.startsWith('/v1/reports/') === true;
    if (isReport || !queryMembersOf(context).has('cursor')) return next.handle();
    return from(this.#turns.take(() => lastValueFrom(next.handle())));
  }
}
