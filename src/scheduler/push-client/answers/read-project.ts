// Reads what any answer says about its whole project (hand-off.md, "What an answer means"): a 429, a redirect, and refused keys.
// Pure; has a result for every answer. read-send-answer.ts and follow/ read what an answer means for a send.
import { storable } from '../../../platform/http/storable-text.js';
import type { PushErrorName } from '../../../push-contract/errors.js';
import { jsonOf, readGatewayError } from '../../../push-contract/read-error.js';
import type { Answered, PushAnswer } from '../push-api.js';
import type { Evidence } from '../blocks/circuit.js';
import { ADDRESS_REFUSED, REFUSED_ADDRESS_TEXT } from '../gateway-hosts.js';
import { localFaultNamed, type LocalFault } from '../blocks/local-fault.js';

export type ProjectReading =
  /** It says only whether the gateway works. */
  | { readonly kind: 'nothing'; readonly evidence: Evidence }
  /** No call was made, because of a fault on our side. */
  | { readonly kind: 'local-fault'; readonly fault: LocalFault }
  /** Nobody calls the project for a while; Infinity: until somebody acts. */
  | ProjectBlocked;

interface ProjectBlocked {
  readonly kind: 'blocked';
  readonly evidence: Evidence;
  readonly cause: 'throttled' | 'quota' | 'bad-key' | 'bad-address';
  /** Stable, as the project shows it. */
  readonly code: string;
  /** The gateway's own words. */
  readonly detail: string;
  /** Milliseconds; 0: it is not blocked after all. */
  readonly forMs: number;
  /** As the answer asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** Lengths of blocks without Retry-After, milliseconds. Nobody says when a quota begins anew, so it is tried again after this. */
const BLOCKED_MS = { throttled: 1_000, quota: 15 * 60_000 } as const;
/** The longest block, milliseconds, whatever Retry-After asks for: no rate or quota is counted over a longer time. */
const LONGEST_MS = 86_400_000;
/** The most characters that are kept of an answer. */
const MAX_WORDS = 500;

export function readProject(answer: PushAnswer): ProjectReading {
  if (answer.kind === 'unanswered') {
    const fault = answer.started ? undefined : localFaultNamed(answer.error);
    if (answer.error === ADDRESS_REFUSED) return badAddress(REFUSED_ADDRESS_TEXT, Infinity);
    return fault === undefined ? { kind: 'nothing', evidence: 'bad' } : { kind: 'local-fault', fault };
  }
  const { status, body } = answer;
  if (status < 300) return { kind: 'nothing', evidence: isOfAGateway(body) ? 'good' : 'none' };
  if (status < 400) {
    // The send was not taken. An answer from a former address does not count against the present one.
    const forMs = answer.isOutdated === true ? 0 : Infinity;
    return badAddress(`${status}: it redirects`, forMs);
  }
  if (status >= 500) return { kind: 'nothing', evidence: 'bad' };
  const name = readGatewayError(status, body)?.name;
  // A 429 counts even if something between us and the gateway sent it.
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

/** Whether the body is empty or JSON: an HTML page of a proxy in between is neither. */
function isOfAGateway(body: string): boolean {
  return body === '' || jsonOf(body) !== undefined;
}

/** `throttleLimited` → `THROTTLE_LIMITED`. */
export function codeOf(name: PushErrorName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** The answer's status and text, with the error's code if it is in the gateway's form. */
export function wordsOf({ status, body }: Pick<Answered, 'status' | 'body'>): string {
  const error = readGatewayError(status, body);
  return error === undefined
    ? `${status} ${words(body)}`
    : `${status}/${error.errorCode} ${words(error.message)}`;
}

/** Makes a text fit for a text column. */
export function words(text: string): string {
  return storable(text, MAX_WORDS);
}

/** Like words(), but shorter: for a line that has other texts as well. */
export function brief(text: string): string {
  return storable(text, 300);
}
