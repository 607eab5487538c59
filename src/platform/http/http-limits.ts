// What any of our HTTP servers bears of a caller: how long a request may take to arrive, how long a connection may lie
// still, and how many connections there may be. Node's own means, which Fastify hands on.
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import type { Server } from 'node:http';

export interface HttpLimits {
  /** A request has arrived whole within this, real milliseconds; else its connection ends. */
  readonly requestTimeoutMs: number;
  /** Of one server; a further connection is closed at once. */
  readonly maxConnections: number;
}

/** Real milliseconds. The first must be below the longest answer: a sandbox fault delays by 120 s at most. */
const STILL_MS = 180_000;
const HEADERS_MS = 10_000;
/** How often Node looks for requests that took too long. */
const LOOK_MS = 1_000;

export function httpLimits({ requestTimeoutMs }: HttpLimits) {
  return {
    requestTimeout: requestTimeoutMs,
    connectionTimeout: STILL_MS,
    http: { headersTimeout: Math.min(HEADERS_MS, requestTimeoutMs), connectionsCheckingInterval: LOOK_MS },
  } satisfies FastifyHttpOptions<Server>;
}

/**
 * Whoever sends a body says first who they are: guards are asked when it is read, and until then a stranger's bytes would
 * lie here, of every connection as many as a body may have. `authenticate` throws the refusal.
 */
export function askBeforeBodies(
  server: Pick<FastifyInstance, 'addHook'>,
  authenticate: (authorization: string | undefined) => unknown,
): void {
  server.addHook('onRequest', async ({ headers }) => {
    const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    if (hasBody) await authenticate(headers.authorization);
  });
}
