// What GET messages/{requestId} (§2.6) says about a send. Pure and total: whatever cannot be read is asked again, an
// unknown status is kept and shown, never guessed.
import { ACCEPTED_STATUS_CODE } from '../../push-contract/statuses.js';
import type { PushAnswer } from './push-api.js';

export interface ResultCounts {
  readonly targetCount: number | null;
  readonly sentCount: number | null;
}

export type ResultReading =
  /** Not final yet; `status` as the push service names it. */
  | ({ readonly kind: 'pending'; readonly status: string } & ResultCounts)
  | ({
      readonly kind: 'final';
      readonly observation: 'result-sent' | 'result-failed' | 'result-empty' | 'schedule-ended';
      readonly status: string;
      readonly code: string | null;
      readonly completeTime: string | null;
    } & ResultCounts)
  /** No usable answer. */
  | { readonly kind: 'unread'; readonly detail: string };

/** Decisions page: why a final result that delivered nothing did so. `404` is no failure: nobody was there. */
const REASONS: Readonly<Record<string, string>> = {
  '499': 'RESULT_CANCELED',
  '500': 'RESULT_FAILED',
  '504': 'RESULT_STALE',
};

export function readResult(answer: PushAnswer): ResultReading {
  if (answer.kind === 'unanswered') return { kind: 'unread', detail: answer.error };
  const body = answer.status === 200 ? objectOf(answer.body) : undefined;
  if (body === undefined) return { kind: 'unread', detail: `${answer.status} ${plain(answer.body)}` };
  const statusCode = textOf(body['statusCode']);
  const statusName = textOf(body['statusName']);
  const messageStatusCode = textOf(body['messageStatusCode']);
  const messageStatusName = textOf(body['messageStatusName']);
  const counts = { targetCount: countOf(body['targetCount']), sentCount: countOf(body['sentCount']) };
  const status = plain([messageStatusName, messageStatusCode].filter((part) => part !== null).join(' '));
  const requestFailed =
    statusName === 'fail' || (statusCode ?? ACCEPTED_STATUS_CODE) !== ACCEPTED_STATUS_CODE;
  if (!requestFailed && messageStatusName !== 'success' && messageStatusName !== 'fail') {
    return { kind: 'pending', status: status === '' ? 'none' : status, ...counts };
  }
  const completeTime = textOf(body['completeTime']);
  const final = { kind: 'final', status, completeTime, ...counts } as const;
  if ((counts.sentCount ?? 0) > 0) return { ...final, observation: 'result-sent', code: null };
  if (!requestFailed && messageStatusName === 'success') {
    // `sent` says that the provider took a device: whose targets are none is `empty`, by whatever name it is final.
    const observation = counts.targetCount === 0 ? 'result-empty' : 'result-sent';
    return { ...final, observation, code: null };
  }
  if (messageStatusCode === '499')
    return { ...final, observation: 'schedule-ended', code: REASONS['499'] ?? null };
  const reason = REASONS[messageStatusCode ?? ''];
  if (reason === undefined && counts.targetCount === 0)
    return { ...final, observation: 'result-empty', code: null };
  return { ...final, observation: 'result-failed', code: reason ?? 'RESULT_FAILED' };
}

/** Undefined for anything but a JSON object. */
function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? (read as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function countOf(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31 ? Number(value) : null;
}

function plain(value: string): string {
  return value.slice(0, 300).replaceAll(/\p{Surrogate}|\0/gu, '\uFFFD');
}
