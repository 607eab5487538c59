// Sets Fastify up for the scheduler: request ids, body limits, and problem+json also for requests that are refused before they come to
// a route. Has no routes itself.
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import secureSession from '@fastify/secure-session';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { v7 } from 'uuid';
import type { Clock } from '../platform/clock.js';
import {
  askBeforeBodies,
  httpLimits,
  limitConnections,
  type HttpLimits,
} from '../platform/http/http-limits.js';
import { LONG_BODY_BYTES, takeTurnsOfBodies } from '../platform/http/body-turns.js';
import { mediaType, streamBodies, type StreamedRoutes } from '../platform/http/streamed-bodies.js';
import { holdRefusals } from '../platform/http/held-refusals.js';
import type { Log } from '../platform/logging/log.js';
import { readTraceHeaders } from '../platform/tracing/trace-context.js';
import { answerFrameworkError } from '../platform/http/problem.filter.js';
import { Problem } from '../platform/http/problem.js';
import { AuthGuard, type GuardedRequest } from './admin/auth/auth.guard.js';
import { SESSION_COOKIE } from './admin/auth/session.js';
import { canUnpack } from './audience/rows/read-upload.js';
import { builtFolder, readDashboard } from './dashboard/built-dashboard.js';
import { serveDashboard } from './dashboard/serve-dashboard.js';

/** An event has at most 1 MiB (refused-events.md, "Bad input"); the rest is for its envelope. */
const BODY_LIMIT_BYTES = 1_152 * 1024;
/** For a batch of events in one body. */
const BATCH_LIMIT_BYTES = 16 * 1024 * 1024;
const EVENTS = 'application/cloudevents+json';
const EVENT_BATCH = 'application/cloudevents-batch+json';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

const LONGEST_COOKIE_SECONDS = 366 * 86_400;

/** A request keeps the caller's id, if it is valid, so that logs of several systems have the same; otherwise it gets a new one. */
export function fastifyAdapter(clock: Clock, limits: HttpLimits, log: Log): FastifyAdapter {
  const adapter = new FastifyAdapter({
    ...httpLimits(limits),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 300 },
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : v7({ msecs: clock.now() });
    },
    // For a URL that the router cannot read: no hook has run yet.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      answerFrameworkError(error, request, reply.header('x-request-id', request.id));
    },
  });
  const knob = 'SCHEDULER_MAX_CONNECTIONS_PER_ADDRESS';
  limitConnections(adapter.getInstance().server, limits, { knob, clock, log });
  return adapter;
}

interface HttpAppOptions {
  /** false: this process serves only health (CARILLON_ROLES without api). */
  readonly api: boolean;
  /** Read with every answer. */
  readonly drain: { readonly begun: boolean };
  readonly log: Log;
  /** Seal the cookies of sessions: the first seals, all open. */
  readonly sessionKeys: readonly Buffer[];
}

/** Adds the hooks and parsers of the whole application; call it before init(). */
export async function prepareHttpApp(app: NestFastifyApplication, options: HttpAppOptions): Promise<void> {
  const { api, drain, log, sessionKeys } = options;
  const fastify = app.getHttpAdapter().getInstance();
  // Awaited, so that its hook runs before ours, which ask who calls.
  await fastify.register(secureSession, {
    cookieName: SESSION_COOKIE,
    key: [...sessionKeys],
    // The library counts from the first cookie, also after a second signing in; session.ts ends sessions earlier.
    expiry: LONGEST_COOKIE_SECONDS,
    cookie: { path: '/', httpOnly: true, sameSite: 'strict' },
  });
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    if (holdsNothing(request)) dropTypeOfNothing(request);
    if (!api && !request.url.startsWith('/health/')) {
      throw new Problem(404, 'NO_SUCH_ROUTE', 'this process has no api role (CARILLON_ROLES)');
    }
  });
  serveDashboard(fastify, () => readDashboard(builtFolder()));
  // Two casts: the push service declares another type of caller for Fastify's requests.
  const letIn = (request: FastifyRequest) =>
    isSignIn(request) ? mustBeShort(request) : app.get(AuthGuard).letIn(request as unknown as GuardedRequest);
  askBeforeBodies(fastify, letIn, isUpload);
  streamBodies(fastify, UPLOADS);
  // Whether a chunked body is empty is known only when its first bytes or its end have come.
  fastify.addHook('preParsing', async (request, _reply, body) => {
    const isWaitedFor = isInChunks(request) && !BODYLESS.has(request.method);
    if (isWaitedFor && !(await holdsBytes(body))) dropTypeOfNothing(request);
    return body;
  });
  takeTurnsOfBodies(fastify, {
    ownerOf: (request) => (request as unknown as GuardedRequest).caller?.owner ?? [],
    mostOfOne: 4,
    except: (request) => isUpload(request) && UPLOADS.types.includes(mediaType(request)),
  });
  holdRefusals(fastify, () => drain.begun);
  fastify.addHook('onSend', async (request, reply) => {
    const left = (request as unknown as GuardedRequest).requestsLeft?.();
    if (left !== undefined) {
      reply.header('ratelimit-limit', left.limit);
      reply.header('ratelimit-remaining', left.remaining);
      reply.header('ratelimit-reset', left.resetSeconds);
    }
    // A connection that is kept alive after its last answer would delay the drain.
    if (drain.begun) reply.header('connection', 'close');
  });
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, url, headers, id: requestId } = request;
    if (!log.isLevelEnabled('debug')) return;
    const trace = readTraceHeaders(headers);
    // Only the path: a query may contain a caller's secret.
    log.debug({ method, path: url.split('?')[0], status: reply.statusCode, requestId, trace }, 'request');
  });
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  app.useBodyParser('application/json', { bodyLimit: BODY_LIMIT_BYTES }, (request, body, done) => {
    if (READ_AS_BYTES.test(request.url)) done(null, body);
    else if (body.length > LONG_BODY_BYTES) done(tooLong());
    else void parseJson(request as FastifyRequest, body.toString(), done);
  });
  // Events are passed on as bytes: their own parser finds all of their faults.
  for (const [type, bodyLimit] of [
    [EVENTS, BODY_LIMIT_BYTES],
    [EVENT_BATCH, BATCH_LIMIT_BYTES],
  ] as const) {
    fastify.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
      Object.assign(request, { rawBody: body });
      done(null, body);
    });
  }
  takePatches(fastify);
}

