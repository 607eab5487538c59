// The port of tracing: spans of what is done for a trace. Off, which is the default, nothing is recorded, and what carries
// a trace hands on what it was given. Never throws, never waits.
import { randomBits } from '../random-bits.js';
import { childOf, type TraceContext } from './trace-context.js';

/** As OpenTelemetry tells them apart. */
export type SpanKind = 'consumer' | 'internal' | 'client' | 'server' | 'producer';
export type SpanFacts = Readonly<Record<string, string | number | undefined>>;

export interface SpanOrder {
  readonly name: string;
  readonly kind: SpanKind;
  /** undefined: it begins a trace of its own. */
  readonly parent: TraceContext | undefined;
  /** It begins so much later, real milliseconds [0]. */
  readonly inMs?: number;
  readonly facts?: SpanFacts;
}

export interface Span {
  /** What is done below it carries this; undefined: there is no trace. */
  readonly context: TraceContext | undefined;
  /** Once; one that is never ended was none. `fault`: it failed, and why. */
  end(facts?: SpanFacts, fault?: string): void;
}

export interface Tracing {
  /** Whether spans are recorded: asked where only then something is worth its while. */
  readonly isOn: boolean;
  /** Spans that were lost since the start: the queue was full, or the collector did not take them. */
  readonly dropped: number;
  begin(order: SpanOrder): Span;
  /** Sends what is left; resolves after 2 real seconds at the latest. */
  close(): Promise<void>;
}

const nothing = (): void => undefined;
/** Of what belongs to no trace. */
export const NO_SPAN: Span = { context: undefined, end: nothing };

/**
 * Whom we call is told an id of its own for each call, so that several calls of one trace are told apart in its logs;
 * everything else stands below the span that was handed in.
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
