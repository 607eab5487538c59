// What an answer of a provider means: the outcome of the device, and what follows for the requests after it.
import type { IncomingHttpHeaders } from 'node:http2';
import { retryAfterOf } from '../../../platform/http/http-times.js';
import type { EpochMs } from '../../../platform/clock.js';
import type { Outcome } from '../provider-port.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What it was judged with beside itself. */
export interface AnswerFacts {
  /** A push under this credential was accepted before. */
  readonly isProven: boolean;
  /** Proven, and most tokens are taken: a token that is called bad is one, and not of another project or environment. */
  readonly mayRemove: boolean;
  /** The machine's own wall clock. */
  readonly now: EpochMs;
}

/** taken: 200. busy: in trouble, or late; silent: no answer at all. limited: the credential sends too fast; deviceLimited: to one device. */
export type PaceSign = 'taken' | 'busy' | 'silent' | 'limited' | 'deviceLimited' | 'none';

export interface Verdict {
  readonly outcome: Outcome;
  readonly pace: PaceSign;
  /** Nothing more under this credential for so long. */
  readonly pauseMs?: number;
  /** Once more, changed so; the outcome is what a second such answer means. */
  readonly again?: 'newToken' | 'newConnection';
  /** The connection takes no more. */
  readonly leavesConnection?: true;
  /** The message was refused, whatever the device. */
  readonly isAboutMessage?: true;
  /** The token was refused as none, in a way that a wrong credential looks like too. */
  readonly isAboutToken?: true;
  /** For an error log: the request was made wrong. */
  readonly isOurFault?: true;
  /** For health: something is to be set right at the provider. */
  readonly warns?: true;
}

export const TAKEN: Verdict = { outcome: { kind: 'sent' }, pace: 'taken' };

export const failed = (reason: string, more: Partial<Verdict> = {}): Verdict => ({
  outcome: { kind: 'failed', reason },
  pace: 'none',
  ...more,
});

export const retry = (reason: string, afterMs: number, more: Partial<Verdict> = {}): Verdict => ({
  outcome: { kind: 'retry', reason, afterMs },
  pace: 'none',
  ...more,
});

export const credentialRefused = (reason: string, more: Partial<Verdict> = {}): Verdict => ({
  outcome: { kind: 'credential', reason },
  pace: 'none',
  ...more,
});

/** A token that is called bad: gone, but only under a credential that is certainly the right one. */
export const badToken = (reason: string, { mayRemove }: AnswerFacts): Verdict => ({
  outcome: mayRemove ? { kind: 'gone', reason } : { kind: 'failed', reason },
  pace: 'none',
  isAboutToken: true,
});

/** A word of the provider's that can be recorded and counted by; else its status. */
export function reasonFrom(word: string | undefined, { status }: Answer): string {
  return word !== undefined && /^[\w.:-]{1,64}$/.test(word) ? word : `HTTP_${status}`;
}

/** What no row of the tables names. */
export function unnamed({ status }: Answer, afterMs: number | undefined): Verdict {
  const reason = `HTTP_${status}`;
  return status >= 500 ? retry(reason, afterMs ?? 0, { pace: 'busy' }) : failed(reason);
}

/** At most what a pause may last: a provider's slip must not silence a service for a day. */
const LONGEST_RETRY_AFTER_MS = 600_000;

export function retryAfterMs({ headers }: Answer, { now }: AnswerFacts): number | undefined {
  const ms = retryAfterOf(headers['retry-after'], () => now);
  return ms === undefined ? undefined : Math.min(ms, LONGEST_RETRY_AFTER_MS);
}

/** The body's JSON; undefined where it is none, as of a proxy's HTML. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** A member of what may be anything. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
