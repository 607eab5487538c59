// The settings of tracing, as both services read them beside their own.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../env.js';
import { tracingSettings } from './open-tracing.js';

const settings = z.object(tracingSettings);

it('takes the variables of OpenTelemetry beside its own, whatever they are', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:hunter2@collector:4318',
    OTEL_SERVICE_NAME: 'bells',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=x',
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector:4318/v1/logs',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
  };
  expect(readConfig(settings, env)).toEqual({ OTEL_EXPORTER_OTLP_ENDPOINT: env.OTEL_EXPORTER_OTLP_ENDPOINT });
  expect(readConfig(settings, {})).toEqual({});
});

it.each(['collector:4318', 'grpc://u:hunter2@collector', 'http://', 'http://a b', 'https://u:hunter2@[x'])(
  'refuses %s, and does not repeat it',
  (endpoint) => {
    const read = (): unknown => readConfig(settings, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    expect(read).toThrow(/OTEL_EXPORTER_OTLP_ENDPOINT: must be an http:\/\/ or https:\/\/ URL/);
    expect(read).not.toThrow(/hunter2/);
  },
);

it('refuses a name that is nearly its own', () => {
  expect(() => readConfig(settings, { OTEL_EXPORTER_OTLP_ENDPOINTS: 'http://a' })).toThrow(
    /there is no such setting; OTEL_EXPORTER_OTLP_ENDPOINT\?/,
  );
});
