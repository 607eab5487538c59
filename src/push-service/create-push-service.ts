// Puts the push service together and starts it in the calling process: main.ts, a test, the demo. It starts without a database
// too: it then answers 503/500, and /health/ready shows it.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { CLOCK_WINDOW_MS } from '../push-contract/limits.js';
import { askBeforeBodies, httpLimits, type HttpLimits } from '../platform/http/http-limits.js';
import { collectNodeMetrics } from '../platform/http/metrics.js';
import { MonitoringServer } from '../platform/http/monitoring-server.js';
import { NestLog } from '../platform/logging/log.js';
import { answerFrameworkError } from '../platform/http/problem.filter.js';
import type { Core, Given } from './core.js';
import { createGateway } from './gateway/gateway.server.js';
import { PushErrorFilter } from './gateway/push-error.filter.js';
import { RateLimit } from './gateway/rate-limit.js';
import { addFaultHooks } from './management/fault.hooks.js';
import { ManagementGuard } from './management/management.guard.js';
import { managementOpenApi } from './management/management-openapi.js';
import { OpenApiController } from './management/openapi.controller.js';
import type { PushServiceConfig } from './push-service.config.js';
import { ManagementModule, PushServiceModule } from './push-service.module.js';
import { createStages } from './stages.js';

/** Open calls to providers, of loops and checks, are cut after this; real milliseconds. */
const PROVIDERS_CLOSE_MS = 500;

/** Rejects when a port is taken. Never rejects because the database is away. */
export async function createPushService(config: PushServiceConfig, given: Omit<Given, 'config'>) {
  const { deliveryEnded, ...core } = createStages({ config, ...given });
  const { log, loops, gate, listener, database, outages, providers, tracing, sandbox } = core;
  collectNodeMetrics(core.metrics);
  const app = await createInterface(core);
  const management = await createManagement(core);
  const monitoring = new MonitoringServer({ registry: core.metrics, health: core.health, log });

  const stop = async (): Promise<void> => {
    // The loops stop at once, so that they hand nothing more to a provider while requests end.
    await Promise.all([loops.stop().then(deliveryEnded), app.close()]);
    await management.close();
    await providers.close(PROVIDERS_CLOSE_MS);
    await monitoring.close();
    await listener.stop();
    await gate.stop();
    await database.destroy();
    outages.stop();
    await tracing.close();
  };
  let stopping: Promise<void> | undefined;
  /** Drains: takes no new connection, and finishes the requests and rounds that run. */
  const close = (): Promise<void> => (stopping ??= stop());

  try {
    // Waits for the first try, so that the service is ready at its start when the database is there.
    await gate.runOnce().catch(() => gate.start());
    await app.listen(config.PUSH_PORT, config.PUSH_HOST);
    await management.listen(config.MANAGEMENT_PORT, '127.0.0.1');
    const metricsUrl = await monitoring.listen(config.PUSH_METRICS_HOST, config.PUSH_METRICS_PORT);
    listener.start();
    const [url, managementUrl] = [await urlOf(app), await urlOf(management)];
    log.info({ url, managementUrl, metricsUrl, sandbox: sandbox !== undefined }, 'the push service is up');
    return { url, managementUrl, metricsUrl, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

function limitsOf({ config }: Core): HttpLimits {
  return {
    requestTimeoutMs: config.PUSH_REQUEST_TIMEOUT_MS,
    maxConnections: config.PUSH_MAX_CONNECTIONS,
    maxConnectionsPerAddress: config.PUSH_MAX_CONNECTIONS_PER_ADDRESS,
  };
}

async function createInterface(core: Core): Promise<NestFastifyApplication> {
  const { config, clock, log, tracing, sandbox, rate } = core;
  const gateway = createGateway({
    limits: limitsOf(core),
    maxBodyBytes: config.PUSH_MAX_BODY_BYTES,
    keys: core.accessCache,
    trace: core.refused,
    rateLimit: new RateLimit(core.doors, clock, config.PUSH_DEFAULT_RATE),
    clock,
    windowMs: CLOCK_WINDOW_MS * rate,
    filter: new PushErrorFilter(log),
    log,
    tracing,
  });
  if (sandbox !== undefined) addFaultHooks(gateway, sandbox.faults);
  return NestFactory.create<NestFastifyApplication>(
    PushServiceModule.with(core),
    new FastifyAdapter(gateway),
    { logger: new NestLog(log), abortOnError: false, bodyParser: false },
  );
}

/** The management API, on a port of its own. */
async function createManagement(core: Core): Promise<NestFastifyApplication> {
  const limits = limitsOf(core);
  const management = await NestFactory.create<NestFastifyApplication>(
    ManagementModule.with(core),
    new FastifyAdapter({
      ...httpLimits(limits),
      forceCloseConnections: 'idle',
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
        answerFrameworkError(error, request, reply),
    }),
    { logger: new NestLog(core.log), abortOnError: false },
  );
  const server = management.getHttpAdapter().getInstance();
  // It listens on 127.0.0.1 alone, so all callers have one address, and no limit for each address makes sense.
  server.server.maxConnections = limits.maxConnections;
  askBeforeBodies(server, (request) => management.get(ManagementGuard).authenticate(request));
  management.get(OpenApiController).makeManagement = () => managementOpenApi(management);
  return management;
}

async function urlOf(app: NestFastifyApplication): Promise<string> {
  return (await app.getUrl()).replace(/\/$/, '');
}
