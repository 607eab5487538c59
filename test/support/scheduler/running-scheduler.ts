// A scheduler in the test's own process, on a database of its own and free ports; and tokens to call it with.
import { randomBytes } from 'node:crypto';
import { SystemClock, type Clock } from '../../../src/platform/clock.js';
import { createLog, type Log } from '../../../src/platform/logging/log.js';
import type { Tracing } from '../../../src/platform/tracing/tracing.js';
import { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import type { Role } from '../../../src/scheduler/admin/auth/caller.js';
import { createScheduler, type Scheduler } from '../../../src/scheduler/create-scheduler.js';
import { readSchedulerConfig, type SchedulerConfig } from '../../../src/scheduler/scheduler.config.js';

/** A configuration that needs nothing but the database; `more` are further environment variables. */
export function schedulerConfig(databaseUrl: string, more: Record<string, string> = {}): SchedulerConfig {
  return readSchedulerConfig({
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '4',
    CARILLON_MASTER_KEY: aMasterKey(),
    SCHEDULER_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    // A thread that reads TypeScript starts slowly on a busy machine.
    WORKER_SECONDS: '60',
    ...more,
  });
}

export const aMasterKey = (): string => `test:${randomBytes(32).toString('base64')}`;

export interface TestScheduler extends Scheduler {
  readonly dataSource: PooledDatabase;
  /** Makes a token and returns the value of an Authorization header. */
  bearer(roles: readonly Role[], serviceIds?: readonly string[]): Promise<string>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  authorization?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
}

export async function startScheduler(
  config: SchedulerConfig,
  {
    clock = new SystemClock(),
    log = createLog('scheduler', 'silent'),
    ...given
  }: { clock?: Clock; log?: Log; wall?: () => number; machine?: string; tracing?: Tracing } = {},
): Promise<TestScheduler> {
  const scheduler = await createScheduler(config, { clock, log, ...given });
  const dataSource = scheduler.internals.database;
  const tokens = scheduler.internals.tokens;
  return {
    ...scheduler,
    dataSource,
    bearer: async (roles, serviceIds = ['*']) => {
      const expiresAt = new Date(clock.now() + 3_600_000);
      const made = await tokens.create(dataSource, {
        name: `${roles.join('+')}-${randomBytes(4).toString('hex')}`,
        roles,
        serviceIds,
        sources: serviceIds.includes('*') ? [] : ['/*'],
        expiresAt,
      });
      if (made === undefined) throw new Error('the name is taken');
      return `Bearer ${made.token}`;
    },
    call: (method, path, options) => callJson(`${scheduler.url}${path}`, method, options),
  };
}

function asSent(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

export async function callJson(
  url: string,
  method: string,
  { authorization, body, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: asSent(body) }),
  });
  // A stream has no end.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await response.text();
  if (isStream) await response.body?.cancel();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}
