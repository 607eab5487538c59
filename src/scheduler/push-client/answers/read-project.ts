// What an answer says about its whole project, whoever asked and for what (life-of-a-send.md, "What an answer means"): the
// one reader of a 429, a redirect, keys that are refused. Pure and total; what it means for a send is read elsewhere.
import type { PushErrorName } from '../../../push-contract/errors.js';
import { jsonOf, readGatewayError } from '../../../push-contract/read-error.js';
import type { Answered, PushAnswer } from '../push-api.js';
import type { Evidence } from '../circuit.js';
import { ADDRESS_REFUSED, REFUSED_ADDRESS_TEXT } from '../gateway-hosts.js';
import { localFaultNamed, type LocalFault } from '../local-fault.js';

export type ProjectReading =
  /** Nothing but whether the gateway works. */
  | { readonly kind: 'nothing'; readonly evidence: Evidence }
  /** It was not called, by a fault of ours. */
  | { readonly kind: 'own-fault'; readonly fault: LocalFault }
  /** Nobody calls it for so long; Infinity: until somebody acts. */
  | ProjectBlocked;

export interface ProjectBlocked {
  readonly kind: 'blocked';
  readonly evidence: Evidence;
  readonly cause: 'throttled' | 'quota' | 'bad-key' | 'bad-address';
  /** Stable, as it stands in the project. */
  readonly code: string;
  /** The gateway's own words. */
  readonly detail: string;
  /** Milliseconds; 0: it is not. */
  readonly forMs: number;
  /** As the answer asked. */
  readonly retryAfterMs?: number | undefined;
}

/** Without Retry-After. Of a quota nobody says when its window ends, so it is tried again now and then. */
const BLOCKED_MS = { throttled: 1_000, quota: 15 * 60_000 } as const;
/** Longer than any window of a rate or quota; whatever asks for more is tried again then. */
const LONGEST_MS = 86_400_000;
/** The longest piece of an answer that is kept. */
const MAX_WORDS = 500;

export function readProject(answer: PushAnswer): ProjectReading {
  if (answer.kind === 'unanswered') {
    const fault = answer.started ? undefined : localFaultNamed(answer.error);
    if (answer.error === ADDRESS_REFUSED) return badAddress(REFUSED_ADDRESS_TEXT, Infinity);
    return fault === undefined ? { kind: 'nothing', evidence: 'bad' } : { kind: 'own-fault', fault };
  }
  const { status, body } = answer;
  if (status < 300) return { kind: 'nothing', evidence: isOfAGateway(body) ? 'good' : 'none' };
  if (status < 400) {
    // The send was not taken; what the former address said is no fault of the one it has now.
    const forMs = answer.isOutdated === true ? 0 : Infinity;
    return badAddress(`${status}: it redirects`, forMs);
  }
  if (status >= 500) return { kind: 'nothing', evidence: 'bad' };
  const name = readGatewayError(status, body)?.name;
  // A 429 says so, whoever between us and the gateway said it.
  if (status === 429) return tooMany(answer, name);
  if (name === 'authenticationFailed' && answer.keys !== 'try-again') {
    const reading = { cause: 'bad-key', code: 'BAD_KEY', detail: wordsOf(answer) } as const;
    return { kind: 'blocked', evidence: 'good', ...reading, forMs: Infinity };
  }
  return { kind: 'nothing', evidence: readGatewayError(status, body) === undefined ? 'none' : 'good' };
}

function badAddress(detail: string, forMs: number): ProjectBlocked {
  return { kind: 'blocked', evidence: 'none', cause: 'bad-address', code: 'BAD_ADDRESS', detail, forMs };
}

function tooMany(answer: Answered, name: PushErrorName = 'throttleLimited'): ProjectBlocked {
  const cause = name === 'quotaExceeded' ? 'quota' : 'throttled';
  const { retryAfterMs } = answer;
  const forMs = Math.min(retryAfterMs ?? BLOCKED_MS[cause], LONGEST_MS);
  const detail = wordsOf(answer);
  return { kind: 'blocked', evidence: 'none', cause, code: codeOf(name), detail, forMs, retryAfterMs };
}

/** No body, or JSON: a page of somebody between is neither. */
function isOfAGateway(body: string): boolean {
  return body === '' || jsonOf(body) !== undefined;
}

/** `throttleLimited` → `THROTTLE_LIMITED`. */
export function codeOf(name: PushErrorName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** An error in the answer's own words: with its code where it is in the gateway's shape. */
export function wordsOf({ status, body }: Pick<Answered, 'status' | 'body'>): string {
  const error = readGatewayError(status, body);
  return error === undefined
    ? `${status} ${words(body)}`
    : `${status}/${error.errorCode} ${words(error.message)}`;
}

/** Fit for a text column: no NUL, no lone surrogate, bounded. */
export function words(text: string, most = MAX_WORDS): string {
  return text.slice(0, most).replaceAll(/\p{Surrogate}|\0/gu, '\uFFFD');
}

/** As words(), for a line beside others. */
export function brief(text: string): string {
  return words(text, 300);
}
