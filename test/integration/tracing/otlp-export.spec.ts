// Spans by OTLP to a collector of this file's own: what both services report of one trace, what OpenTelemetry's variables do to
// it, and what a collector costs that does not answer.
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../src/platform/logging/log.js';
import { openTracing } from '../../../src/platform/tracing/open-tracing.js';
import { NO_TRACING, type Tracing } from '../../../src/platform/tracing/tracing.js';
import { freePort } from '../../../tools/process/free-port.js';
import { eventually, lasting } from '../../support/eventually.js';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver.js';
import { TracedServices } from './traced-services.js';

const KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };
const SECRET = 'Bearer of-a-collector';

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
  vi.unstubAllEnvs();
});
const opens = <Part extends { close(): Promise<unknown> }>(part: Part): Part => {
  opened.push(part);
  return part;
};

/** OpenTelemetry's packages read the process' own environment. */
function given(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  for (const [name, value] of Object.entries({ OTEL_BSP_SCHEDULE_DELAY: '50', ...env }))
    vi.stubEnv(name, value);
  return process.env;
}

function logged(): { log: ReturnType<typeof createLog>; lines: { msg: string; level: number }[] } {
  const lines: { msg: string; level: number }[] = [];
  const to = { write: (line: string) => void lines.push(JSON.parse(line) as { msg: string; level: number }) };
  return { log: createLog('spec', 'debug', to), lines };
}

