// Reads what GET messages/{requestId} (push-interface.md §2.6) says about a send. Pure; has a result for every answer: one that
// cannot be read is asked for again, and an unknown status is kept and shown, never interpreted.
import { jsonOf } from '../../../push-contract/read-error.js';
import { ACCEPTED_STATUS_CODE } from '../../../push-contract/statuses.js';
import type { PushAnswer } from '../push-api.js';
import { brief } from './read-project.js';

interface ResultCounts {
  readonly targetCount: number | null;
  readonly sentCount: number | null;
}

interface ResultEnd {
  readonly observation: 'result-sent' | 'result-failed' | 'result-empty' | 'schedule-ended';
  readonly code: string | null;
}

export type ResultReading =
  /** Not final yet; `status`: the push service's name for it. */
  | ({ readonly kind: 'pending'; readonly status: string } & ResultCounts)
  | ({ readonly kind: 'final'; readonly status: string; readonly completeTime: string | null } & ResultEnd &
      ResultCounts)
  /** No usable answer. */
  | { readonly kind: 'unread'; readonly detail: string };

/** Why a final result reached nobody (push-decisions.md, "Messages"). `404` is no failure: there was nobody to reach. */
const REASONS: Readonly<Record<string, string>> = {
  '500': 'RESULT_FAILED',
  '504': 'RESULT_STALE',
};

export function readResult(answer: PushAnswer): ResultReading {
  if (answer.kind === 'unanswered') return { kind: 'unread', detail: answer.error };
  const body = answer.status === 200 ? objectOf(answer.body) : undefined;
  if (body === undefined) return { kind: 'unread', detail: `${answer.status} ${brief(answer.body)}` };
  const statusCode = textOf(body['statusCode']);
  const statusName = textOf(body['statusName']);
  const messageStatusCode = textOf(body['messageStatusCode']);
  const messageStatusName = textOf(body['messageStatusName']);
  const counts = { targetCount: countOf(body['targetCount']), sentCount: countOf(body['sentCount']) };
  const status = brief([messageStatusName, messageStatusCode].filter((text) => text !== null).join(' '));
  const requestFailed =
    statusName === 'fail' || (statusCode ?? ACCEPTED_STATUS_CODE) !== ACCEPTED_STATUS_CODE;
  if (!requestFailed && messageStatusName !== 'success' && messageStatusName !== 'fail') {
    return { kind: 'pending', status: status === '' ? 'none' : status, ...counts };
  }
  const completeTime = textOf(body['completeTime']);
  const succeeded = !requestFailed && messageStatusName === 'success';
  return { kind: 'final', status, completeTime, ...counts, ...endOf(succeeded, messageStatusCode, counts) };
}

/** `sent` means that the provider took at least one device; a final result without targets is `empty`, whatever its name. */
function endOf(
  succeeded: boolean,
  statusCode: string | null,
  { targetCount, sentCount }: ResultCounts,
): ResultEnd {
  if ((sentCount ?? 0) > 0) return { observation: 'result-sent', code: null };
  if (succeeded) return { observation: targetCount === 0 ? 'result-empty' : 'result-sent', code: null };
  if (statusCode === '499') return { observation: 'schedule-ended', code: 'RESULT_CANCELED' };
  const code = REASONS[statusCode ?? ''];
  if (code === undefined && targetCount === 0) return { observation: 'result-empty', code: null };
  return { observation: 'result-failed', code: code ?? 'RESULT_FAILED' };
}

/** Undefined for anything but a JSON object. */
function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const read = jsonOf(text);
  return typeof read === 'object' && read !== null && !Array.isArray(read)
    ? (read as Readonly<Record<string, unknown>>)
    : undefined;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function countOf(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31 ? Number(value) : null;
}
