// Reads what the answer to POST messages means for the send (hand-off.md, "What an answer means"). Pure; has one result for every
// status, every error and a missing answer. A missing answer is `unknown`, never `failed`.
import { z } from 'zod';
import { jsonOf } from '../../../push-contract/read-error.js';
import type { Mode } from '../../decide/timing/send-mode.js';
import type { Answered, PushAnswer, Unanswered } from '../push-api.js';
import { errorMeaning, type NotSentCause } from './error-meanings.js';
import { readProject, words, wordsOf } from './read-project.js';

export type SendAnswer =
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
      readonly retryAfterMs?: number | undefined;
    }
  | { readonly kind: 'unknown'; readonly code: string; readonly detail: string; readonly requestId?: string };

/** Can be used in a path and in a text column. */
export const REQUEST_ID = /^[\x21-\x7e]{1,200}$/;
const Body = z.object({ requestId: z.string().regex(REQUEST_ID), statusName: z.string().optional() });

const ASKED = {
  immediate: { statusName: 'success', observation: 'answered-success' },
  reserved: { statusName: 'reserved', observation: 'answered-reserved' },
  scheduled: { statusName: 'scheduled', observation: 'answered-scheduled' },
} as const;

export function readSendAnswer(answer: PushAnswer, asked: Mode): SendAnswer {
  const project = readProject(answer);
  if (project.kind === 'blocked') {
    // An answer that blocks the project did not take this send.
    const { cause, code, detail, retryAfterMs } = project;
    return { kind: 'not-sent', cause, code, detail, retryAfterMs };
  }
  if (project.kind === 'local-fault') {
    const { code, text: detail } = project.fault;
    return { kind: 'not-sent', cause: 'local-fault', code, detail };
  }
  return answer.kind === 'answered' ? readAnswered(answer, asked) : readUnanswered(answer);
}

function readUnanswered(answer: Unanswered): SendAnswer {
  const detail = answer.status === undefined ? answer.error : `${answer.error} after status ${answer.status}`;
  if (!answer.started) return { kind: 'not-sent', cause: 'not-started', code: 'NOT_REACHED', detail };
  if (answer.status !== undefined) return { kind: 'unknown', code: 'TRUNCATED_ANSWER', detail };
  return { kind: 'unknown', code: answer.timedOut ? 'ANSWER_TIMEOUT' : 'CONNECTION_LOST', detail };
}

function readAnswered(answer: Answered, mode: Mode): SendAnswer {
  if (answer.status < 300) return readTaken(answer, mode);
  const { code, ...meaning } = errorMeaning(answer);
  const detail = wordsOf(answer);
  if (meaning.send !== 'not-sent') return { kind: meaning.send, code, detail };
  return { kind: 'not-sent', cause: meaning.cause, code, detail, retryAfterMs: answer.retryAfterMs };
}

function readTaken(answer: Answered, asked: Mode): SendAnswer {
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
