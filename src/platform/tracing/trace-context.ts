// W3C Trace Context as headers, Kafka headers and CloudEvents attributes carry it: which trace a piece of work belongs to.
// Pure. What is invalid counts as absent and never refuses anything (W3C Trace Context §4.3).

/** In the form of its own headers, so that it is stored, logged and handed on without another form. */
export interface TraceContext {
  /** Valid, of version 00: `00-<32 hex>-<16 hex>-<2 hex>`. */
  readonly traceparent: string;
  /** What tracing systems keep beside it; at most 512 characters. */
  readonly tracestate?: string;
}

export const TRACEPARENT = 'traceparent';
export const TRACESTATE = 'tracestate';

/** As we write it. */
export const TRACEPARENT_FORM = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export const TRACEPARENT_EXAMPLE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** W3C Trace Context §3.2.2: lower case alone; a version that we do not know may have more behind its flags. */
const GIVEN = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Sampled, and the trace id is random (level 2). Of others nobody knows what they mean: never handed on. */
const KNOWN_FLAGS = 0b11;

/** W3C Trace Context §3.3.1.3. */
const MEMBER =
  /^([a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MOST_MEMBERS = 32;
const MOST_STATE = 512;
/** Those above it go first (§3.3.1.5). */
const LONG_MEMBER = 128;

/** undefined: there is none, or none that is valid. Of one that is, a tracestate that cannot be read is left out. */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  // Before anything else: nearly nothing that comes has one.
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

/** As readTraceContext(), of headers by their names in lower case. */
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

/** Whole members go until the rest fits: the long ones first, then from the end (§3.3.1.5). */
function shortened(members: readonly string[]): readonly string[] {
  const lengthOf = (some: readonly string[]): number => some.join(',').length;
  let left = members;
  while (lengthOf(left) > MOST_STATE) {
    const last = left.findLastIndex((member) => member.length > LONG_MEMBER);
    left = left.toSpliced(last, 1);
  }
  return left;
}

/** 32 hexadecimal digits: what log lines of the trace carry. */
export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35);
}

/** The same trace, below a span of its own: 16 hexadecimal digits. */
export function childOf(parent: TraceContext, spanId: string): TraceContext {
  return {
    ...parent,
    traceparent: `${parent.traceparent.slice(0, 36)}${spanId}${parent.traceparent.slice(52)}`,
  };
}

/** As header or attribute members; none where there is no trace. */
export function traceMembers(trace: TraceContext | undefined): Partial<TraceContext> {
  if (trace === undefined) return {};
  const { traceparent, tracestate } = trace;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
