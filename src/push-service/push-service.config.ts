// The push service's settings. They are read once at the start, and all faults are listed at once.
import { messageOf } from '../platform/logging/error-code.js';
import { z } from 'zod';
import { port, postgresUrl, readConfig, secret, wholeNumber, type Environment } from '../platform/env.js';
import { fastClock } from '../platform/clock.js';
import { masterKey } from '../platform/secrets/sealed.js';
import { tracingSettings } from '../platform/tracing/open-tracing.js';
import { IDEMPOTENCY_KEY_LIFETIME_MS, IDEMPOTENCY_WAIT_MS } from '../push-contract/limits.js';

const flag = z
  .enum(['true', 'false', '1', '0'])
  .default('false')
  .transform((value) => value === 'true' || value === '1');

/** Keys are sent to these addresses, so they must use TLS. */
const httpsUrl = z.string().refine((value) => URL.canParse(value) && value.startsWith('https://'), {
  error: 'must be an https:// URL',
  abort: true,
});
const httpsOrigin = httpsUrl.refine(
  (value) => new URL(value).origin === value,
  'must be https://host or https://host:port, without a path',
);

const integer = (fallback: number, min: number, max: number) => wholeNumber(min, max).default(fallback);

export const PushServiceEnvironment = z.object({
  /** PostgreSQL; the service keeps to its own schema, `push`. Required. */
  DATABASE_URL: postgresUrl,
  /** The password for DATABASE_URL, which must then have none. Plain text, not percent-encoded. */
  DATABASE_PASSWORD: secret.optional(),
  /** Connections to PostgreSQL for requests. Default 10, 2 to 200. */
  PUSH_DATABASE_POOL: integer(10, 2, 200),
  /** Connections for firing and delivery. Requests never use them and never wait for them. Default 10, 2 to 200. */
  PUSH_DELIVERY_POOL: integer(10, 2, 200),
  /** Requests a second of an access key at a service, where management has set no rate. Default 1 000, 1 to 1 000 000. */
  PUSH_DEFAULT_RATE: integer(1_000, 1, 1_000_000),
  /** Where the interface listens. Default 127.0.0.1. */
  PUSH_HOST: z.string().default('127.0.0.1'),
  /** Default 3200; 0 takes a free port. */
  PUSH_PORT: port.default(3200),
  /** The management port. It listens on 127.0.0.1 alone. Default 3201; 0 takes a free port. */
  MANAGEMENT_PORT: port.default(3201),
  /** Where /metrics listens, without a token. Default 127.0.0.1. */
  PUSH_METRICS_HOST: z.string().default('127.0.0.1'),
  /** Default 9465; 0 takes a free port. */
  PUSH_METRICS_PORT: port.default(9465),
  /** The bearer token of the management API, at least 16 characters. Required. */
  MANAGEMENT_TOKEN: z.string().min(16, 'must have at least 16 characters').pipe(secret),
  /**
   * The key that seals secrets at rest: `id:base64` of 32 bytes; two, with a comma between, while one replaces the other.
   * Required.
   */
  CARILLON_MASTER_KEY: masterKey,
  /** Largest request body, bytes. Default 1 048 576 (1 MiB), 1 024 to 67 108 864. */
  PUSH_MAX_BODY_BYTES: integer(1_048_576, 1_024, 67_108_864),
  /** How long a whole request may take to arrive, milliseconds; then its connection ends. Default 30 000, 1 000 to 600 000. */
  PUSH_REQUEST_TIMEOUT_MS: integer(30_000, 1_000, 600_000),
  /**
   * The most connections to the interface, and as many to management. A further one is closed at once. Default 5 000, 10 to 100
   * 000.
   */
  PUSH_MAX_CONNECTIONS: integer(5_000, 10, 100_000),
  /**
   * The most connections of one address (IPv6: of one /64) to the interface. Behind a proxy all have its address. Default 1 250,
   * 1 to 100 000.
   */
  PUSH_MAX_CONNECTIONS_PER_ADDRESS: integer(1_250, 1, 100_000),
  /** For how long a key is remembered, milliseconds. A key that was disabled may work for as long. Default 5 000, 0 to 5 000. */
  PUSH_KEY_CACHE_MS: integer(5_000, 0, 5_000),
  /**
   * How long POST messages waits for the database, milliseconds; then it answers 504. It waits like that while another process
   * takes the same request. Default 10 000, 100 to 10 000.
   */
  PUSH_ACCEPT_TIMEOUT_MS: integer(IDEMPOTENCY_WAIT_MS, 100, IDEMPOTENCY_WAIT_MS),
  /** A reservation that cannot start for so long becomes STALE, seconds. Default 600, 60 to 86 400. */
  PUSH_FIRING_TIMEOUT_SECONDS: integer(600, 60, 86_400),
  /** How many workers claim and render chunks of devices. Open requests occupy no worker. Default 4, 1 to 64. */
  PUSH_DELIVERY_WORKERS: integer(4, 1, 64),
  /** Where FCM takes messages. Default: Google's. */
  PUSH_FCM_URL: httpsOrigin.default('https://fcm.googleapis.com'),
  /** Where the access tokens for FCM come from. Default: Google's. */
  PUSH_FCM_TOKEN_URL: httpsUrl.default('https://oauth2.googleapis.com/token'),
  /**
   * Messages a second of one project and process, once ramped up. Google allows 600 000 a minute. Default 9 000, 1 to 100 000.
   */
  PUSH_FCM_RATE: integer(9_000, 1, 100_000),
  /** Where APNs takes pushes, in its two environments. Default: Apple's; both listen on port 2197 as well. */
  PUSH_APNS_URL: httpsOrigin.default('https://api.push.apple.com'),
  PUSH_APNS_SANDBOX_URL: httpsOrigin.default('https://api.sandbox.push.apple.com'),
  /** PEM of the certificate authorities for providers, instead of Node's own list. Default: that list. */
  PUSH_PROVIDER_CA: z
    .string()
    .regex(/^-----BEGIN CERTIFICATE-----/, 'must be PEM')
    .optional(),
  /**
   * A device that is not handed over so long after its message was fired fails with TIMEOUT, hours: the provider was away, or the
   * credential was refused. Default 6, 1 to 72.
   */
  PUSH_DELIVERY_HOURS: integer(6, 1, 72),
  /**
   * After this time another process takes over a chunk whose process fell silent, milliseconds. Default 30 000, 1 000 to 600 000.
   */
  PUSH_LEASE_MS: integer(30_000, 1_000, 600_000),
  /**
   * For how long the outcome of each device is kept, days after the sending was complete. Results and breakdowns stay the same
   * afterwards. Default 90, 1 to 3 650.
   */
  PUSH_OUTCOME_RETENTION_DAYS: integer(90, 1, 3_650),
  /**
   * For how long messages are kept, days after they were final; then their results are 404. Default 400, 31 to 3 650, because an
   * Idempotency-Key is remembered for 30 days; 0: for ever.
   */
  PUSH_MESSAGE_RETENTION_DAYS: integer(400, 0, 3_650).refine(
    (days) => days === 0 || days > IDEMPOTENCY_KEY_LIFETIME_MS / 86_400_000,
    'must be 0, or more than the 30 days an Idempotency-Key is remembered for',
  ),
  /** The longest rest between two rounds that look for due work, milliseconds. Default 500, 20 to 10 000. */
  PUSH_IDLE_MS: integer(500, 20, 10_000),
  /** Accepts every token without a provider, and opens the routes for faults, deliveries and clock. Default false. */
  CARILLON_SANDBOX: flag,
  /**
   * `origin=<instant>,rate=<1..720>[,since=<instant>]`: a fast clock, in the sandbox only; give the scheduler the same. It shows
   * origin when the machine's clock shows since, by default at the start of the process. Default: the machine's clock.
   */
  CARILLON_CLOCK: z
    .string()
    .superRefine((value, context) => {
      try {
        fastClock(value);
      } catch (error) {
        context.addIssue({ code: 'custom', message: messageOf(error) });
      }
    })
    .optional(),
  /** Folder of compiled zone files to use instead of the newest that is found. Use the scheduler's, so that both agree. */
  TZDATA_DIR: z.string().optional(),
  /** trace, debug, info, warn or error. Default info. */
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
  ...tracingSettings,
});

export type PushServiceConfig = z.output<typeof PushServiceEnvironment>;
/** Injects the PushServiceConfig. */
export const PUSH_SERVICE_CONFIG = Symbol('PushServiceConfig');

const Checked = PushServiceEnvironment.refine(
  (config) => config.CARILLON_CLOCK === undefined || config.CARILLON_SANDBOX,
  {
    path: ['CARILLON_CLOCK'],
    message: 'is for the sandbox only; set CARILLON_SANDBOX=true or start with --sandbox',
  },
);

/** Reads the environment; `--sandbox` among the arguments is CARILLON_SANDBOX=true. Throws ConfigError. */
export function readPushServiceConfig(env: Environment, args: readonly string[] = []): PushServiceConfig {
  const given = args.includes('--sandbox') ? { ...env, CARILLON_SANDBOX: 'true' } : env;
  return readConfig(Checked, given);
}
