// What comes before and after a POST to a push gateway: its span; and what the answer means for the log, for the project's blocks
// and circuit, and as the row that is written. Never calls.
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { NO_SPAN, NO_TRACING, type Span } from '../../platform/tracing/tracing.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { KEY_CONFLICT } from '../push-client/answers/error-meanings.js';
import { readSendAnswer, type SendAnswer } from '../push-client/answers/read-send-answer.js';
import type { PushAnswer } from '../push-client/push-api.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import { answerRow, type CallFacts } from './answer-row.js';
import type { DispatchDeps } from './dispatch-deps.js';

interface BegunCall {
  /** `at`: when it leaves. */
  readonly send: { readonly id: string; readonly serviceId: string; readonly at: EpochMs };
  readonly attempt: number;
  /** The trace of its revision. */
  readonly trace: TraceContext | null;
}

/** Begins no span where the campaign has no trace. */
export function beginPushCall(
  { tracing = NO_TRACING, clock }: Pick<DispatchDeps, 'tracing' | 'clock'>,
  { send, attempt, trace }: BegunCall,
): Span {
  if (trace === null) return NO_SPAN;
  const order = { name: 'push call', kind: 'client', parent: trace } as const;
  if (!tracing.isOn) return tracing.begin(order);
  return tracing.begin({
    ...order,
    inMs: Math.max(0, send.at - clock.now()),
    facts: {
      'carillon.send.id': send.id,
      'carillon.service.id': send.serviceId,
      'carillon.attempt': attempt,
      'http.request.method': 'POST',
    },
  });
}

interface EndedCall extends Omit<CallFacts, 'answeredAt' | 'random'> {
  readonly serviceId: string;
}

export function endPushCall(
  { calls, clock, log }: Pick<DispatchDeps, 'calls' | 'clock' | 'log'>,
  span: Span,
  call: EndedCall,
  answer: PushAnswer,
): { readonly outcome: SendAnswer; readonly row: RecordedAnswer } {
  const { id, serviceId } = call;
  const answeredAt = clock.now();
  const outcome = readSendAnswer(answer, call.mode);
  const trace = span.context;
  if (log.isLevelEnabled('debug'))
    log.debug({ send: id, outcome: outcome.kind, status: answer.status, trace }, 'a send was answered');
  if (trace !== undefined) {
    const fault = outcome.kind === 'taken' ? undefined : outcome.code;
    span.end({ 'http.response.status_code': answer.status, 'carillon.outcome': outcome.kind }, fault);
  }
  // A gateway that refuses a key works.
  const isUnknown = outcome.kind === 'unknown' && outcome.code !== KEY_CONFLICT;
  calls.blocks.ended(serviceId, id, answer, isUnknown);
  return { outcome, row: answerRow({ ...call, answeredAt, random: Math.random() }, answer, outcome) };
}
