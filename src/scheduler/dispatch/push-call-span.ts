// A call to a push gateway as a span and a log line: which trace it belongs to, and what came of it. Changes nothing of the call.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Log } from '../../platform/log.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { NO_SPAN, NO_TRACING, type Span, type Tracing } from '../../platform/tracing/tracing.js';
import type { PushAnswer } from '../push-client/push-api.js';
import type { SendAnswer } from '../push-client/answers/read-send-answer.js';

export interface PushCall {
  /** `at`: when it leaves. */
  readonly send: { readonly id: string; readonly serviceId: string; readonly at: EpochMs };
  readonly attempt: number;
  /** Its revision's. */
  readonly trace: TraceContext | null;
}

/** A campaign without a trace begins none with each of its sends. */
export function beginPushCall(
  { tracing = NO_TRACING, clock }: { readonly tracing?: Tracing; readonly clock: Clock },
  { send, attempt, trace }: PushCall,
): Span {
  if (trace === null) return NO_SPAN;
  if (!tracing.isOn) return tracing.begin({ name: 'push call', kind: 'client', parent: trace });
  return tracing.begin({
    name: 'push call',
    kind: 'client',
    parent: trace,
    inMs: Math.max(0, send.at - clock.now()),
    facts: {
      'carillon.send.id': send.id,
      'carillon.service.id': send.serviceId,
      'carillon.attempt': attempt,
      'http.request.method': 'POST',
    },
  });
}

export interface AnsweredCall {
  readonly send: string;
  readonly answer: PushAnswer;
  readonly outcome: SendAnswer;
}

export function endPushCall(log: Log, span: Span, { send, answer, outcome }: AnsweredCall): void {
  const trace = span.context;
  if (log.isLevelEnabled('debug'))
    log.debug({ send, outcome: outcome.kind, status: answer.status, trace }, 'a send was answered');
  if (trace === undefined) return;
  const fault = outcome.kind === 'taken' ? undefined : outcome.code;
  span.end({ 'http.response.status_code': answer.status, 'carillon.outcome': outcome.kind }, fault);
}
