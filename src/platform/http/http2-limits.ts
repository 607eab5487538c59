// The options of an HTTP/2 pool: its host, how many connections and streams, and its time limits.
import type { SecureClientSessionOptions } from 'node:http2';
import type { Clock } from '../clock.js';

/** Lengths are real milliseconds. */
export interface Http2Limits {
  /** Streams of one connection, even where the peer allows more. */
  readonly streams: number;
  /** At most from the first SYN to the peer's SETTINGS. */
  readonly connectMs: number;
  /** At least between two connection attempts. */
  readonly gapMs: number;
  /** After a failed connection attempt; doubled with each further failure, up to backOffCapMs. */
  readonly backOffMs: number;
  readonly backOffCapMs: number;
  /** At most from a request's first byte to its answer's last. */
  readonly requestMs: number;
  /** When streams are open and nothing is heard for so long, a PING is sent. */
  readonly quietMs: number;
  /** When the PING is not answered within this, the connection is given up. */
  readonly pingMs: number;
  /** A connection is closed when it was unused for so long; nothing is sent on it while it is idle. */
  readonly idleMs: number;
  /** How often these limits are checked. */
  readonly tickMs: number;
}

/** Measured with cuts at both ends, and with answers that take 50 ms. */
export const HTTP2_LIMITS: Http2Limits = {
  streams: 500,
  connectMs: 10_000,
  gapMs: 1_000,
  backOffMs: 2_000,
  backOffCapMs: 30_000,
  requestMs: 30_000,
  quietMs: 10_000,
  pingMs: 5_000,
  idleMs: 600_000,
  tickMs: 500,
};

export interface Http2PoolOptions {
  /** `https://host:port`. */
  readonly origin: string;
  /** At most; closing ones are not counted. */
  readonly connections: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly limits: Http2Limits;
  /** For a private certificate authority. */
  readonly tls?: Pick<SecureClientSessionOptions, 'ca'>;
}