const only = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const [first, ...more] = spans.filter((span) => span.name === name);
  if (first === undefined || more.length > 0) throw new Error(`${more.length + 1} spans ${name}, not one`);
  return first;
};

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('both services report one trace, each span below the one that it was done for', async () => {
    const receiver = opens(await OtlpReceiver.open());
    const env = given({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(SECRET)}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=spec',
    });
    const { log, lines } = logged();
    const tracing = {
      scheduler: await openTracing(env, 'carillon-scheduler', log),
      push: await openTracing(env, 'carillon-push-service', log),
    };
    const world = opens(await TracedServices.open(tracing));
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const event = world.event({ traceparent: `00-${traceId}-${spanId}-01` });
    await world.viaKafka(event);
    const outcomes = await world.outcomesOf(event.subject, 'send.accepted');

    await eventually(() => {
      const published = receiver.ofTrace(traceId).filter(({ name }) => name === 'outcome published');
      const ids = published.map(({ facts }) => facts['carillon.outcome.id']);
      expect(ids).toEqual(expect.arrayContaining(outcomes.map(({ id }) => id)));
      expect(receiver.ofTrace(traceId).map(({ name }) => name)).toContain('chunk delivery');
    });
    const spans = receiver.ofTrace(traceId);
    const [taken, planned, called] = ['event taken', 'campaign planned', 'push call'].map((name) =>
      only(spans, name),
    );
    const [asked, delivered] = ['request', 'chunk delivery'].map((name) => only(spans, name));
    const shape = (span: ReceivedSpan | undefined) => [span?.service, span?.kind, span?.parentSpanId];
    expect(shape(taken)).toEqual(['carillon-scheduler', KINDS.consumer, spanId]);
    expect(shape(planned)).toEqual(['carillon-scheduler', KINDS.internal, taken?.spanId]);
    expect(shape(called)).toEqual(['carillon-scheduler', KINDS.client, taken?.spanId]);
    expect(shape(asked)).toEqual(['carillon-push-service', KINDS.server, called?.spanId]);
    expect(shape(delivered)).toEqual(['carillon-push-service', KINDS.internal, asked?.spanId]);
    for (const span of spans.filter(({ name }) => name === 'outcome published'))
      expect(shape(span)).toEqual(['carillon-scheduler', KINDS.producer, taken?.spanId]);
    expect(called?.facts).toMatchObject({ 'carillon.outcome': 'taken', 'http.response.status_code': '202' });
    expect(taken?.facts).toMatchObject({ 'carillon.verdict': 'accepted', 'carillon.event.via': 'kafka' });
    for (const span of spans)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    // What is published belongs below the span that took the event.
    for (const { traceparent } of outcomes) expect(traceparent).toBe(`00-${traceId}-${taken?.spanId}-01`);
    expect(receiver.headers[0]?.authorization).toBe(SECRET);
    expect(JSON.stringify([lines, world.lines])).not.toContain('of-a-collector');
  });

  it('a cancel is reported in its campaign’s trace, on both sides, and polls in traces of their own, one for a batch', async () => {
    const receiver = opens(await OtlpReceiver.open());
    const env = given({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    const { log } = logged();
    const tracing = {
      scheduler: await openTracing(env, 'carillon-scheduler', log),
      push: await openTracing(env, 'carillon-push-service', log),
    };
    const world = opens(await TracedServices.open(tracing));
    const traceId = randomBytes(16).toString('hex');
    const event = world.event({ traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` });
    // A reservation is of a whole minute.
    const delivery = { at: new Date(Math.ceil(Date.now() / 60_000 + 60) * 60_000).toISOString() };
    await world.viaHttp({ ...event, data: { ...(event['data'] as object), delivery } });
    await world.outcomesOf(event.subject, 'send.reserved');
    await world.viaHttp(world.cancelOf(event.subject));
    await world.outcomesOf(event.subject, 'send.canceled');
    const sent = world.event();
    await world.viaHttp(sent);
    await world.outcomesOf(sent.subject);

    await eventually(() => {
      const spans = receiver.ofTrace(traceId);
      const taken = only(spans, 'event taken');
      const cancel = only(spans, 'push cancel');
      expect([cancel.service, cancel.kind, cancel.parentSpanId]).toEqual([
        'carillon-scheduler',
        KINDS.client,
        taken.spanId,
      ]);
      expect(cancel.facts).toMatchObject({
        'carillon.outcome': 'confirmed',
        'http.response.status_code': '204',
        'http.request.method': 'DELETE',
      });
      expect(
        spans.filter(({ name }) => name === 'request').map(({ parentSpanId }) => parentSpanId),
      ).toContain(cancel.spanId);
      const polls = receiver.spans.filter(({ name }) => name === 'polls');
      const moved = polls.map(({ facts }) => Number(facts['carillon.polls.moved']));
      expect(moved.reduce((sum, count) => sum + count, 0)).toBe(2);
      expect(polls.map((span) => span.traceId)).not.toContain(traceId);
      expect(new Set(polls.map((span) => span.traceId)).size).toBe(polls.length);
      expect(polls.every(({ parentSpanId }) => !parentSpanId)).toBe(true);
    });
  });

  it('an event without a trace begins one, whose sampling holds for all that is done for it', async () => {
    const receiver = opens(await OtlpReceiver.open());
    const env = given({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
      OTEL_SERVICE_NAME: 'bells',
    });
    const { log } = logged();
    const both = await openTracing(env, 'carillon-scheduler', log);
    const world = opens(await TracedServices.open({ scheduler: both, push: both }));
    const unsampled = world.event();
    await world.viaHttp(unsampled);
    const outcomes = await world.outcomesOf(unsampled.subject, 'send.accepted');
    const traceparent = outcomes[0]?.traceparent ?? '';
    expect(traceparent).toMatch(/-00$/);
    const [kept] = await world.keptAtPush(unsampled.subject);
    expect(kept?.traceparent.slice(0, 35)).toBe(traceparent.slice(0, 35));
    const traceId = randomBytes(16).toString('hex');
    const sampled = world.event({ traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` });
    await world.viaHttp(sampled);
    await world.outcomesOf(sampled.subject, 'send.accepted');
    await eventually(() =>
      expect(receiver.ofTrace(traceId).map(({ name }) => name)).toContain('outcome published'),
    );
    expect(new Set(receiver.spans.map((span) => [span.traceId, span.service].join()))).toEqual(
      new Set([`${traceId},bells`]),
    );
  });

  it('a collector that is away stops nothing, is logged once and costs a bounded number of spans, until it is back', async () => {
    // Nobody else draws it before the collector is back on it.
    const port = await freePort();
    const url = `http://u:hunter2@127.0.0.1:${port}`;
    const env = given({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      OTEL_BSP_MAX_QUEUE_SIZE: '10',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
    });
    const { log, lines } = logged();
    const tracing = await openTracing(env, 'carillon-scheduler', log);
    const world = opens(await TracedServices.open({ scheduler: tracing }));
    const event = world.event({ traceparent: `00-${randomBytes(16).toString('hex')}-${'1'.repeat(16)}-01` });
    await world.viaHttp(event);
    await world.outcomesOf(event.subject, 'send.accepted');
    for (let at = 0; at < 100; at += 1)
      tracing.begin({ name: 'more', kind: 'internal', parent: undefined }).end();
    await eventually(() => expect(tracing.dropped).toBeGreaterThan(95));
    const metrics = await (await fetch(world.scheduler.metricsUrl)).text();
    expect(Number(/^carillon_spans_dropped_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(95);
    const warned = (): string[] => lines.filter(({ level }) => level >= 40).map(({ msg }) => msg);
    await eventually(() => expect(warned()).toHaveLength(1));
    expect(warned()[0]).toContain('the trace collector takes no spans');
    expect(JSON.stringify(lines)).not.toContain('hunter2');

    const back = opens(await OtlpReceiver.open(port));
    await eventually(() => {
      tracing.begin({ name: 'once more', kind: 'internal', parent: undefined }).end();
      expect(back.spans.map(({ name }) => name)).toContain('once more');
    });
    await eventually(() => expect(warned()[1]).toContain('takes spans again'));
    expect(warned()).toHaveLength(2);
  });
});

it('a span that begins later never ends before it began, and lasts as long as it did', async () => {
  const receiver = opens(await OtlpReceiver.open());
  const env = given({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  const { log, lines } = logged();
  const tracing = await openTracing(env, 'spec', log);
  const order = { kind: 'client', parent: undefined } as const;
  tracing.begin({ ...order, name: 'never begun', inMs: 60_000 }).end();
  // A busy machine may stop us between two readings of the clock.
  const began = performance.now();
  const [first, second] = [
    tracing.begin({ ...order, name: 'at once' }),
    tracing.begin({ ...order, name: 'later', inMs: 20 }),
  ];
  const beginning = performance.now() - began;
  await lasting(60);
  const ended = performance.now();
  for (const span of [first, second]) span.end();
  const ending = performance.now() - ended;
  await tracing.close();
  const lasted = (name: string): number => {
    const { startTimeUnixNano, endTimeUnixNano } = only(receiver.spans, name);
    return Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6;
  };
  expect(lasted('never begun')).toBe(0);
  expect(lasted('at once') - lasted('later')).toBeGreaterThan(18 - ending);
  expect(lasted('at once') - lasted('later')).toBeLessThan(22 + beginning);
  expect(lines).toEqual([]);
});

describe('whether anything is exported', () => {
  const opensWith = (env: Record<string, string>): Promise<Tracing> => openTracing(env, 'spec', logged().log);

  it.each([
    ['no endpoint', {}],
    ['an empty one', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['OTEL_SDK_DISABLED', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }],
    ['no exporter', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' }],
  ])('nothing is with %s', async (_, env) => {
    expect(await opensWith(env)).toBe(NO_TRACING);
  });

  it('something is with an endpoint of traces alone', async () => {
    const env = given({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces' });
    const tracing = opens(await openTracing(env, 'spec', logged().log));
    expect(tracing.isOn).toBe(true);
  });

  it('says that spans go as JSON where another protocol is asked for, and that a sampler is none', async () => {
    const { log, lines } = logged();
    const env = given({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'sometimes',
    });
    opens(await openTracing(env, 'spec', log));
    expect(JSON.stringify(lines)).toContain('http/json');
    expect(JSON.stringify(lines)).toContain('sometimes');
  });
});
