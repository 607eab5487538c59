// Idempotency-Key on every POST: the first answer is kept for 30 days and given again, so that a client that lost an answer may
// repeat its request without doing the thing twice. Of a request that failed nothing is kept.
import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { createHash } from 'node:crypto';
import { from, lastValueFrom, of, type Observable } from 'rxjs';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { Problem } from '../../platform/http/problem.js';
import { dropKey, keepAnswer, takeKey, type KeptAnswer } from './idempotency.store.js';
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

const SHOWN_ONCE_KEY = 'carillon:shown-once';

/** Marks a route whose answer holds a secret that is shown once: the kept answer has null in place of that member. */
export const ShownOnce = (member: string): CustomDecorator => SetMetadata(SHOWN_ONCE_KEY, member);

/** Printable ASCII, at most 255: what fits a header. */
const KEY = /^[\x21-\x7e]{1,255}$/;
/** A first request that has not answered after this long is taken for lost; by the clock that is injected. */
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
    if (request.method !== 'POST' || key === undefined || request.caller === undefined) return next.handle();
    if (typeof key !== 'string' || !KEY.test(key)) {
      throw new Problem(400, 'BAD_IDEMPOTENCY_KEY', 'Idempotency-Key must be 1 to 255 printable characters');
    }
    const place = { tokenId: request.caller.tokenId, key };
    const now = new Date(this.clock.now());
    const kept = await takeKey(this.sql, { ...place, requestHash: hashOf(request), now });
    const reply = http.getResponse<Reply>();
    if (kept !== undefined) return of(this.#replay(kept, reply));
    const hidden = this.reflector.get<string | undefined>(SHOWN_ONCE_KEY, context.getHandler());
    return from(this.#answerAndKeep(next, reply, place, hidden));
  }

  #replay(kept: KeptAnswer, reply: Reply): unknown {
    if (!kept.sameRequest) {
      throw new Problem(
        422,
        'IDEMPOTENCY_KEY_REUSED',
        'this Idempotency-Key came with another request before',
      );
    }
    if (kept.status === null) {
      const lost = this.clock.now() - kept.createdAt.getTime() > LOST_AFTER_MS;
      throw lost
        ? new Problem(
            409,
            'IDEMPOTENT_ANSWER_LOST',
            'the first request ended without an answer; look at what it did',
          )
        : new Problem(409, 'IDEMPOTENT_REQUEST_RUNNING', 'the first request still runs', {
            retryAfterSeconds: 1,
          });
    }
    reply.code(kept.status);
    reply.header('idempotency-replayed', 'true');
    return kept.body ?? undefined;
  }

  async #answerAndKeep(
    next: CallHandler,
    reply: Reply,
    place: { tokenId: string; key: string },
    hidden: string | undefined,
  ): Promise<unknown> {
    let answer: unknown;
    try {
      answer = await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      await dropKey(this.sql, place).catch(() => undefined);
      throw error;
    }
    const body = hidden === undefined ? answer : { ...(answer as object), [hidden]: null };
    // The thing is done: an error now would make the caller do it again. The key then stays without an answer.
    await keepAnswer(this.sql, { ...place, status: reply.statusCode, body }).catch(() => undefined);
    return answer;
  }
}

function hashOf({ method, url, rawBody, body }: Request): Buffer {
  const hash = createHash('sha256').update(`${method} ${url}\n`);
  return hash.update(rawBody ?? JSON.stringify(body ?? null)).digest();
}
