// Turns whatever was thrown into the answer of push-interface.md §7. It answers a PushError as it is, and translates a fault of
// the framework or the database. Anything else is a bug: it answers 500/900, logs the bug, and does not show its text to the
// caller.
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PUSH_ERRORS } from '../../push-contract/errors.js';
import { RETRY_AFTER_HEADER } from '../../push-contract/headers.js';
import { shortageOf } from '../../platform/database/database-shortage.js';
import { refusedEarly } from '../../platform/http/problem.filter.js';
import { SealError } from '../../platform/secrets/sealed.js';
import type { Log } from '../../platform/logging/log.js';
import { databaseFault } from './database-fault.js';
import { asksForXml, errorBody } from './error-body.js';
import { PushError } from './push-error.js';

@Catch()
export class PushErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.write(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  write(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    // A caller who left half-way through the request gets no answer. It is not the database's fault.
    if (request.raw.destroyed && !request.raw.complete) return void reply.raw.destroy();
    const error = translate(thrown);
    const about = { err: thrown, requestId: request.id, trace: request.span?.context };
    if (error.kind === 'unexpected' && !(thrown instanceof PushError)) {
      this.log.error(about, 'a request failed because of a bug');
    } else if (error.kind === 'endpointError' || error.kind === 'endpointTimeout') {
      const want = thrown instanceof SealError ? 'a master key' : 'the database';
      this.log.warn(about, `a request failed for want of ${want}`);
    }
    const { status } = PUSH_ERRORS[error.kind];
    if (status === 429 || status === 503) {
      reply.header(RETRY_AFTER_HEADER, String(Math.max(1, error.extras.retryAfterSeconds ?? 1)));
    }
    const asXml = asksForXml(request.headers['content-type']);
    reply
      .code(status)
      .header('content-type', `application/${asXml ? 'xml' : 'json'}; charset=utf-8`)
      .send(errorBody(error, asXml));
  }
}

function translate(thrown: unknown): PushError {
  if (thrown instanceof PushError) return thrown;
  // Nothing is wrong with the request, and another process may have the key.
  if (thrown instanceof SealError) return new PushError('endpointError');
  const status = refusedEarly(thrown)?.status;
  if (status === 404) return new PushError('notFound');
  if (status === 413) return new PushError('requestEntityTooLarge');
  // Every other fault before a handler runs is in the form of the request: a bad URL, a bad length …
  if (status !== undefined) return new PushError('badRequest');
  const fault = databaseFault(thrown);
  if (fault === 'not sent') return new PushError('endpointError', shortageOf(thrown)?.text);
  if (fault === 'unknown') return new PushError('endpointTimeout');
  return new PushError('unexpected');
}
