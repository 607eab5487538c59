// The HTTP server of the interface, before any controller. It checks in the order of push-decisions.md, "Gateway". From the
// headers: declared length → host → authentication → rate and quota. Then it reads the body and finds the route. Knows no
// operation.
import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { PUSH_ERRORS } from '../../push-contract/errors.js';
import { EXTENSIONS, EXTENSIONS_HEADER, REQUEST_ID_HEADER } from '../../push-contract/headers.js';
import { takeTurnsOfBodies } from '../../platform/http/body-turns.js';
import { httpLimits, limitConnections, type HttpLimits } from '../../platform/http/http-limits.js';
import type { RefusedAuthentication } from '../../platform/http/refused-authentication.js';
import type { Log } from '../../platform/logging/log.js';
import { randomBits } from '../../platform/random-bits.js';
import type { Span, Tracing } from '../../platform/tracing/tracing.js';
import { authenticate, type AuthenticateContext, type Caller, type RefusedBecause } from './authenticate.js';
import type { RawBody } from './body.js';
import { errorBody } from './error-body.js';
import { PushError } from './push-error.js';
import type { PushErrorFilter } from './push-error.filter.js';
import type { RateLimit } from './rate-limit.js';
import { traceRequests } from './trace-requests.js';
import { MAX_PATH_SEGMENT_LENGTH } from './request-parameters.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who signed the request. It is set before any handler runs. */
    caller: Caller | null;
    /** The trace of the request, if it has one. It is set before any check. */
    span: Span | null;
  }
}

export interface GatewayOptions extends Omit<AuthenticateContext, 'refused'> {
  readonly trace: Pick<RefusedAuthentication<RefusedBecause>, 'refused'>;
  readonly limits: HttpLimits;
  readonly maxBodyBytes: number;
  readonly rateLimit: RateLimit;
  readonly filter: PushErrorFilter;
  readonly log: Pick<Log, 'debug' | 'warn' | 'isLevelEnabled'>;
  readonly tracing: Tracing;
}

const OFFERED = EXTENSIONS.join(',');

const SERVICE_PATH = /^\/push\/v2\/services\/([^/?]+)/;

export function createGateway(options: GatewayOptions): FastifyInstance {
  const { clock, filter, log } = options;
  const limits = httpLimits(options.limits);
  // Connections whose request was answered before it was read to its end. The rest of the request is dropped, within its time.
  const answered = new WeakSet<Socket>();
  const server = fastify({
    ...limits,
    bodyLimit: options.maxBodyBytes,
    // checkHost() refuses it, with a body as every refusal has.
    http: { ...limits.http, requireHostHeader: false },
    exposeHeadRoutes: false,
    // While the server drains, it still answers requests on open connections and takes no new ones.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: () => v7({ msecs: clock.now(), random: randomBits() }),
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT_LENGTH },
    frameworkErrors: (error, request, reply) => {
      reply.header(REQUEST_ID_HEADER, request.id).header(EXTENSIONS_HEADER, OFFERED);
      filter.write(error, request, reply);
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable && !answered.has(socket)) socket.end(unreadableRequest(v7({ msecs: clock.now() })));
      else socket.destroy();
    },
  });

  const knob = 'PUSH_MAX_CONNECTIONS_PER_ADDRESS';
  limitConnections(server.server, options.limits, { knob, clock, log });
  server.decorateRequest('caller', null);
  traceRequests(server, options);
  server.removeAllContentTypeParsers();
  // The server takes every content type, and the operation judges it. The usual type has its name beside the asterisk, because
  // Fastify caches the parser of a type only by its name.
  server.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (request, bytes, done) => {
    const { 'content-type': contentType, 'content-encoding': packing = 'identity' } = request.headers;
    const isPacked = packing.toLowerCase() !== 'identity';
    const body: RawBody = { bytes: bytes as Buffer, contentType, isPacked };
    done(null, body);
  });

  // All of this runs before the route is found, so that an unknown route answers 401 to a caller who may not ask.
  server.addHook('onRequest', async (request, reply) => {
    answered.delete(request.raw.socket);
    reply.header(REQUEST_ID_HEADER, request.id).header(EXTENSIONS_HEADER, OFFERED);
    // Fastify checks the length only of bodies that it reads. It does not read the body of a GET.
    const length = Number(request.headers['content-length'] ?? 0);
    dropUnreadableType(request);
    if (length > options.maxBodyBytes) throw new PushError('requestEntityTooLarge');
    checkHost(request);
    const caller = await authenticate(request.raw, serviceIdOf(request), {
      ...options,
      refused: (reason, accessKey) =>
        options.trace.refused(reason, request, accessKey === undefined ? {} : { accessKey }),
    });
    if (caller.service !== undefined) await options.rateLimit.take(caller.accessKey, caller.service);
    request.caller = caller;
  });
  takeTurnsOfBodies(server, {
    ownerOf: ({ caller }) => (caller === null ? [] : [caller.service?.id ?? '', caller.accessKey]),
    mostOfOne: 2,
    busy: () =>
      new PushError('throttleLimited', 'too many long bodies at once: send fewer side by side', {
        retryAfterSeconds: 5,
      }),
  });
  server.addHook('preValidation', (request, _reply, done) => done(encodingFault(request.body)));
  server.addHook('onSend', (request, _reply, _payload, done) => {
    if (!request.raw.complete) answered.add(request.raw.socket);
    done();
  });
  // A request with an unknown Expect header is answered as any other. Node alone would answer 417 without a body.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );

  return server;
}

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * push-decisions.md, "Gateway": an empty Content-Type counts as absent, and a call without a body ignores it. Fastify would
 * refuse a malformed Content-Type there too, and before authentication. An operation that needs one refuses it itself.
 */
function dropUnreadableType(request: FastifyRequest): void {
  const type = request.headers['content-type'];
  if (type !== undefined && !MEDIA_TYPE.test(type)) delete request.raw.headers['content-type'];
}

/** push-interface.md §7 400/100: "request error in protocol". The gateway's own refusals use the words of that section. */
function checkHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') throw new PushError('badRequest');
}

/** push-interface.md §7 400/100: "request error in encoding (UTF-8)". The operation refuses a packed body: see readJson(). */
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

/** The answer to bytes that are no HTTP request. The connection is closed after it. */
function unreadableRequest(requestId: string): string {
  const body = errorBody(new PushError('badRequest'), false);
  return [
    `HTTP/1.1 ${PUSH_ERRORS.badRequest.status} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
