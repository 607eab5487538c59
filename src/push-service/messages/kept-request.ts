// The stored form of a message's request: the JSON of its body, and the trace that the request belonged to.
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { MessageRequest } from './message-request.js';

/** Other readers of the text ignore `trace`. */
export function keptRequest(request: MessageRequest, trace: TraceContext | undefined): string {
  return JSON.stringify(trace === undefined ? request : { ...request, trace });
}

/** Undefined where the text holds none or cannot be read. Never throws. */
export function traceOfKept(text: string): TraceContext | undefined {
  try {
    return (JSON.parse(text) as { readonly trace?: TraceContext } | null)?.trace;
  } catch {
    return undefined;
  }
}
