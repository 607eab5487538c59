// Spans and log lines of requests that belong to a trace. That is the trace that traceparent names. Where spans are exported, a
// message without traceparent gets a new trace. Refuses nothing: an invalid traceparent counts as absent.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../../platform/logging/log.js';
import { readTraceHeaders } from '../../platform/tracing/trace-context.js';
import type { Span, Tracing } from '../../platform/tracing/tracing.js';

const MESSAGES = /^\/push\/v2\/services\/[^/?]+\/messages(?:\?|$)/;

export function traceRequests(
  server: FastifyInstance,
  { log, tracing }: { readonly log: Pick<Log, 'debug' | 'isLevelEnabled'>; readonly tracing: Tracing },
): void {
  server.decorateRequest('span', null);
  server.addHook('onRequest', (request, _reply, done) => {
    request.span = begin(request, tracing);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { span, id: requestId, method, url } = request;
    const { statusCode: status } = reply;
    if (log.isLevelEnabled('debug')) {
      const path = url.split('?')[0];
      log.debug({ method, path, status, requestId, trace: span?.context }, 'request');
    }
    span?.end({ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined);
    done();
  });
}

function begin({ headers, method, url, id }: FastifyRequest, tracing: Tracing): Span | null {
  const parent = readTraceHeaders(headers);
  const isMessage = tracing.isOn && method === 'POST' && MESSAGES.test(url);
  if (parent === undefined && !isMessage) return null;
  const facts = { 'http.request.method': method, 'carillon.request.id': id };
  return tracing.begin({ name: 'request', kind: 'server', parent, facts });
}
