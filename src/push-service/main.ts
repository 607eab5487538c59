// The push service as a process. It reads everything from the environment. SIGTERM or SIGINT makes it drain and end with 0 within
// 15 s. For a configuration that cannot be used it prints every fault and ends with 2.
import { fastClock, SystemClock } from '../platform/clock.js';
import { processEnvironment } from '../platform/env.js';
import { openTracing } from '../platform/tracing/open-tracing.js';
import { createLog } from '../platform/logging/log.js';
import { argumentsOrExit, configOrExit, runService } from '../platform/run-service.js';
import { createPushService } from './create-push-service.js';
import { readPushServiceConfig } from './push-service.config.js';

const args = argumentsOrExit(
  {
    name: 'push-service',
    description: 'The push service',
    flags: [{ flag: '--sandbox', does: 'take every token without a provider: CARILLON_SANDBOX=true' }],
  },
  process.argv.slice(2),
);
const env = configOrExit(() => processEnvironment());
const config = configOrExit(() => readPushServiceConfig(env, args));
const log = createLog('push-service', config.LOG_LEVEL);
const fast = config.CARILLON_CLOCK;
const clock = fast === undefined ? new SystemClock() : fastClock(fast);

await runService({
  log,
  name: 'the push service',
  open: async () => {
    const tracing = await openTracing(env, 'carillon-push-service', log);
    return createPushService(config, { clock, log, rate: clock.rate, tracing });
  },
  portKnob: (port) =>
    port === config.MANAGEMENT_PORT
      ? 'MANAGEMENT_PORT'
      : port === config.PUSH_METRICS_PORT
        ? 'PUSH_METRICS_PORT'
        : 'PUSH_PORT',
  hostKnobs: 'PUSH_HOST or PUSH_METRICS_HOST',
  // What has not ended by then is left as it is: another process takes over a chunk in flight when its lease is over.
  drainMs: 13_000,
});
