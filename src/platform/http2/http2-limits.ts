// The options of an HTTP/2 pool: its host, how many connections and streams, and its time limits.
import type { SecureClientSessionOptions } from 'node:http2';
import type { Clock } from '../clock.js';

/** Real milliseconds, except `streams`. Measured with connections cut at either end, and with answers that take 50 ms. */
export const HTTP2_LIMITS = {
  /** The most streams of one connection, even where the peer allows more. */
  streams: 500,
  /** The longest time from the first SYN to the peer's SETTINGS. */
  connectMs: 10_000,
  /** The shortest time between two connection attempts. */
  gapMs: 1_000,
  /** The wait after a failed connection attempt. It doubles with each further failure, up to backOffCapMs. */
  backOffMs: 2_000,
  backOffCapMs: 30_000,
  /** The longest time from the first byte of a request to the last byte of its answer. */
  requestMs: 30_000,
  /** When streams are open and nothing is received for this long, a PING is sent. */
  quietMs: 10_000,
  /** When no answer to the PING comes within this time, the connection is given up. */
  pingMs: 5_000,
  /** A connection is closed when it was unused for so long. Nothing is sent on it while it is idle. */
  idleMs: 600_000,
  /** How often these limits are checked. */
  tickMs: 500,
};
export type Http2Limits = Readonly<typeof HTTP2_LIMITS>;

export interface Http2PoolOptions {
  /** `https://host:port`. */
  readonly origin: string;
  /** The most connections. Closing ones do not count. */
  readonly connections: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly limits: Http2Limits;
  /** For a private certificate authority. */
  readonly tls?: Pick<SecureClientSessionOptions, 'ca'>;
}
