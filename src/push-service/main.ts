// The push service as a process: everything from the environment. SIGTERM or SIGINT drains and ends with 0 within 15 s;
// a configuration that cannot be used prints every fault and ends with 2.
import { fastClock, SystemClock } from '../platform/clock.js';
import { ConfigError, processEnvironment } from '../platform/env.js';
import { createLog } from '../platform/log.js';
import { createPushService } from './create-push-service.js';
import { readPushServiceConfig, type PushServiceConfig } from './push-service.config.js';

/** What does not end by then is left: a chunk in flight is taken over by its lease. */
const DRAIN_MS = 13_000;

function configOrExit(): PushServiceConfig {
  try {
    return readPushServiceConfig(processEnvironment(), process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n.env.example lists every setting.\n`);
    return process.exit(2);
  }
}

/** A sentence that says what to do, for what can go wrong before the service is up. */
function startFault(error: unknown, config: PushServiceConfig): string {
  const { code, port } = (error instanceof Error ? error : {}) as { code?: string; port?: number };
  if (code === 'EADDRINUSE') {
    const knob = port === config.MANAGEMENT_PORT ? 'MANAGEMENT_PORT' : 'PUSH_PORT';
    return `port ${port} is taken: end what listens there, or set ${knob} (0 takes a free one)`;
  }
  if (code === 'EADDRNOTAVAIL') return 'PUSH_HOST is not an address of this machine';
  return 'the push service could not start';
}

const config = configOrExit();
const log = createLog('push-service', config.LOG_LEVEL);
const fast = config.CARILLON_CLOCK;
const clock = fast === undefined ? new SystemClock() : fastClock(fast);
const rate = Number(/rate=([\d.]+)$/.exec(fast ?? '')?.[1] ?? 1);

try {
  const service = await createPushService(config, { clock, log, rate });
  let signals = 0;
  const end = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) process.exit(1);
    log.info({ signal }, 'draining');
    setTimeout(() => {
      log.warn('the drain took too long; what still ran is left to its leases');
      process.exit(0);
    }, DRAIN_MS).unref();
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the drain failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
} catch (error) {
  log.fatal({ err: error }, startFault(error, config));
  process.exit(1);
}
