// W3C Trace Context in HTTP headers, Kafka headers and CloudEvents attributes: the trace to which work belongs. An invalid trace
// context counts as absent and never leads to a refusal (W3C Trace Context §4.3). Pure.

/** A trace context in the form of its headers, so that it is stored, logged and passed on without conversion. */
export interface TraceContext {
  /** Valid, of version 00: `00-<32 hex>-<16 hex>-<2 hex>`. */
  readonly traceparent: string;
  /** What tracing systems keep beside it; at most 512 characters. */
  readonly tracestate?: string;
}

export const TRACEPARENT = 'traceparent';
export const TRACESTATE = 'tracestate';

/** The form in which we write it. */
export const TRACEPARENT_FORM = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export const TRACEPARENT_EXAMPLE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** W3C Trace Context §3.2.2: only lower case. A version that we do not know may have more after its flags. */
const GIVEN = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Sampled, and random trace id (level 2). Unknown flags are never passed on. */
const KNOWN_FLAGS = 0b11;

/** W3C Trace Context §3.3.1.3. */
const MEMBER =
  /^([a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MOST_MEMBERS = 32;
const MOST_STATE = 512;
/** Longer members are removed first (W3C Trace Context §3.3.1.5). */
const LONG_MEMBER = 128;

/** Undefined: there is no valid traceparent. With a valid traceparent, a tracestate that cannot be read is left out. */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  // This comes first, because hardly any event has one.
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags = '', more] = GIVEN.exec(traceparent) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  const known = (Number.parseInt(flags, 16) & KNOWN_FLAGS).toString(16).padStart(2, '0');
  const state = typeof tracestate === 'string' ? readTracestate(tracestate) : undefined;
  return {
    traceparent: `00-${traceId}-${spanId}-${known}`,
    ...(state !== undefined && { tracestate: state }),
  };
}

/** Like readTraceContext(), from headers by their names in lower case. */
export function readTraceHeaders(headers: Readonly<Record<string, unknown>>): TraceContext | undefined {
  return readTraceContext(headers[TRACEPARENT], headers[TRACESTATE]);
}

function readTracestate(given: string): string | undefined {
  const members = given
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  if (members.length === 0 || members.length > MOST_MEMBERS) return undefined;
  if (!members.every((member) => MEMBER.test(member))) return undefined;
  return shortened(members).join(',') || undefined;
}

/** Removes whole members until the rest fits: long ones first, then from the end (W3C Trace Context §3.3.1.5). */
function shortened(members: readonly string[]): readonly string[] {
  let left = members;
  while (left.join(',').length > MOST_STATE) {
    const last = left.findLastIndex((member) => member.length > LONG_MEMBER);
    left = left.toSpliced(last, 1);
  }
  return left;
}

/** 32 hexadecimal digits, as shown in the log lines of the trace. */
export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35);
}

/** The same trace with another parent span: 16 hexadecimal digits. */
export function childOf(parent: TraceContext, spanId: string): TraceContext {
  return {
    ...parent,
    traceparent: `${parent.traceparent.slice(0, 36)}${spanId}${parent.traceparent.slice(52)}`,
  };
}

/** The trace as members of headers or attributes; empty where there is no trace. */
export function traceMembers(trace: TraceContext | undefined): Partial<TraceContext> {
  if (trace === undefined) return {};
  const { traceparent, tracestate } = trace;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
