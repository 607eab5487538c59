// Whether spans are exported, by the environment: OpenTelemetry is loaded only then, and only from here.
import { z } from 'zod';
import type { Environment } from '../env.js';
import type { Log } from '../log.js';
import { NO_TRACING, type Tracing } from './tracing.js';

const endpoint = z
  .string()
  // Not repeated in the fault: it may hold a password.
  .regex(/^https?:\/\/[^/\s]+/, { error: 'must be an http:// or https:// URL', abort: true })
  .refine((value) => URL.canParse(value), { error: 'must be an http:// or https:// URL' })
  .optional();

/**
 * Settings of both services; whatever else begins with OTEL_ is read by OpenTelemetry's own packages, as its
 * specification says.
 */
export const tracingSettings = {
  /** Where spans go by OTLP/HTTP in JSON, to /v1/traces below it. Unset: nothing is exported, and nothing loaded for it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  /** The whole address, in its place. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
} as const;

/** `name`: the service's, where OTEL_SERVICE_NAME gives none. */
export async function openTracing(env: Environment, name: string, log: Log): Promise<Tracing> {
  const isWanted = Object.keys(tracingSettings).some((setting) => (env[setting] ?? '') !== '');
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  if (!isWanted || isOff) return NO_TRACING;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(env, name, log);
}