const MERGE_PATCH = 'application/merge-patch+json';
const isPatchOfCampaign = ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean =>
  method === 'PATCH' && url.startsWith('/v1/campaigns/');

/** Only campaigns are patched so; their own parser finds all faults of a patch. */
function takePatches(fastify: FastifyInstance): void {
  const options = { parseAs: 'buffer', bodyLimit: LONG_BODY_BYTES } as const;
  fastify.addContentTypeParser(MERGE_PATCH, options, (request, body, done) => {
    if (!isPatchOfCampaign(request))
      return done(new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', 'this route takes application/json'));
    Object.assign(request, { rawBody: body });
    done(null, body);
  });
}

/** Routes that parse the bytes themselves, large ones in a thread. Other bodies are short. */
const READ_AS_BYTES = /^\/v1\/(?:events|plans)(?:[/?]|$)/;

/** Signing in is open: the body has the token. Until it is read, a stranger gets no memory. */
const isSignIn = ({ method, url }: FastifyRequest): boolean =>
  method === 'POST' && /^\/v1\/session\/?(?:\?|$)/.test(url);

const SIGN_IN_BYTES = 1_024;

function mustBeShort(request: FastifyRequest): void {
  if (!isInChunks(request) && Number(request.headers['content-length']) <= SIGN_IN_BYTES) return;
  throw new Problem(
    413,
    'BODY_TOO_LARGE',
    `signing in takes at most ${SIGN_IN_BYTES} bytes, with their length`,
  );
}

/** Lists, and zones of recipients: PUT /v1/audiences/{name} and /v1/recipients/zones. */
const UPLOAD = /^\/v1\/(?:audiences\/[^/]+|recipients\/zones)\/?(?:\?|$)/;
const isUpload = ({ method, url }: FastifyRequest): boolean => method === 'PUT' && UPLOAD.test(url);

const UPLOADS: StreamedRoutes = {
  matches: isUpload,
  types: ['text/csv', 'application/x-ndjson', 'application/ndjson'],
  others: ({ url }) => (url.startsWith('/v1/recipients/') ? ['application/json'] : []),
  packings: canUnpack('zstd') ? ['gzip', 'zstd'] : ['gzip'],
  unknownPacking: (packing) =>
    packing === 'zstd'
      ? 'zstd is unpacked from Node 22.15 on, and this scheduler runs on an older one: send gzip, or the body as it is'
      : `a body with content-encoding ${packing.slice(0, 40)} is not taken: send gzip, zstd, or the body as it is`,
};

function tooLong(): Problem {
  const text = `a body has at most ${LONG_BODY_BYTES} bytes; only events and plans may have more: publish a larger event with POST /v1/events`;
  return new Problem(413, 'BODY_TOO_LARGE', text);
}

/** Methods whose bodies Fastify does not read. */
const BODYLESS = new Set(['GET', 'HEAD']);

const isInChunks = ({ headers }: FastifyRequest): boolean => headers['transfer-encoding'] !== undefined;

const holdsNothing = (request: FastifyRequest): boolean =>
  (request.headers['content-length'] ?? '0') === '0' && !isInChunks(request);

/** Whether the body has any byte; reads none. Rejects if the sender goes away. */
async function holdsBytes(body: Readable): Promise<boolean> {
  const known = new AbortController();
  const { signal } = known;
  // A body that had ended before this only has the second event.
  await Promise.race(['readable', 'end'].map((event) => once(body, event, { signal })));
  known.abort();
  return body.readableLength > 0;
}

/**
 * Accepts a POST without a body whatever its content type, because many clients always send one: somebody who stops a project in a hurry
 * must not get a 415. Not for events, which are judged by their type.
 */
function dropTypeOfNothing({ raw, url }: FastifyRequest): void {
  if (url.startsWith('/v1/events')) return;
  delete raw.headers['content-type'];
  delete raw.headers['transfer-encoding'];
}
