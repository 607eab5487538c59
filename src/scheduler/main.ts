// The scheduler as a process: everything from the environment. SIGTERM or SIGINT drains and ends with 0 within 15 s;
// a configuration that cannot be used prints every fault and ends with 2.
import { fastClock, SystemClock } from '../platform/clock.js';
import { ConfigError, processEnvironment } from '../platform/env.js';
import { createLog } from '../platform/log.js';
import { createScheduler } from './create-scheduler.js';
import { readSchedulerConfig, type SchedulerConfig } from './scheduler.config.js';

function configOrExit(): SchedulerConfig {
  try {
    return readSchedulerConfig(processEnvironment());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n.env.example lists every setting.\n`);
    return process.exit(2);
  }
}

/** A sentence that says what to do, for what can go wrong before the scheduler is up. */
function startFault(error: unknown, config: SchedulerConfig): string {
  const { code, port } = (error instanceof Error ? error : {}) as { code?: string; port?: number };
  if (code === 'EADDRINUSE') {
    const knob = port === config.metrics.port ? 'METRICS_PORT' : 'SCHEDULER_PORT';
    return `port ${port} is taken: end what listens there, or set ${knob} (0 takes a free one)`;
  }
  if (code === 'EADDRNOTAVAIL') return 'SCHEDULER_HOST or METRICS_HOST is not an address of this machine';
  return 'the scheduler could not start';
}

const config = configOrExit();
const log = createLog('scheduler', config.logLevel);
const clock = config.clock === undefined ? new SystemClock() : fastClock(config.clock);

try {
  const scheduler = await createScheduler(config, { clock, log });
  let signals = 0;
  const end = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) process.exit(1);
    log.info({ signal }, 'draining');
    scheduler.close().then(
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
