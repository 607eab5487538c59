// The knobs of the push service: faults in the scheduler's words.
import { expect, it } from 'vitest';
import { ConfigError } from '../platform/env.js';
import { readPushServiceConfig } from './push-service.config.js';

const usable = {
  DATABASE_URL: 'postgresql://127.0.0.1/carillon',
  CARILLON_MASTER_KEY: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  MANAGEMENT_TOKEN: 'x'.repeat(16),
};

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readPushServiceConfig({ ...usable, ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

it('takes PostgreSQL alone for its database', () => {
  expect(faultsOf({})).toEqual([]);
  expect(faultsOf({ DATABASE_URL: 'mysql://root@db/x' })).toEqual([
    'DATABASE_URL: must begin with postgresql://',
  ]);
});

it('says of a number what it may be', () => {
  expect(faultsOf({ PUSH_DELIVERY_WORKERS: 'x', PUSH_IDLE_MS: '5' })).toEqual([
    'PUSH_DELIVERY_WORKERS: must be a whole number from 1 to 64',
    'PUSH_IDLE_MS: must be a whole number from 20 to 10000',
  ]);
});

it('keeps messages for ever, or longer than it remembers their Idempotency-Keys', () => {
  const fault =
    'PUSH_MESSAGE_RETENTION_DAYS: must be 0, or more than the 30 days an Idempotency-Key is remembered for';
  expect(faultsOf({ PUSH_MESSAGE_RETENTION_DAYS: '0' })).toEqual([]);
  expect(faultsOf({ PUSH_MESSAGE_RETENTION_DAYS: '31' })).toEqual([]);
  expect(faultsOf({ PUSH_MESSAGE_RETENTION_DAYS: '30' })).toEqual([fault]);
});
