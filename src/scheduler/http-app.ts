// Fastify as the scheduler wants it: request ids, body limits, problem+json also for what is refused before a route is
// reached. Knows no route.
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { v7 } from 'uuid';
import type { Clock } from '../platform/clock.js';
import { askBeforeBodies, httpLimits, type HttpLimits } from '../platform/http/http-limits.js';
import type { Log } from '../platform/log.js';
import { readTraceHeaders } from '../platform/tracing/trace-context.js';
import { answerFrameworkError } from '../platform/http/problem.filter.js';
import { Problem } from '../platform/http/problem.js';
import { AuthGuard } from './admin/auth/auth.guard.js';

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
    if (holdsNothing(request)) dropTypeOfNothing(request);
    if (!api && !request.url.startsWith('/health/')) {
      throw new Problem(404, 'NO_SUCH_ROUTE', 'this process has no api role (CARILLON_ROLES)');
    }
  });
  askBeforeBodies(fastify, (authorization) => app.get(AuthGuard).authenticate(authorization));
  // Of a body in chunks only its first bytes tell that it is one.
  fastify.addHook('preParsing', async (request, _reply, body) => {
    const isWaitedFor = isInChunks(request) && !BODYLESS.has(request.method);
    if (isWaitedFor && !(await holdsBytes(body))) dropTypeOfNothing(request);
    return body;
  });
  fastify.addHook('onSend', async (_request, reply) => {
    // A connection kept alive after its last answer would hold up the drain.
    if (drain.begun) reply.header('connection', 'close');
  });
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, url, headers, id: requestId } = request;
    if (!log.isLevelEnabled('debug')) return;
    const trace = readTraceHeaders(headers);
    // The path only: a query may hold what a caller thought secret.
    log.debug({ method, path: url.split('?')[0], status: reply.statusCode, requestId, trace }, 'request');
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

/** Fastify reads no body of these. */
const BODYLESS = new Set(['GET', 'HEAD']);

const isInChunks = ({ headers }: FastifyRequest): boolean => headers['transfer-encoding'] !== undefined;

const holdsNothing = (request: FastifyRequest): boolean =>
  (request.headers['content-length'] ?? '0') === '0' && !isInChunks(request);

/** Reads nothing. Rejects where the sender goes away. */
async function holdsBytes(body: Readable): Promise<boolean> {
  const heard = new AbortController();
  const { signal } = heard;
  // Of one that had ended before anybody listened, the second alone is told.
  await Promise.race(['readable', 'end'].map((event) => once(body, event, { signal })));
  heard.abort();
  return body.readableLength > 0;
}

/**
 * A POST without a body is taken whatever type its client gives by habit: who presses the panic button has no time for a
 * 415. Events are judged by their type, and of nothing there is none.
 */
function dropTypeOfNothing({ raw, url }: FastifyRequest): void {
  if (url.startsWith('/v1/events')) return;
  delete raw.headers['content-type'];
  delete raw.headers['transfer-encoding'];
}
