// Bodies that a route reads piece by piece while they come: of any length, packed or not, and for as long as they take. Which routes
// those are, the application says; all others go on as before.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { errorCode } from '../logging/error-code.js';
import { Problem } from './problem.js';

export interface StreamedRoutes {
  /** Whether the body of a request streams. */
  readonly matches: (request: FastifyRequest) => boolean;
  /** Media types that stream. */
  readonly types: readonly string[];
  /** Media types that the route takes besides, as others do. */
  readonly others: (request: FastifyRequest) => readonly string[];
  /** Values of content-encoding that are unpacked; what to say of another one. */
  readonly packings: readonly string[];
  readonly unknownPacking: (packing: string) => string;
}

export function streamBodies(
  server: Pick<FastifyInstance, 'addHook' | 'addContentTypeParser' | 'server'>,
  routes: StreamedRoutes,
): void {
  const { matches, types, others, packings, unknownPacking } = routes;
  const streaming = new WeakSet<Socket>();
  outliveTimeout(server.server, streaming);
  server.addHook('onRequest', async (request) => {
    if (!matches(request)) return;
    const type = mediaType(request);
    const taken = [...types, ...others(request)];
    if (type !== '' && !taken.includes(type))
      throw unsupported(`taken are ${taken.join(', ')}, not ${type.slice(0, 60)}`);
    const charset = /charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
    if (!/^(utf-?8|us-ascii)$/i.test(charset))
      throw unsupported(`the body must be UTF-8, not ${charset.slice(0, 40)}`);
    const packing = packingOf(request);
    if (packing !== undefined && (!packings.includes(packing) || !types.includes(type)))
      throw unsupported(unknownPacking(packing));
    if (!types.includes(type)) return;
    const { socket } = request.raw;
    streaming.add(socket);
    request.raw.once('close', () => streaming.delete(socket));
  });
  for (const type of types)
    server.addContentTypeParser(type, (request, payload, done) => {
      if (matches(request)) done(null, payload);
      else done(unsupported(`this route does not take ${type}`));
    });
}

/** Undefined for none. */
export function packingOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const packing = (headers['content-encoding'] ?? '').toLowerCase();
  return packing === '' || packing === 'identity' ? undefined : packing;
}

/** Without its parameters; empty where there is none. */
export function mediaType({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function unsupported(text: string): Problem {
  return new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', text);
}

/** Node ends a request that has not arrived within the server's requestTimeout; it knows no exception for one request. */
function outliveTimeout(server: Server, streaming: WeakSet<Socket>): void {
  const usual = server.listeners('clientError');
  server.removeAllListeners('clientError');
  server.on('clientError', (error: Error, socket: Socket) => {
    if (errorCode(error) === 'ERR_HTTP_REQUEST_TIMEOUT' && streaming.has(socket)) return;
    for (const listener of usual) Reflect.apply(listener, server, [error, socket]);
  });
}
