// The limits of our HTTP servers towards callers: how long a request may take to arrive, how long a connection may be idle,
// and how many connections there may be. They are Node's own options, which Fastify hands on.
import type { FastifyHttpOptions, FastifyInstance, FastifyRequest } from 'fastify';
import type { Server } from 'node:http';

export interface HttpLimits {
  /** A request that has not arrived as a whole within this, real milliseconds, ends its connection. */
  readonly requestTimeoutMs: number;
  /** The most connections of one server; any further one is closed at once. */
  readonly maxConnections: number;
}

/** Real milliseconds. Longer than the slowest answer: a sandbox fault delays by 120 s at most. */
const STILL_MS = 180_000;
const HEADERS_MS = 10_000;
/** How often Node checks for requests that took too long. */
const LOOK_MS = 1_000;

export function httpLimits({ requestTimeoutMs }: HttpLimits) {
  return {
    requestTimeout: requestTimeoutMs,
    connectionTimeout: STILL_MS,
    http: { headersTimeout: Math.min(HEADERS_MS, requestTimeoutMs), connectionsCheckingInterval: LOOK_MS },
  } satisfies FastifyHttpOptions<Server>;
}

/**
 * A request with a body is authenticated before its body is read. Guards run only afterwards: until then every connection of
 * a stranger could fill memory up to the largest body. `authenticate` throws the refusal.
 */
export function askBeforeBodies(
  server: Pick<FastifyInstance, 'addHook'>,
  authenticate: (request: FastifyRequest) => unknown,
): void {
  server.addHook('onRequest', async (request) => {
    const { headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    if (hasBody) await authenticate(request);
  });
}
