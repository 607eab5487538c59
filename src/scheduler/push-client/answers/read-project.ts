// Reads what any answer says about its whole project (hand-off.md, "What an answer means"): a 429, a redirect, and refused keys.
// Pure; has a result for every answer. read-send-answer.ts and follow/ read what an answer means for a send.
import { storable } from '../../../platform/http/storable-text.js';
import { jsonOf, readGatewayError } from '../../../push-contract/read-error.js';
import type { Answered, PushAnswer } from '../push-api.js';
import type { Evidence } from '../blocks/circuit.js';
import { ADDRESS_REFUSED, REFUSED_ADDRESS_TEXT } from '../gateway-hosts.js';
import { localFaultNamed, type LocalFault } from '../blocks/local-fault.js';
import { errorMeaning, type BlockCause } from './error-meanings.js';

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
  readonly cause: BlockCause;
  /** Stable, as the project shows it. */
  readonly code: string;
  /** The gateway's own words. */
  readonly detail: string;
  /** Milliseconds; 0: it is not blocked after all. */
  readonly forMs: number;
  /** As the answer asked for. */
  readonly retryAfterMs?: number | undefined;
}

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
  const meaning = errorMeaning(answer);
  const evidence = evidenceOf(answer);
  if (!('blocksForMs' in meaning)) return { kind: 'nothing', evidence };
  const { cause, code, blocksForMs } = meaning;
  if (cause === 'bad-address') {
    // The send was not taken. An answer from a former address does not count against the present one.
    return badAddress(`${status}: it redirects`, answer.isOutdated === true ? 0 : blocksForMs);
  }
  const { retryAfterMs } = answer;
  const forMs = blocksForMs === Infinity ? Infinity : Math.min(retryAfterMs ?? blocksForMs, LONGEST_MS);
  return { kind: 'blocked', evidence, cause, code, detail: wordsOf(answer), forMs, retryAfterMs };
}

function badAddress(detail: string, forMs: number): ProjectBlocked {
  return { kind: 'blocked', evidence: 'none', cause: 'bad-address', code: 'BAD_ADDRESS', detail, forMs };
}

/** What an error says about whether the gateway works. A 429 may be of something in between, and says nothing. */
function evidenceOf({ status, body }: Answered): Evidence {
  if (status >= 500) return 'bad';
  return status === 429 || readGatewayError(status, body) === undefined ? 'none' : 'good';
}

/** Whether the body is empty or JSON: an HTML page of a proxy in between is neither. */
function isOfAGateway(body: string): boolean {
  return body === '' || jsonOf(body) !== undefined;
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
