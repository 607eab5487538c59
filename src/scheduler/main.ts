// Runs the scheduler as a process, configured by the environment. SIGTERM or SIGINT drains it and ends it with 0 within 15 s. A wrong
// configuration prints all faults and ends it with 2.
import { processEnvironment } from '../platform/env.js';
import { openTracing } from '../platform/tracing/open-tracing.js';
import { createLog } from '../platform/logging/log.js';
import { argumentsOrExit, configOrExit, runService } from '../platform/run-service.js';
import { createScheduler } from './create-scheduler.js';
import { readClock, readSchedulerConfig } from './scheduler.config.js';

argumentsOrExit({ name: 'scheduler', description: 'The scheduler' }, process.argv.slice(2));
const env = configOrExit(() => processEnvironment());
const config = configOrExit(() => readSchedulerConfig(env));
const log = createLog('scheduler', config.logLevel);
const clock = readClock(env);

await runService({
  log,
  name: 'the scheduler',
  open: async () =>
    createScheduler(config, { clock, log, tracing: await openTracing(env, 'carillon-scheduler', log) }),
  portKnob: (port) => (port === config.metrics.port ? 'METRICS_PORT' : 'SCHEDULER_PORT'),
  hostKnobs: 'SCHEDULER_HOST or METRICS_HOST',
});
