// What GET messages/{requestId} (§2.6) says about a send. Pure and total: whatever cannot be read is asked again, an
// unknown status is kept and shown, never guessed.
import { z } from 'zod';
import { ACCEPTED_STATUS_CODE } from '../../push-contract/statuses.js';
import type { PushAnswer } from '../decide/push-api.js';

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

const count = z.int().min(0).max(2_147_483_647).nullish().catch(null);
const text = z.union([z.string(), z.number()]).transform(String).nullish().catch(null);
const Result = z.object({
  statusCode: text,
  statusName: text,
  messageStatusCode: text,
  messageStatusName: text,
  completeTime: text,
  targetCount: count,
  sentCount: count,
});

/** Decisions page: why a final result that delivered nothing did so. `404` is no failure: nobody was there. */
const REASONS: Readonly<Record<string, string>> = {
  '499': 'RESULT_CANCELED',
  '500': 'RESULT_FAILED',
  '504': 'RESULT_STALE',
};

export function readResult(answer: PushAnswer): ResultReading {
  if (answer.kind === 'unanswered') return { kind: 'unread', detail: answer.error };
  const read = Result.safeParse(answer.status === 200 ? parse(answer.body) : undefined);
  if (!read.success) return { kind: 'unread', detail: `${answer.status} ${plain(answer.body)}` };
  const { messageStatusName, messageStatusCode, statusName, statusCode } = read.data;
  const counts = { targetCount: read.data.targetCount ?? null, sentCount: read.data.sentCount ?? null };
  const status = plain(`${messageStatusName ?? ''}${messageStatusCode ? ` ${messageStatusCode}` : ''}`);
  const requestFailed =
    statusName === 'fail' || (statusCode ?? ACCEPTED_STATUS_CODE) !== ACCEPTED_STATUS_CODE;
  if (!requestFailed && messageStatusName !== 'success' && messageStatusName !== 'fail') {
    return { kind: 'pending', status: status === '' ? 'none' : status, ...counts };
  }
  const completeTime = read.data.completeTime ?? null;
  const final = { kind: 'final', status, completeTime, ...counts } as const;
  if ((counts.sentCount ?? 0) > 0 || (!requestFailed && messageStatusName === 'success')) {
    return { ...final, observation: 'result-sent', code: null };
  }
  if (messageStatusCode === '499')
    return { ...final, observation: 'schedule-ended', code: REASONS['499'] ?? null };
  const reason = REASONS[messageStatusCode ?? ''];
  if (reason === undefined && counts.targetCount === 0)
    return { ...final, observation: 'result-empty', code: null };
  return { ...final, observation: 'result-failed', code: reason ?? 'RESULT_FAILED' };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function plain(value: string): string {
  return value.slice(0, 300).replaceAll(/\p{Surrogate}|\0/gu, '\uFFFD');
}
