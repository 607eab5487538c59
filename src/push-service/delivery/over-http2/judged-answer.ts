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

/** The facts that an answer is judged by. */
export interface AnswerFacts {
  /** A push under this credential was accepted before. */
  readonly isProven: boolean;
  /** Proven, and most tokens are accepted. So a token that is called bad is bad, and does not just belong to another project. */
  readonly mayRemove: boolean;
  /** The machine's own wall clock. */
  readonly now: EpochMs;
}

/**
 * taken: 200. busy: the provider is in trouble, or late. limited: the credential sends too fast. none: any other answer. silent:
 * the provider may have taken it and did not answer. unasked: it did not go, or was not taken.
 */
export type PaceSign = 'taken' | 'busy' | 'limited' | 'none' | 'silent' | 'unasked';

export interface JudgedAnswer {
  readonly outcome: Outcome;
  readonly pace: PaceSign;
  /** Nothing more is sent under this credential for this long. */
  readonly pauseMs?: number;
  /** Too much goes to this device. Only this device rests. */
  readonly isDeviceLimited?: true;
  /** The provider named no time. The pause, or the rest of the device, doubles each time until a push is accepted. */
  readonly backsOff?: true;
  /** The request goes once more, changed like this. `outcome` is what a second such answer means. */
  readonly again?: 'newToken' | 'newConnection';
  /** The connection takes no more requests. */
  readonly leavesConnection?: true;
  /** The message was refused, whatever the device. */
  readonly isAboutMessage?: true;
  /** The provider called the device token bad. It does so under a wrong credential as well. */
  readonly isAboutToken?: true;
  /** Our request was wrong: it is logged as an error. */
  readonly isOurFault?: true;
  /** An operator must change something at the provider: health shows it. */
  readonly warns?: true;
}

/** The first pause after a 429 that names no time (FCM, "Best practices for sending at scale": a minute at least). */
const LIMITED_MS = 60_000;

export const TAKEN: JudgedAnswer = { outcome: { kind: 'sent' }, pace: 'taken' };

type Further = Partial<Omit<JudgedAnswer, 'outcome'>>;

export const failed = (reason: string, further: Further = {}): JudgedAnswer => ({
  outcome: { kind: 'failed', reason },
  pace: 'none',
  ...further,
});

export const retry = (reason: string, afterMs: number, further: Further = {}): JudgedAnswer => ({
  outcome: { kind: 'retry', reason, afterMs },
  pace: 'none',
  ...further,
});

/** The credential sends too fast. `namedMs`: the time that the provider named, if it named one. */
export const limited = (reason: string, namedMs: number | undefined): JudgedAnswer => {
  const ms = namedMs ?? LIMITED_MS;
  return retry(reason, ms, {
    pace: 'limited',
    pauseMs: ms,
    ...(namedMs === undefined && { backsOff: true }),
  });
};

/** Too much goes to one device. */
export const deviceLimited = (
  reason: string,
  namedMs: number | undefined,
  elseMs = LIMITED_MS,
): JudgedAnswer =>
  retry(reason, namedMs ?? elseMs, {
    isDeviceLimited: true,
    ...(namedMs === undefined && { backsOff: true }),
  });

export const credentialRefused = (reason: string, further: Further = {}): JudgedAnswer => ({
  outcome: { kind: 'credential', reason },
  pace: 'none',
  ...further,
});

/** A token that is called bad. The device counts as gone only if the credential is certainly the right one. */
export const badToken = (reason: string, { mayRemove }: AnswerFacts): JudgedAnswer => ({
  outcome: { kind: mayRemove ? 'gone' : 'failed', reason },
  pace: 'none',
  isAboutToken: true,
});

/** The provider's own word if it can be a reason and a metric label; else the status. */
export function reasonFrom(word: string | undefined, { status }: Answer): string {
  return word !== undefined && /^[\w.:-]{1,64}$/.test(word) ? word : `HTTP_${status}`;
}

/** An answer that is in no table, with the provider's word if it has one. */
export function unnamed({ status }: Answer, reason: string, afterMs: number | undefined): JudgedAnswer {
  return status >= 500 ? retry(reason, afterMs ?? 0, { pace: 'busy' }) : failed(reason);
}

/** The longest pause, real milliseconds: a provider's mistake must not stop a service for a day. */
export const LONGEST_RETRY_AFTER_MS = 600_000;

export function retryAfterMs({ headers }: Answer, { now }: AnswerFacts): number | undefined {
  const ms = retryAfterOf(headers['retry-after'], () => now);
  return ms === undefined ? undefined : Math.min(ms, LONGEST_RETRY_AFTER_MS);
}

/** Undefined where the body is not JSON, such as the HTML of a proxy. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** A member of a value that may be anything. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** The member if it is a text. */
export function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : undefined;
}
