// push-interface.md §2.6 and push-decisions.md, "Messages": the answer about a message, from its row. Pure.
import type { SendResult } from '../gateway/answers.js';
import { ACCEPTED_STATUS_CODE, type MessageStatusCode } from '../../push-contract/statuses.js';
import { answerTime, answerTimeOrNull, type AnswerClock } from '../gateway/answer-times.js';
import type { MessageState, ResultRow } from './message.store.js';

export function sendResult(row: ResultRow, service: AnswerClock): SendResult {
  const { target, message } = JSON.parse(row.request) as Pick<SendResult, 'target' | 'message'>;
  const code = messageStatusCode(row);
  return {
    requestId: row.id,
    requestTime: answerTime(row.requestedAt, service),
    statusCode: ACCEPTED_STATUS_CODE,
    statusName: 'success',
    messageStatusCode: code,
    messageStatusName: code === null ? 'processing' : code === '200' ? 'success' : 'fail',
    completeTime: code === null ? null : answerTimeOrNull(row.completeAt, service),
    targetCount: Number(row.targetCount),
    sentCount: Number(row.sentCount),
    messageType: row.messageType,
    target,
    message,
  };
}

/** Null until final: any code but 200 would read as failure. */
const CODES = {
  READY: null,
  ATTACHED: null,
  PROCESSING: null,
  FIRED: null,
  FINISHED: 'by counts',
  CANCELED: '499',
  FAIL: '500',
  STALE: '504',
} as const satisfies Record<MessageState, MessageStatusCode | null | 'by counts'>;

function messageStatusCode(row: ResultRow): MessageStatusCode | null {
  // A scheduled message may have gone out before it was cancelled; then its counts decide.
  const wentOut = row.state === 'CANCELED' && row.kind === 'scheduled' && row.targetCount !== '0';
  const code = wentOut ? 'by counts' : CODES[row.state];
  return code === 'by counts' ? byCounts(row) : code;
}

function byCounts(row: ResultRow): MessageStatusCode {
  if (row.sentCount !== '0') return '200';
  return row.targetCount === '0' ? '404' : '500';
}
