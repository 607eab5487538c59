// Decides by the environment whether spans are exported. Only then it loads OpenTelemetry. No other file loads it.
import { z } from 'zod';
import type { Environment } from '../env.js';
import type { Log } from '../logging/log.js';
import { NO_TRACING, type Tracing } from './tracing.js';

const endpoint = z
  .string()
  // The message does not repeat the value, because that may contain a password.
  .regex(/^https?:\/\/[^/\s]+/, { error: 'must be an http:// or https:// URL', abort: true })
  .refine((value) => URL.canParse(value), { error: 'must be an http:// or https:// URL' })
  .optional();

/**
 * Settings of both services. OpenTelemetry's own packages read all other variables that begin with OTEL_, as its specification
 * says.
 */
export const tracingSettings = {
  /**
   * Where spans go, by OTLP/HTTP in JSON, to /v1/traces below this address. Unset: nothing is exported, and nothing is loaded for
   * it.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  /** The full address, instead of the one above. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
} as const;

/** `name`: the service's name, unless OTEL_SERVICE_NAME gives one. */
export async function openTracing(env: Environment, name: string, log: Log): Promise<Tracing> {
  const isWanted = Object.keys(tracingSettings).some((setting) => (env[setting] ?? '') !== '');
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  if (!isWanted || isOff) return NO_TRACING;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(env, name, log);
}
