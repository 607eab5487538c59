// The HTTP server of the interface, before any controller. Checks in the order of the decisions page: declared length →
// host → authentication → rate and quota, all by the headers; then the body as it is read → route. Holds nothing of an
// operation.
import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { PUSH_ERRORS } from '../../push-contract/errors.js';
import { EXTENSIONS, EXTENSIONS_HEADER, REQUEST_ID_HEADER } from '../../push-contract/headers.js';
import type { Clock } from '../../platform/clock.js';
import { httpLimits, type HttpLimits } from '../../platform/http/http-limits.js';
import type { Log } from '../../platform/log.js';
import { randomBits } from '../../platform/random-bits.js';
import type { Span, Tracing } from '../../platform/tracing/tracing.js';
import type { AccessCache } from './access-cache.js';
import { authenticate, type Caller } from './authenticate.js';
import type { RawBody } from './body.js';
import { PushError } from './push-error.js';
import type { PushErrorFilter } from './push-error.filter.js';
import type { RateLimit } from './rate-limit.js';
import { traceRequests } from './trace-requests.js';
import { MAX_PATH_PART_LENGTH } from './request-parts.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who signed it; set before any handler runs. */
    caller: Caller | null;
    /** Of a request that belongs to a trace; set before anything is checked. */
    span: Span | null;
  }
}

export interface GatewayOptions {
  readonly limits: HttpLimits;
  readonly maxBodyBytes: number;
  readonly keys: AccessCache;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  /** Milliseconds; CLOCK_WINDOW_MS, times the rate of a fast sandbox clock. */
  readonly windowMs: number;
  readonly filter: PushErrorFilter;
  readonly log: Pick<Log, 'debug' | 'isLevelEnabled'>;
  readonly tracing: Tracing;
}

const OFFERED = EXTENSIONS.join(',');

const SERVICE_PATH = /^\/push\/v2\/services\/([^/?]+)/;

export function createGateway(options: GatewayOptions): FastifyInstance {
  const { clock, filter } = options;
  const limits = httpLimits(options.limits);
  // Connections whose request was answered before it was read: what is left of it is dropped, within its time.
  const answered = new WeakSet<Socket>();
  const server = fastify({
    ...limits,
    bodyLimit: options.maxBodyBytes,
    // Refused below, with a body as every refusal has one.
    http: { ...limits.http, requireHostHeader: false },
    exposeHeadRoutes: false,
    // While it drains, requests on open connections are still answered; new connections are not taken.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: () => v7({ msecs: clock.now(), random: randomBits() }),
    routerOptions: { maxParamLength: MAX_PATH_PART_LENGTH },
    frameworkErrors: (error, request, reply) => {
      reply.header(REQUEST_ID_HEADER, request.id).header(EXTENSIONS_HEADER, OFFERED);
      filter.write(error, request, reply);
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable && !answered.has(socket)) socket.end(unreadableRequest(v7({ msecs: clock.now() })));
      else socket.destroy();
    },
  });

  server.server.maxConnections = options.limits.maxConnections;
  server.decorateRequest('caller', null);
  traceRequests(server, options);
  server.removeAllContentTypeParsers();
  // Every content type is taken here and judged by the operation. The usual one is named beside the asterisk, since the
  // server remembers by name only how a type is parsed.
  server.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (request, bytes, done) => {
    const { 'content-type': contentType, 'content-encoding': packing = 'identity' } = request.headers;
    const isPacked = packing.toLowerCase() !== 'identity';
    const body: RawBody = { bytes: bytes as Buffer, contentType, isPacked };
    done(null, body);
  });

  // An unknown route answers 401 to who may not ask: the route is looked at after all of this.
  server.addHook('onRequest', async (request, reply) => {
    answered.delete(request.raw.socket);
    reply.header(REQUEST_ID_HEADER, request.id).header(EXTENSIONS_HEADER, OFFERED);
    // Fastify looks at the length of bodies it reads only; a GET's is not read.
    const length = Number(request.headers['content-length'] ?? 0);
    dropUnreadableType(request);
    if (length > options.maxBodyBytes) throw new PushError('requestEntityTooLarge');
    checkHost(request);
    const caller = await authenticate(
      {
        method: request.method,
        rawTarget: request.raw.url ?? '',
        headers: request.headers,
        serviceId: serviceIdOf(request),
      },
      { keys: options.keys, now: clock.now(), windowMs: options.windowMs },
    );
    if (caller.service !== undefined) await options.rateLimit.take(caller.accessKey, caller.service);
    request.caller = caller;
  });
  server.addHook('preValidation', (request, _reply, done) => done(encodingFault(request.body)));
  server.addHook('onSend', (request, _reply, _payload, done) => {
    if (!request.raw.complete) answered.add(request.raw.socket);
    done();
  });
  // Whatever is expected, the answer tells; the server would answer 417 by itself, without a body.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );

  return server;
}

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * push-decisions.md, "Gateway": empty counts as absent, and calls without a body ignore it. Fastify would refuse what is no type, on
 * those as well and before anybody is asked who they are; an operation that needs one says so itself.
 */
function dropUnreadableType(request: FastifyRequest): void {
  const type = request.headers['content-type'];
  if (type !== undefined && !MEDIA_TYPE.test(type)) delete request.raw.headers['content-type'];
}

/** §7 400/100: "request error in protocol". What the gateway itself refuses, it refuses in §7's own words. */
function checkHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') throw new PushError('badRequest');
}

/** push-interface.md §7 400/100: "request error in encoding (UTF-8)". A packed body is the operation's to refuse: see readJson(). */
function encodingFault(body: unknown): PushError | undefined {
  const raw = body as RawBody | undefined;
  return raw === undefined || raw.isPacked || isUtf8(raw.bytes) ? undefined : new PushError('badRequest');
}

function serviceIdOf(request: FastifyRequest): string | undefined {
  const segment = SERVICE_PATH.exec(request.raw.url ?? '')?.[1];
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new PushError('badRequest');
  }
}

/** What no request object could be made of: broken HTTP. The connection is of no more use. */
function unreadableRequest(requestId: string): string {
  const { status, errorCode, message } = PUSH_ERRORS.badRequest;
  const body = JSON.stringify({ error: { errorCode, message } });
  return [
    `HTTP/1.1 ${status} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
