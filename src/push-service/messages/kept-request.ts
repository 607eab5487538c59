// A message's request as it is kept: JSON of what was asked, and the trace of who asked, beside it in the same text.
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { MessageRequest } from './message-request.js';

/** Whatever else reads the text leaves `trace` alone. */
export function keptRequest(request: MessageRequest, trace: TraceContext | undefined): string {
  return JSON.stringify(trace === undefined ? request : { ...request, trace });
}

/** Of the text as it was kept; undefined where it had none, or is none that can be read. Never throws. */
export function traceOfKept(text: string): TraceContext | undefined {
  try {
    return (JSON.parse(text) as { readonly trace?: TraceContext } | null)?.trace;
  } catch {
    return undefined;
  }
}
