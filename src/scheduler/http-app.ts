// Fastify as the scheduler wants it: request ids, body limits, problem+json also for what is refused before a route is
// reached. Knows no route.
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { v7 } from 'uuid';
import type { Clock } from '../platform/clock.js';
import { httpLimits, type HttpLimits } from '../platform/http/http-limits.js';
import type { Log } from '../platform/log.js';
import { answerFrameworkError } from '../platform/http/problem.filter.js';
import { Problem } from '../platform/http/problem.js';

/** An event is at most 1 MiB (campaign-events.md, "Bad input"); the rest is room for its envelope. */
const BODY_LIMIT_BYTES = 1_152 * 1024;
/** A batch of events, taken as one body. */
const BATCH_LIMIT_BYTES = 16 * 1024 * 1024;
const EVENTS = 'application/cloudevents+json';
const EVENT_BATCH = 'application/cloudevents-batch+json';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Request ids: the caller's own where it is usable, for a trace across systems; else a new one. */
export function fastifyAdapter(clock: Clock, limits: HttpLimits): FastifyAdapter {
  const adapter = new FastifyAdapter({
    ...httpLimits(limits),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 300 },
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : v7({ msecs: clock.now() });
    },
    // A URL the router cannot read: no hook has run yet.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      answerFrameworkError(error, request, reply.header('x-request-id', request.id));
    },
  });
  adapter.getInstance().server.maxConnections = limits.maxConnections;
  return adapter;
}

export interface HttpAppOptions {
  /** false: this process serves health only (CARILLON_ROLES without api). */
  readonly api: boolean;
  /** Read with every answer. */
  readonly drain: { readonly begun: boolean };
  readonly log: Log;
}

/** Call before init(): hooks and parsers of the whole application. */
export function prepareHttpApp(app: NestFastifyApplication, { api, drain, log }: HttpAppOptions): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    dropTypeOfNothing(request);
    if (!api && !request.url.startsWith('/health/')) {
      throw new Problem(404, 'NO_SUCH_ROUTE', 'this process has no api role (CARILLON_ROLES)');
    }
  });
  fastify.addHook('onSend', async (_request, reply) => {
    // A connection kept alive after its last answer would hold up the drain.
    if (drain.begun) reply.header('connection', 'close');
  });
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, url } = request;
    // The path only: a query may hold what a caller thought secret.
    log.debug(
      { method, path: url.split('?')[0], status: reply.statusCode, requestId: request.id },
      'request',
    );
  });
  // Events are judged as bytes: what is wrong with them is the parser's to say, with every reason.
  for (const [type, bodyLimit] of [
    [EVENTS, BODY_LIMIT_BYTES],
    [EVENT_BATCH, BATCH_LIMIT_BYTES],
  ] as const) {
    fastify.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
      Object.assign(request, { rawBody: body });
      done(null, body);
    });
  }
}

/**
 * A POST without a body is taken whatever type its client gives by habit: who presses the panic button has no time for a
 * 415. Events are judged by their type, and of nothing there is none.
 */
function dropTypeOfNothing({ headers, raw, url }: FastifyRequest): void {
  const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
  if (isEmpty && !url.startsWith('/v1/events')) delete raw.headers['content-type'];
}
