// Lists take turns: a few at a time, fairly by service and token, and one service never has all turns. A caller who pages through
// everything takes a share of the event loop and of the database. A rest follows each turn, because the database may have due
// work of any process. Other reads that may be large take the same turns (`inTurn` of their @Operation). Reads by id do not wait.
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Clock } from '../clock.js';
import type { Owner } from '../fair-order.js';
import { Turns } from '../limited-turns.js';
import { lackOfTurns } from './lack-of-turns.js';
import { OPERATION_KEY, type OperationMark } from './operation.decorator.js';
import { queryMembersOf } from './query-members.js';

const WAITING = { waiting: 200, waitingOfOne: 50, waitMs: 10_000 };
/** The rest of the connections that requests share is for reads by id. */
const TURNS = { most: 3, mostOfOne: 2, ...WAITING };
/**
 * The limits where the process also dispatches. A list of 500 sends holds the event loop for some 30 ms; twenty readers took all
 * of it (bench/load).
 */
const BESIDE_DUE_WORK = { most: 2, mostOfOne: 1, ...WAITING };
/** At most a second: a list that searched long and found nothing kept the database busy, and not the event loop. */
const REST = { times: 5, mostMs: 1_000 };

interface ListTurnsDeps {
  /** Who sent the request. */
  readonly ownerOf: (request: object) => Owner;
  /** The clock by which turns rest. */
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Whether the process also dispatches. */
  readonly dispatches: boolean;
}

export class ListTurnsInterceptor implements NestInterceptor {
  readonly #ownerOf: ListTurnsDeps['ownerOf'];
  readonly #turns: Turns;

  constructor({ ownerOf, clock, dispatches }: ListTurnsDeps) {
    this.#ownerOf = ownerOf;
    const limits = { ...(dispatches ? BESIDE_DUE_WORK : TURNS), rest: { ...REST, clock } };
    this.#turns = new Turns(limits, lackOfTurns(limits, { code: 'LISTS_BUSY', what: 'lists' }));
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    // Reports have turns of their own, so that a request that waits for a report keeps no list waiting.
    const isReport = request.routeOptions.url?.startsWith('/v1/reports/') === true;
    const mark = Reflect.getMetadata(OPERATION_KEY, context.getHandler()) as OperationMark | undefined;
    const takesTurn = mark?.inTurn ?? queryMembersOf(context).has('cursor');
    if (isReport || !takesTurn) return next.handle();
    return from(this.#turns.take(this.#ownerOf(request), () => lastValueFrom(next.handle())));
  }
}
