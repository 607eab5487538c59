// The port of tracing: spans for the work of a trace. By default it is off: nothing is recorded, and a trace is passed on as it
// came. Never throws, never waits.
import { randomBits } from '../random-bits.js';
import { childOf, type TraceContext } from './trace-context.js';

/** OpenTelemetry's kinds. */
export type SpanKind = 'consumer' | 'internal' | 'client' | 'server' | 'producer';
export type SpanFacts = Readonly<Record<string, string | number | undefined>>;

export interface SpanOrder {
  readonly name: string;
  readonly kind: SpanKind;
  /** Undefined: the span begins a new trace. */
  readonly parent: TraceContext | undefined;
  /** How much later it begins, real milliseconds [0]. */
  readonly inMs?: number;
  readonly facts?: SpanFacts;
}

export interface Span {
  /** Pass it on to the work below this span. Undefined: there is no trace. */
  readonly context: TraceContext | undefined;
  /** Call it once. A span that is never ended is not exported. `fault`: why it failed. */
  end(facts?: SpanFacts, fault?: string): void;
}

export interface Tracing {
  /** Whether spans are recorded, for work that is only needed then. */
  readonly isOn: boolean;
  /** Spans lost since the start: the queue was full, or the collector did not take them. */
  readonly dropped: number;
  begin(order: SpanOrder): Span;
  /** Sends what is left. Resolves after at most 2 real seconds. */
  close(): Promise<void>;
}

const nothing = (): void => undefined;
/** For work that belongs to no trace. */
export const NO_SPAN: Span = { context: undefined, end: nothing };

/**
 * Each call to another service gets a span id of its own, so that its logs distinguish several calls of one trace. Everything
 * else passes on the span that it was given.
 */
export const NO_TRACING: Tracing = {
  isOn: false,
  dropped: 0,
  begin({ kind, parent }) {
    if (parent === undefined) return NO_SPAN;
    const context = kind === 'client' ? childOf(parent, randomBits().toString('hex', 0, 8)) : parent;
    return { context, end: nothing };
  },
  close: () => Promise.resolve(),
};
