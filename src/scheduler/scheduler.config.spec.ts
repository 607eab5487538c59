// The knobs: every fault at once, no secret in any message.
import { describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { ConfigError } from '../platform/env.js';
import { readSchedulerConfig } from './scheduler.config.js';

const KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const usable = { DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1/carillon', CARILLON_MASTER_KEY: KEY };

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readSchedulerConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('readSchedulerConfig', () => {
  it('needs a database and a master key, and nothing else', () => {
    expect(faultsOf({})).toEqual(['DATABASE_URL is required', 'CARILLON_MASTER_KEY is required']);
    const config = readSchedulerConfig(usable);
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, kafka: undefined, sandbox: false });
    expect(config.metrics.host).toBe('127.0.0.1');
    expect([...config.roles]).toEqual(['accept', 'plan', 'dispatch', 'follow', 'publish', 'api']);
  });

  it('counts an empty variable as not set', () => {
    expect(readSchedulerConfig({ ...usable, KAFKA_BROKERS: '', SCHEDULER_PORT: '' })).toMatchObject({
      kafka: undefined,
      port: 8080,
    });
  });

  it('lists every fault at once, those between two variables included', () => {
    const faults = faultsOf({
      DATABASE_URL: 'mysql://root@db/x',
      CARILLON_MASTER_KEY: 'short',
      CARILLON_ROLES: 'plan,cook',
      SCHEDULER_PORT: '70000',
      CLAIM_LEASE_SECONDS: 'long',
      CARILLON_CLOCK: 'origin=2027-01-01T00:00:00Z,rate=60',
      KAFKA_SASL_MECHANISM: 'plain',
    });
    const named = faults.map((fault) => /^[A-Z_]+/.exec(fault)?.[0]);
    expect(named).toEqual([
      'DATABASE_URL',
      'SCHEDULER_PORT',
      'CARILLON_MASTER_KEY',
      'CARILLON_ROLES',
      'CLAIM_LEASE_SECONDS',
      'CARILLON_CLOCK',
      'KAFKA_USERNAME',
    ]);
  });

  it('takes up after a crash what never left in 15 s, and doubts what was on the wire after 30', () => {
    expect(readSchedulerConfig(usable)).toMatchObject({ claim: { leaseMs: 15_000 }, fireLeaseMs: 30_000 });
    const own = { ...usable, CLAIM_LEASE_SECONDS: '20', FIRE_LEASE_SECONDS: '25' };
    expect(readSchedulerConfig(own)).toMatchObject({ claim: { leaseMs: 20_000 }, fireLeaseMs: 25_000 });
  });

  it('wants a claim to outlive its look-ahead, and what is on the wire a whole call', () => {
    const faults = (more: Record<string, string>) => faultsOf({ ...usable, ...more });
    expect(faults({ CLAIM_LEASE_SECONDS: '12', CLAIM_AHEAD_MS: '10999' })).toEqual([]);
    expect(faults({ CLAIM_LEASE_SECONDS: '12', CLAIM_AHEAD_MS: '11000' })).toEqual([
      'CLAIM_LEASE_SECONDS: must be more than CLAIM_AHEAD_MS and 1 s together (12000 ms); raise it or lower that',
    ]);
    expect(faults({ FIRE_LEASE_SECONDS: '12' })).toEqual([]);
    expect(faults({ FIRE_LEASE_SECONDS: '11' })).toEqual([
      'FIRE_LEASE_SECONDS: must be more than PUSH_TIMEOUT_MS and 1 s together (11000 ms); raise it or lower that',
    ]);
    // What is no number is told as that alone.
    expect(faults({ FIRE_LEASE_SECONDS: 'long' })).toEqual([
      'FIRE_LEASE_SECONDS: must be a whole number from 10 to 600',
    ]);
  });

  it('says of every number what it may be', () => {
    expect(faultsOf({ ...usable, CLAIM_BATCH: 'x' })).toEqual([
      'CLAIM_BATCH: must be a whole number from 1 to 10000',
    ]);
  });

  it('refuses a clock outside the sandbox, and a wrong one inside', () => {
    const clock = { ...usable, CARILLON_CLOCK: 'origin=2027-01-01T00:00:00Z,rate=60' };
    expect(faultsOf(clock)).toEqual([expect.stringContaining('sandbox only')]);
    expect(readSchedulerConfig({ ...clock, CARILLON_SANDBOX: 'true' }).clock).toBe(clock.CARILLON_CLOCK);
    expect(faultsOf({ ...usable, CARILLON_SANDBOX: 'true', CARILLON_CLOCK: 'origin=x,rate=721' })).toEqual([
      expect.stringContaining('CARILLON_CLOCK'),
    ]);
  });

  it('takes Kafka with its security', () => {
    const { kafka } = readSchedulerConfig({
      ...usable,
      KAFKA_BROKERS: 'a:9092, b:9092',
      KAFKA_TLS: 'true',
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_USERNAME: 'u',
      KAFKA_PASSWORD: 'sesame',
    });
    expect(kafka).toMatchObject({ brokers: ['a:9092', 'b:9092'], tls: true });
    expect(kafka?.sasl?.password.reveal()).toBe('sesame');
  });

  it('never shows a secret: not in a fault, not when the config is printed', () => {
    const wrong = {
      DATABASE_URL: 'http://u:hunter2@db',
      CARILLON_MASTER_KEY: `${KEY},${KEY}`,
      KAFKA_PASSWORD: 'sesame',
    };
    const faults = faultsOf(wrong).join('\n');
    const config = readSchedulerConfig({ ...usable, KAFKA_BROKERS: 'a:1' });
    const printed = `${inspect(config, { depth: 9 })} ${JSON.stringify(config)}`;
    for (const secret of ['hunter2', 'sesame', KEY]) {
      expect(faults).not.toContain(secret);
      expect(printed).not.toContain(secret);
    }
  });
});
