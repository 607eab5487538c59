// Idempotency-Key on every POST and PATCH that changes something: the first answer is kept for 30 days and given again, so that a client
// that lost an answer may repeat its request without a second effect. The changes of a request and its answer are one commit
// (docs/decisions/0068). Nothing is kept of a request that failed.
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { createHash } from 'node:crypto';
import { from, lastValueFrom, of, type Observable } from 'rxjs';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { RequestTransaction } from '../../platform/database/request-transaction.js';
import { keepsAnswer, OPERATION_KEY, type OperationMark } from '../../platform/http/operation.decorator.js';
import { Problem } from '../../platform/http/problem.js';
import { SHOWN_ONCE_KEY } from '../../platform/http/shown-once.decorator.js';
import { dropKey, keepAnswer, takeKey, type HeldKey, type KeptAnswer } from './idempotency.store.js';
import type { CalledRequest } from './auth/caller.js';

interface Request extends CalledRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body?: unknown;
  readonly rawBody?: Buffer;
}

interface Reply {
  readonly statusCode: number;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/** Printable ASCII, at most 255: what fits a header. */
const KEY = /^[\x21-\x7e]{1,255}$/;
/**
 * A first request that has no answer after this long counts as lost, by the injected clock: its repeat is done in its place. If the
 * first one goes on after all, its commit is refused.
 */
const LOST_AFTER_MS = 120_000;

export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly sql: Sql,
    private readonly clock: Clock,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const key = request.headers['idempotency-key'];
    const mark = this.reflector.get<OperationMark | undefined>(OPERATION_KEY, context.getHandler());
    if (!keepsAnswer(request.method, mark) || key === undefined || request.caller === undefined)
      return next.handle();
    if (typeof key !== 'string' || !KEY.test(key)) {
      throw new Problem(400, 'BAD_IDEMPOTENCY_KEY', 'Idempotency-Key must be 1 to 255 printable characters');
    }
    const now = this.clock.now();
    const held = { tokenId: request.caller.tokenId, key, takenAt: new Date(now) };
    const lostBefore = new Date(now - LOST_AFTER_MS);
    const kept = await takeKey(this.sql, { ...held, requestHash: hashOf(request), lostBefore });
    const reply = http.getResponse<Reply>();
    if (kept !== undefined) return of(this.#replay(kept, reply));
    const hidden = this.reflector.get<string | undefined>(SHOWN_ONCE_KEY, context.getHandler());
    const keep = async (sql: Sql, answer: unknown): Promise<void> => {
      const body = hidden === undefined ? answer : { ...(answer as object), [hidden]: null };
      if (!(await keepAnswer(sql, { ...held, status: reply.statusCode, body }))) throw stillRuns();
    };
    return from(this.#answerAndKeep(next, held, keep));
  }

  #replay(kept: KeptAnswer, reply: Reply): unknown {
    if (!kept.sameRequest) {
      throw new Problem(
        422,
        'IDEMPOTENCY_KEY_REUSED',
        'this Idempotency-Key came with another request before',
      );
    }
    if (kept.status === null) throw stillRuns();
    reply.code(kept.status);
    reply.header('idempotency-replayed', 'true');
    return kept.body ?? undefined;
  }

  async #answerAndKeep(
    next: CallHandler,
    held: HeldKey,
    keep: (sql: Sql, answer: unknown) => Promise<void>,
  ): Promise<unknown> {
    const changes = new RequestTransaction(keep);
    try {
      const answer: unknown = await changes.within(() =>
        lastValueFrom(next.handle(), { defaultValue: undefined }),
      );
      const isKept = changes.hasBegun && !changes.hasEnded;
      await changes.commit(answer);
      // The request changed nothing, or committed with an answer that is out of date by now. With an error the caller would repeat it.
      if (!isKept) await keep(this.sql, answer).catch(() => undefined);
      return answer;
    } catch (error) {
      // A refusal keeps the changes, as with events that are kept as rejections; any other error undoes them.
      if (error instanceof Problem && error.status < 500)
        await changes.commitWithout((sql) => dropKey(sql, held));
      else await changes.rollBack(error);
      await dropKey(this.sql, held).catch(() => undefined);
      throw error;
    }
  }
}

const stillRuns = (): Problem =>
  new Problem(409, 'IDEMPOTENT_REQUEST_RUNNING', 'the first request still runs', { retryAfterSeconds: 1 });

function hashOf({ method, url, rawBody, body }: Request): Buffer {
  const hash = createHash('sha256').update(`${method} ${url}\n`);
  return hash.update(rawBody ?? JSON.stringify(body ?? null)).digest();
}
