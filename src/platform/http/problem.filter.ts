// Turns every error of an HTTP request into application/problem+json with a stable code and the request's id. It logs an
// unforeseen error with its stack, and answers without the stack.
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  isDatabaseAway,
  isPoolFull,
  isReadOnly,
  isStatementEnded,
  passesByItself,
} from '../database/database-away.js';
import { shortageOf } from '../database/database-shortage.js';
import { GroupsFullError } from '../database/grouped-statement.js';
import { errorCode } from '../logging/error-code.js';
import type { Log } from '../logging/log.js';
import { readTraceHeaders } from '../tracing/trace-context.js';
import { WorkersBusyError, WorkLimitError } from '../workers/worker-errors.js';
import { Problem, problemBody } from './problem.js';

/** Codes for what Fastify and Nest refuse before a route is reached, by status: nothing else shows what it was. */
const REFUSED_EARLY: Readonly<Record<number, string>> = {
  400: 'MALFORMED_BODY',
  404: 'NO_SUCH_ROUTE',
  405: 'METHOD_NOT_ALLOWED',
  413: 'BODY_TOO_LARGE',
  414: 'URL_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** SQLSTATEs for text that PostgreSQL cannot store: U+0000 in text, half of a surrogate pair in jsonb. */
const NOT_STORABLE = ['22021', '22P05'];

@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const { id: requestId, headers } = http.getRequest<FastifyRequest>();
    const problem = problemFrom(error);
    if (problem.status >= 500)
      this.log.error({ err: error, requestId, trace: readTraceHeaders(headers) }, 'a request failed');
    if (reply.sent || reply.raw.headersSent) {
      // A stream failed half-way. To cut it off is the only way left to show it.
      reply.raw.destroy();
      return;
    }
    writeProblem(problem, requestId, reply);
  }
}

/** For Fastify's `frameworkErrors`: requests that the router cannot read, before any hook or filter. */
export function answerFrameworkError(error: unknown, { id }: FastifyRequest, reply: FastifyReply): void {
  writeProblem(problemFrom(error), id, reply);
}

function writeProblem(problem: Problem, requestId: string, reply: FastifyReply): void {
  const { retryAfterSeconds } = problem.extras;
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  void reply
    .code(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemBody(problem, requestId)));
}

export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof GroupsFullError || error instanceof WorkersBusyError) {
    return new Problem(503, 'TOO_BUSY', `${error.message}: try again`, { retryAfterSeconds: 1 });
  }
  if (error instanceof WorkLimitError) {
    return new Problem(413, 'TOO_LARGE', `${error.message}, and nothing was changed: send less at once`);
  }
  if (isPoolFull(error)) {
    const text =
      'all connections to the database that such requests share were at work, and nothing was changed: try again';
    return new Problem(503, 'DATABASE_BUSY', text, { retryAfterSeconds: 1 });
  }
  if (isDatabaseAway(error)) return outageProblem(error);
  if (NOT_STORABLE.includes(errorCode(error))) {
    return new Problem(400, 'NOT_STORABLE', 'the request holds characters that cannot be stored');
  }
  if (isStatementEnded(error)) {
    const text = 'the database took too long over it, and nothing was changed: ask for less, or again later';
    return new Problem(503, 'TOO_SLOW', text, { retryAfterSeconds: 5 });
  }
  if (isReadOnly(error)) {
    const text = 'the database only reads for now, and nothing was changed: try again when it has a primary';
    return new Problem(503, 'DATABASE_READ_ONLY', text, { retryAfterSeconds: 10 });
  }
  if (passesByItself(error)) {
    const text = 'others were changing the same in the database, and nothing was changed: try again';
    return new Problem(503, 'DATABASE_BUSY', text, { retryAfterSeconds: 1 });
  }
  const refusal = refusedEarly(error);
  if (refusal === undefined) return new Problem(500, 'INTERNAL', 'this is a fault of ours; it is logged');
  return new Problem(
    refusal.status,
    refusal.code ?? REFUSED_EARLY[refusal.status] ?? 'REFUSED',
    refusal.text,
  );
}

/**
 * Answers 503 for a shortage too, and not 507: both pass without a change of the request, and clients and proxies repeat a 503
 * after its Retry-After.
 */
function outageProblem(error: unknown): Problem {
  const shortage = shortageOf(error);
  if (shortage !== undefined) {
    const { code, text } = shortage;
    return new Problem(503, code, `${text}; nothing was changed, try again then`, { retryAfterSeconds: 10 });
  }
  return new Problem(
    503,
    'DATABASE_AWAY',
    'the database does not answer: try again, a POST with its Idempotency-Key; events may go to Kafka meanwhile',
    { retryAfterSeconds: 1 },
  );
}

/**
 * A refusal by Fastify or Nest itself. Nest wraps Fastify's errors in its own, some without their code. The texts of the
 * frameworks name the route and the rule, never our internals.
 */
export function refusedEarly(error: unknown): { status: number; code?: string; text: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error);
  const statusCode = code.startsWith('FST_') && 'statusCode' in error ? error.statusCode : undefined;
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  if (typeof status !== 'number' || status >= 500) return undefined;
  return { status, text: error.message, ...(code === 'FST_ERR_BAD_URL' && { code: 'MALFORMED_URL' }) };
}
