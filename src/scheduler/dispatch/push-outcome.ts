// What the answer to POST messages means for the send (life-of-a-send.md, "What an answer means"). Pure and total:
// every status, error and silence has one reading. No answer is `unknown`, never `failed`.
import { z } from 'zod';
import type { PushErrorName } from '../../push-contract/errors.js';
import { jsonOf, readGatewayError, type GatewayError } from '../../push-contract/read-error.js';
import type { Mode } from '../decide/mode.js';
import type { Answered, PushAnswer, Unanswered } from '../decide/push-api.js';
import { ownFaultNamed } from '../push-client/own-fault.js';

/** Why nothing was sent, as far as it decides what comes next. */
export type NotSentCause =
  /** The connection was never made: back off, and the circuit counts it. */
  | 'not-started'
  /** We could not call, by a fault on our side: the project rests, and the circuit hears nothing of it. */
  | 'own-fault'
  /** 429: the whole project waits. */
  | 'throttled'
  | 'quota'
  /** 503/500: back off. */
  | 'endpoint'
  /** 401/200 with a corrected clock or another key left to try: at once again. */
  | 'key-again'
  /** Every key refused, and an address that redirects: the project rests until somebody starts it. */
  | 'bad-key'
  | 'bad-address';

export type PushOutcome =
  | {
      readonly kind: 'taken';
      readonly observation: 'answered-success' | 'answered-reserved' | 'answered-scheduled';
      readonly requestId: string;
      readonly gatewayStatus: string;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string }
  | {
      readonly kind: 'not-sent';
      readonly cause: NotSentCause;
      readonly code: string;
      readonly detail: string;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'unknown'; readonly code: string; readonly detail: string; readonly requestId?: string };

/** The longest piece of an answer that is kept. */
const MAX_WORDS = 500;

/** Usable in a path and in a text column. */
const REQUEST_ID = /^[\x21-\x7e]{1,200}$/;
const Body = z.object({ requestId: z.string().regex(REQUEST_ID), statusName: z.string().optional() });

const ASKED = {
  immediate: { statusName: 'success', observation: 'answered-success' },
  reserved: { statusName: 'reserved', observation: 'answered-reserved' },
  scheduled: { statusName: 'scheduled', observation: 'answered-scheduled' },
} as const;

export function readPushAnswer(answer: PushAnswer, asked: Mode): PushOutcome {
  return answer.kind === 'answered' ? readAnswered(answer, asked) : readUnanswered(answer);
}

function readUnanswered(answer: Unanswered): PushOutcome {
  const detail = answer.status === undefined ? answer.error : `${answer.error} after status ${answer.status}`;
  const fault = answer.started ? undefined : ownFaultNamed(answer.error);
  if (fault !== undefined) {
    return { kind: 'not-sent', cause: 'own-fault', code: fault.code, detail: fault.text };
  }
  if (!answer.started) return { kind: 'not-sent', cause: 'not-started', code: 'NOT_REACHED', detail };
  if (answer.status !== undefined) return { kind: 'unknown', code: 'TRUNCATED_ANSWER', detail };
  return { kind: 'unknown', code: answer.timedOut ? 'ANSWER_TIMEOUT' : 'CONNECTION_LOST', detail };
}

function readAnswered(answer: Answered, asked: Mode): PushOutcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return readTaken(answer, asked);
  if (status >= 300 && status < 400) {
    return { kind: 'not-sent', cause: 'bad-address', code: 'BAD_ADDRESS', detail: `${status}: it redirects` };
  }
  const error = readGatewayError(status, answer.body);
  const detail =
    error === undefined
      ? `${status} ${words(answer.body)}`
      : `${status}/${error.errorCode} ${words(error.message)}`;
  if (status === 429) return readTooMany(answer, error?.name, detail);
  if (status >= 400 && status < 500) return readRefusal(answer, error, detail);
  const name = error?.name;
  if (name === 'endpointError') {
    return { kind: 'not-sent', cause: 'endpoint', code: codeOf(name), detail, ...retryAfter(answer) };
  }
  return { kind: 'unknown', code: name === undefined ? 'SERVER_ERROR' : codeOf(name), detail };
}

function readTaken(answer: Answered, asked: Mode): PushOutcome {
  const body = Body.safeParse(jsonOf(answer.body));
  if (!body.success)
    return { kind: 'unknown', code: 'NO_REQUEST_ID', detail: `${answer.status} ${words(answer.body)}` };
  const { requestId, statusName = '' } = body.data;
  const { statusName: expected, observation } = ASKED[asked];
  if (statusName === expected) return { kind: 'taken', observation, requestId, gatewayStatus: statusName };
  if (statusName === 'fail') return { kind: 'refused', code: 'FAIL_ANSWER', detail: words(answer.body) };
  const detail = `asked for ${expected}, answered ${statusName === '' ? 'no statusName' : words(statusName)}`;
  return { kind: 'unknown', code: 'UNEXPECTED_ANSWER', detail, requestId };
}

/** A 429 says that nothing was taken, whoever between us and the gateway said it. */
function readTooMany(answer: Answered, name: PushErrorName | undefined, detail: string): PushOutcome {
  const cause = name === 'quotaExceeded' ? 'quota' : 'throttled';
  return { kind: 'not-sent', cause, code: codeOf(name ?? 'throttleLimited'), detail, ...retryAfter(answer) };
}

function readRefusal(answer: Answered, error: GatewayError | undefined, detail: string): PushOutcome {
  if (error === undefined) return { kind: 'refused', code: 'FOREIGN_ANSWER', detail };
  const { name } = error;
  if (name === 'authenticationFailed') {
    return answer.keys === 'try-again'
      ? { kind: 'not-sent', cause: 'key-again', code: codeOf(name), detail }
      : { kind: 'not-sent', cause: 'bad-key', code: 'BAD_KEY', detail };
  }
  return { kind: 'refused', code: name === undefined ? `REFUSED_${answer.status}` : codeOf(name), detail };
}

function retryAfter(answer: Answered): { retryAfterMs?: number } {
  return answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs };
}

/** `throttleLimited` → `THROTTLE_LIMITED`. */
function codeOf(name: PushErrorName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** The answer's own words, fit for a text column: no NUL, no lone surrogate, bounded. */
function words(text: string): string {
  return text.slice(0, MAX_WORDS).replaceAll(/\p{Surrogate}|\0/gu, '\uFFFD');
}
