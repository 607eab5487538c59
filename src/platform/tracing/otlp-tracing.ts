// Exports spans by OTLP/HTTP in JSON, with OpenTelemetry's packages, which read the OTEL_ variables themselves. It is the only
// file that imports them, and it is loaded only where spans are exported (open-tracing.ts). A collector that is away costs spans,
// never work.
import {
  createTraceState,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OtelSpan,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { SystemClock, type Clock } from '../clock.js';
import type { Environment } from '../env.js';
import { messageOf } from '../logging/error-code.js';
import type { Log } from '../logging/log.js';
import { within } from '../with-timeout.js';
import type { TraceContext } from './trace-context.js';
import type { Span, SpanFacts, SpanKind, SpanOrder, Tracing } from './tracing.js';

/** How many spans may wait for the collector, unless OTEL_BSP_MAX_QUEUE_SIZE is set. It is OpenTelemetry's own default. */
const MAX_QUEUE = 2_048;
/** How long the export of what is left may take when the process ends, real milliseconds. */
const CLOSE_MS = 2_000;
/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win over ours. */
const SERVICE_NAME = 'service.name';

/** How many of OpenTelemetry's own messages are logged, so that they cannot fill the log. */
const MOST_SAID = 20;
/** ExportResultCode.SUCCESS of @opentelemetry/core. */
const SUCCESS = 0;

export class OtlpTracing implements Tracing {
  readonly isOn = true;
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #exporter: CountingExporter;
  readonly #clock = new SystemClock();

  constructor(env: Environment, name: string, log: Log) {
    logOwnMessages(env, log);
    const given = Number(env['OTEL_BSP_MAX_QUEUE_SIZE'] ?? '');
    this.#exporter = new CountingExporter(log);
    const most = Number.isInteger(given) && given > 0 ? given : MAX_QUEUE;
    this.#provider = new BasicTracerProvider({
      resource: defaultResource()
        .merge(resourceFromAttributes({ [SERVICE_NAME]: name }))
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BoundedQueue(most, this.#exporter)],
    });
    this.#tracer = this.#provider.getTracer('carillon');
  }

  get dropped(): number {
    return this.#exporter.dropped;
  }

  begin({ name, kind, parent, inMs = 0, facts = {} }: SpanOrder): Span {
    const otelKind = Kind[kind.toUpperCase() as Uppercase<SpanKind>];
    const options: SpanOptions = { kind: otelKind, attributes: { ...facts } };
    if (inMs === 0) return new OtlpSpan(this.#tracer.startSpan(name, options, contextOf(parent)));
    const startTime = this.#clock.now() + inMs;
    const span = this.#tracer.startSpan(name, { ...options, startTime }, contextOf(parent));
    return new OtlpSpan(span, endOfLater(this.#clock, startTime, inMs));
  }

  async close(): Promise<void> {
    await within(this.#provider.shutdown(), CLOSE_MS).catch(() => undefined);
  }
}

class OtlpSpan implements Span {
  readonly context: TraceContext;

  constructor(
    private readonly span: OtelSpan,
    /** Returns the end, milliseconds since 1970; by default OpenTelemetry's own clock decides. */
    private readonly endsAt?: () => number,
  ) {
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    const tracestate = traceState?.serialize() ?? '';
    this.context = {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      ...(tracestate !== '' && { tracestate }),
    };
  }

  end(facts?: SpanFacts, fault?: string): void {
    if (facts !== undefined) this.span.setAttributes({ ...facts });
    if (fault !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
    this.span.end(this.endsAt?.());
  }
}

/** The end of a span that begins in `inMs`. It is never before the beginning, even where a fast clock waits for less. */
function endOfLater(clock: Clock, startsAt: number, inMs: number): () => number {
  const from = clock.elapsed() + inMs;
  return () => startsAt + Math.max(0, clock.elapsed() - from);
}

function contextOf(parent: TraceContext | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceparent, tracestate } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
}

/** Bounds and counts spans before OpenTelemetry's queue, because that queue drops spans without a count that we can read. */
class BoundedQueue extends BatchSpanProcessor {
  constructor(
    private readonly most: number,
    private readonly exporter: CountingExporter,
  ) {
    super(exporter, { maxQueueSize: most });
  }

  override onEnd(span: ReadableSpan): void {
    // The flag 1 means sampled. Other spans are not exported.
    if ((span.spanContext().traceFlags & 1) === 0) return;
    if (this.exporter.waiting >= this.most) {
      this.exporter.dropped += 1;
      return;
    }
    this.exporter.waiting += 1;
    super.onEnd(span);
  }
}

class CountingExporter extends OTLPTraceExporter {
  /** How many spans the queue has taken and not handed over yet. */
  waiting = 0;
  dropped = 0;
  #isAway = false;

  constructor(private readonly log: Log) {
    super();
  }

  override export(...[spans, ended]: Parameters<SpanExporter['export']>): void {
    this.waiting -= spans.length;
    super.export(spans, ({ code, error }) => {
      if ((code as number) === SUCCESS) this.#succeeded();
      else this.#failed(spans.length, error ?? new Error('unknown'));
      // A failure is logged only here: OpenTelemetry would log a line for each.
      ended({ code: SUCCESS });
    });
  }

  #succeeded(): void {
    if (this.#isAway) this.log.warn({ dropped: this.dropped }, 'the trace collector takes spans again');
    this.#isAway = false;
  }

  #failed(spans: number, error: Error): void {
    this.dropped += spans;
    if (!this.#isAway)
      this.log.warn(
        { reason: withoutGiven(messageOf(error)) },
        'the trace collector takes no spans: they are dropped and counted until it does; nothing else waits for it',
      );
    this.#isAway = true;
  }
}

/**
 * Logs OpenTelemetry's own messages, mostly about its settings, each once. It applies to the whole process, because that logger
 * is global.
 */
function logOwnMessages(env: Environment, log: Log): void {
  const said = new Set<string>();
  const logOnce = (message: string): void => {
    const reason = withoutGiven(message);
    if (said.has(reason) || said.size === MOST_SAID) return;
    said.add(reason);
    log.warn({ reason }, 'OpenTelemetry says that something is wrong with how it is set up');
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: logOnce, warn: logOnce, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const protocol =
    env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'] || 'http/json';
  if (protocol !== 'http/json')
    logOnce(`spans go as http/json, whatever OTEL_EXPORTER_OTLP_PROTOCOL says: not as ${protocol}`);
}

/** Leaves out addresses and quoted values, because either may contain a secret. */
function withoutGiven(message: string): string {
  return message.replace(/'[^']*'|\w+:\/\/\S+/g, '…').slice(0, 500);
}
