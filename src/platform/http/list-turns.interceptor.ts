// In a process that has due work as well: lists are read a few at a time, and each turn rests, so that people who page through
// everything take a part of the event loop and of the database, never all. What is read by its id waits for nobody.
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Clock } from '../clock.js';
import { Turns } from '../turns.js';
import { Problem } from './problem.js';
import { QueryMembers } from './query-members.js';

/** A list of 500 sends holds the event loop for some 30 ms; twenty readers took all of it (bench/load). */
const TURNS = {
  most: 2,
  waiting: 200,
  waitMs: 10_000,
};
/** One that found nothing for long kept the database, not the loop: it shuts nobody out for as long again. */
const REST = { times: 5, mostMs: 1_000 };

interface Routed {
  readonly routeOptions: { readonly url?: string };
}

export class ListTurnsInterceptor implements NestInterceptor {
  readonly #members = new QueryMembers();
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
    const { routeOptions } = context.switchToHttp().getRequest<Routed>();
    // Reports have turns of their own: who waits for one keeps no list waiting.
    const isReport = routeOptions.url?.startsWith('/v1/reports/') === true;
    if (isReport || !this.#members.of(context).has('cursor')) return next.handle();
    return from(this.#turns.take(() => lastValueFrom(next.handle())));
  }
}
