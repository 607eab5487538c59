// The service under test: the one that runs outside and is named by the environment (CONFORMANCE_URL,
// CONFORMANCE_MANAGEMENT_URL, CONFORMANCE_MANAGEMENT_TOKEN; its sandbox open), else one of our own in this process, on a
// database of its own.
import { readPushServiceConfig } from '../../../../src/push-service/push-service.config.js';
import { createPushService } from '../../../../src/push-service/create-push-service.js';
import { SystemClock, type Clock } from '../../../../src/platform/clock.js';
import { createLog, type Log } from '../../../../src/platform/logging/log.js';
import type { Tracing } from '../../../../src/platform/tracing/tracing.js';
import { newMasterKey } from '../../../../src/platform/secrets/sealed.js';
import { cloneDatabase } from '../../../support/postgres/database.js';

export interface Target {
  readonly url: string;
  readonly managementUrl: string;
  readonly managementToken: string;
  /** Undefined for a service that the environment names. */
  readonly databaseUrl: string | undefined;
  /** Of one in this process. */
  readonly metricsUrl?: string;
  close(): Promise<void>;
}

const TOKEN = 'management-token-of-a-test';

/** Whether the environment names a service: what only our own can be put through is then left out. */
export const IS_OUTSIDE = process.env['CONFORMANCE_URL'] !== undefined;

/** What our own is given beside its settings. */
export interface OwnGiven {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly tracing?: Tracing;
}

/** Starts it, or finds it. `env` overrides the settings of our own. */
export async function startTarget(
  env: Readonly<Record<string, string>> = {},
  given: OwnGiven = {},
): Promise<Target> {
  if (!IS_OUTSIDE) return startOwn(env, given.clock, given);
  return {
    url: named('CONFORMANCE_URL').replace(/\/$/, ''),
    managementUrl: named('CONFORMANCE_MANAGEMENT_URL').replace(/\/$/, ''),
    managementToken: named('CONFORMANCE_MANAGEMENT_TOKEN'),
    databaseUrl: undefined,
    close: () => Promise.resolve(),
  };
}

function named(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === '') throw new Error(`${variable} goes with CONFORMANCE_URL`);
  return value;
}

/** One in this process, in the sandbox: on a database of its own, or as a replica on the one that `env` names. */
export async function startOwn(
  env: Readonly<Record<string, string>> = {},
  clock: Clock = new SystemClock(),
  more: Omit<OwnGiven, 'clock'> = {},
): Promise<Target> {
  const given = env['DATABASE_URL'];
  const database = given === undefined ? await cloneDatabase() : undefined;
  const service = await createPushService(
    readPushServiceConfig({
      DATABASE_URL: database?.url,
      PUSH_PORT: '0',
      MANAGEMENT_PORT: '0',
      PUSH_METRICS_PORT: '0',
      MANAGEMENT_TOKEN: TOKEN,
      CARILLON_MASTER_KEY: newMasterKey('test'),
      CARILLON_SANDBOX: 'true',
      PUSH_IDLE_MS: '100',
      PUSH_KEY_CACHE_MS: '5000',
      // Nobody listens there: no test reaches a provider but a peer of its own.
      PUSH_FCM_URL: 'https://127.0.0.1:9',
      PUSH_FCM_TOKEN_URL: 'https://127.0.0.1:9/token',
      PUSH_APNS_URL: 'https://127.0.0.1:9',
      PUSH_APNS_SANDBOX_URL: 'https://127.0.0.1:9',
      ...env,
    }),
    { clock, log: createLog('push-service', process.env['TEST_LOG_LEVEL'] ?? 'fatal'), ...more },
  );
  return {
    url: service.url,
    managementUrl: service.managementUrl,
    metricsUrl: service.metricsUrl,
    managementToken: TOKEN,
    databaseUrl: database?.url ?? given,
    close: async () => {
      await service.close();
      await database?.drop();
    },
  };
}
