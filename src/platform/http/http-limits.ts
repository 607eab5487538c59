// The limits that our HTTP servers set for callers: how long a request may take to arrive, how long a connection may be idle, and
// how many connections there may be, in all and for one address. All but the last are Node's own options.
import type { FastifyHttpOptions, FastifyInstance, FastifyRequest } from 'fastify';
import type { Server } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../clock.js';
import type { Log } from '../logging/log.js';
import { Problem } from './problem.js';

export interface HttpLimits {
  /** How long a whole request may take to arrive, real milliseconds. Then its connection ends. */
  readonly requestTimeoutMs: number;
  /** The most connections of one server. Any further one is closed at once. */
  readonly maxConnections: number;
  /** The most connections of one IPv4 address, or of one IPv6 network of 64 bits. */
  readonly maxConnectionsPerAddress: number;
}

/**
 * How long a connection may be silent, real milliseconds. Longer than the slowest answer: a sandbox fault delays by at most 120
 * s.
 */
const STILL_MS = 180_000;
const HEADERS_MS = 10_000;
/**
 * How long a connection is kept after an answer, real milliseconds. A proxy in front must keep its connections for less time.
 * Otherwise it may send a request into a connection that is being closed.
 */
export const KEEP_ALIVE_MS = 10_000;
/** A warning about refused connections is not repeated within this time, real milliseconds. */
const WARNED_MS = 60_000;
/** How often Node checks for requests that took too long, real milliseconds. */
const LOOK_MS = 1_000;

export function httpLimits({ requestTimeoutMs }: HttpLimits) {
  return {
    requestTimeout: requestTimeoutMs,
    connectionTimeout: STILL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: Math.min(HEADERS_MS, requestTimeoutMs), connectionsCheckingInterval: LOOK_MS },
  } satisfies FastifyHttpOptions<Server>;
}

interface ConnectionLimitDeps {
  /** The setting of maxConnectionsPerAddress, for the log. */
  readonly knob: string;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Bounds the connections of `server`, so that one address cannot take all of them. */
export function limitConnections(
  server: Server,
  limits: HttpLimits,
  { knob, clock, log }: ConnectionLimitDeps,
): void {
  const { maxConnections, maxConnectionsPerAddress: most } = limits;
  server.maxConnections = maxConnections;
  const open = new Map<string, number>();
  let warnedAt = -Infinity;
  server.on('connection', (socket) => {
    const address = networkOf(socket.remoteAddress);
    const count = (open.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      if (clock.elapsed() - warnedAt < WARNED_MS) return;
      warnedAt = clock.elapsed();
      log.warn({ address, most, knob }, `${address} has ${most} connections open: others of it are refused`);
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

/** An IPv6 address counts by its first 64 bits: one customer has all addresses below them. */
export function networkOf(remoteAddress: string | undefined): string {
  // Undefined where the other side is gone already.
  if (remoteAddress === undefined || !ipaddr.isValid(remoteAddress)) return '';
  // An IPv4 address that is mapped into IPv6 becomes an IPv4 address.
  const address = ipaddr.process(remoteAddress);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Refuses a packed body, because a kilobyte could become a gigabyte. */
function refuseEncoded(encoding: string | undefined): void {
  if (encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity') return;
  const text = `a body with content-encoding ${encoding.slice(0, 40)} is not taken: send it as it is, without that header`;
  throw new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', text);
}

/**
 * Authenticates a request before its body is read. Guards run only afterwards: until then every connection of a stranger could
 * fill memory up to the largest body. `authenticate` throws the refusal. `mayBePacked`: its route unpacks the body.
 */
export function askBeforeBodies(
  server: Pick<FastifyInstance, 'addHook'>,
  authenticate: (request: FastifyRequest) => unknown,
  mayBePacked: (request: FastifyRequest) => boolean = () => false,
): void {
  server.addHook('onRequest', async (request) => {
    const { headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    if (!hasBody) return;
    await authenticate(request);
    if (!mayBePacked(request)) refuseEncoded(headers['content-encoding']);
  });
}
