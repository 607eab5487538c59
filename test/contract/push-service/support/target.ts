// The service under test: the one named by the environment (CONFORMANCE_URL, CONFORMANCE_MANAGEMENT_URL,
// CONFORMANCE_MANAGEMENT_TOKEN), else one of our own in this process, on a database of its own, in the sandbox.
import { readPushServiceConfig } from '../../../../src/push-service/push-service.config.js';
import { createPushService } from '../../../../src/push-service/create-push-service.js';
import { SystemClock } from '../../../../src/platform/clock.js';
import { createLog } from '../../../../src/platform/log.js';
import { newMasterKey } from '../../../../src/platform/sealed.js';
import { cloneDatabase } from '../../../support/database.js';

export interface Target {
  readonly url: string;
  readonly managementUrl: string;
  readonly managementToken: string;
  /** Undefined for a service that the environment names. */
  readonly databaseUrl: string | undefined;
  close(): Promise<void>;
}

const TOKEN = 'management-token-of-a-test';

/** Starts it, or finds it. `env` overrides the settings of our own. */
export async function startTarget(env: Readonly<Record<string, string>> = {}): Promise<Target> {
  const { CONFORMANCE_URL: url, CONFORMANCE_MANAGEMENT_URL: managementUrl } = process.env;
  if (url !== undefined && managementUrl !== undefined) {
    const managementToken = process.env['CONFORMANCE_MANAGEMENT_TOKEN'] ?? '';
    return { url, managementUrl, managementToken, databaseUrl: undefined, close: () => Promise.resolve() };
  }
  const database = await cloneDatabase();
  const service = await createPushService(
    readPushServiceConfig({
      DATABASE_URL: database.url,
      PUSH_PORT: '0',
      MANAGEMENT_PORT: '0',
      MANAGEMENT_TOKEN: TOKEN,
      CARILLON_MASTER_KEY: newMasterKey('test'),
      CARILLON_SANDBOX: 'true',
      PUSH_IDLE_MS: '100',
      PUSH_KEY_CACHE_MS: '5000',
      ...env,
    }),
    { clock: new SystemClock(), log: createLog('push-service', process.env['TEST_LOG_LEVEL'] ?? 'fatal') },
  );
  return {
    url: service.url,
    managementUrl: service.managementUrl,
    managementToken: TOKEN,
    databaseUrl: database.url,
    close: async () => {
      await service.close();
      await database.drop();
    },
  };
}
