// What an HTTP/2 pool is told: where, how many, and its lengths of time.
import type { SecureClientSessionOptions } from 'node:http2';
import type { Clock } from '../clock.js';

/** Lengths are real milliseconds. */
export interface Http2Limits {
  /** Streams of one connection, however many the peer allows. */
  readonly streams: number;
  /** From the first SYN to the peer's SETTINGS. */
  readonly connectMs: number;
  /** Between two connects. */
  readonly gapMs: number;
  /** Before the connect after a failed one; doubled up to backOffCapMs with each further. */
  readonly backOffMs: number;
  readonly backOffCapMs: number;
  /** From a request's first byte to its answer's last. */
  readonly requestMs: number;
  /** Streams open and nothing heard: a PING is sent. */
  readonly quietMs: number;
  /** And none answered: the connection is given up. */
  readonly pingMs: number;
  /** Unused for so long, a connection is closed; while idle it is sent nothing. */
  readonly idleMs: number;
  /** How often the lengths above are looked at. */
  readonly tickMs: number;
}

/** Measured against cuts of both ends, and against answers that come 50 ms late. */
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
  /** At most, counting no closing ones. */
  readonly connections: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly limits: Http2Limits;
  /** An authority of one's own, say. */
  readonly tls?: Pick<SecureClientSessionOptions, 'ca'>;
}
