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

  it('lists all faults at once, including those between two variables', () => {
    const faults = faultsOf({
      DATABASE_URL: 'mysql://root@db/x',
      CARILLON_MASTER_KEY: 'short',
      CARILLON_ROLES: 'plan,cook',
      SCHEDULER_PORT: '70000',
      LOOK_AHEAD_MS: 'long',
      CARILLON_CLOCK: 'origin=2027-01-01T00:00:00Z,rate=60',
      KAFKA_SASL_MECHANISM: 'plain',
    });
    const named = faults.map((fault) => /^[A-Z_]+/.exec(fault)?.[0]);
    expect(named).toEqual([
      'DATABASE_URL',
      'SCHEDULER_PORT',
      'CARILLON_MASTER_KEY',
      'CARILLON_ROLES',
      'LOOK_AHEAD_MS',
      'CARILLON_CLOCK',
      'KAFKA_USERNAME',
    ]);
  });

  it('looks two seconds ahead, and takes a process for dead that writes no heartbeat for 15 seconds', () => {
    expect(readSchedulerConfig(usable)).toMatchObject({
      lookAhead: { ms: 2_000, batch: 500 },
      replicaSilentMs: 15_000,
      replayMs: 60_000,
    });
    const own = { ...usable, LOOK_AHEAD_MS: '500', LOOK_AHEAD_BATCH: '50', REPLICA_SILENT_SECONDS: '25' };
    expect(readSchedulerConfig(own)).toMatchObject({
      lookAhead: { ms: 500, batch: 50 },
      replicaSilentMs: 25_000,
    });
  });

  it('names the bounds of a number that is wrong', () => {
    expect(faultsOf({ ...usable, LOOK_AHEAD_BATCH: 'x' })).toEqual([
      'LOOK_AHEAD_BATCH: must be a whole number from 1 to 10000',
    ]);
  });

  it('shows the form of brokers, and suggests a setting for one that is misspelt', () => {
    const wrong = {
      KAFKA_BROKERS: 'localhost',
      CARILLON_ROLE: 'plan',
      SCHEDULER_PROT: '80',
      PUSH_PORT: '3200',
    };
    expect(faultsOf({ ...usable, ...wrong })).toEqual([
      'KAFKA_BROKERS: must be host:port, several with commas between: kafka-1:9092,kafka-2:9092',
      'CARILLON_ROLE: there is no such setting; CARILLON_ROLES?',
      'SCHEDULER_PROT: there is no such setting; SCHEDULER_PORT?',
    ]);
    const brokers = ['[::1]:9092', '10.0.0.1:9092'];
    expect(readSchedulerConfig({ ...usable, KAFKA_BROKERS: brokers.join() }).kafka?.brokers).toEqual(brokers);
  });

  it('refuses a clock outside the sandbox, and a wrong one inside', () => {
    const clock = { ...usable, CARILLON_CLOCK: 'origin=2027-01-01T00:00:00Z,rate=60' };
    expect(faultsOf(clock)).toEqual([expect.stringContaining('sandbox only')]);
    expect(readSchedulerConfig({ ...clock, CARILLON_SANDBOX: 'true' }).clock).toBe(clock.CARILLON_CLOCK);
    expect(faultsOf({ ...usable, CARILLON_SANDBOX: 'true', CARILLON_CLOCK: 'origin=x,rate=721' })).toEqual([
      expect.stringContaining('CARILLON_CLOCK'),
    ]);
  });

  it('reads the security settings of Kafka', () => {
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

  it('takes KAFKA_CA with TLS, and refuses it without', () => {
    const KAFKA_CA = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----';
    const given = { ...usable, KAFKA_BROKERS: 'a:9092', KAFKA_CA };
    expect(readSchedulerConfig({ ...given, KAFKA_TLS: 'true' }).kafka?.ca).toBe(KAFKA_CA);
    expect(faultsOf(given)).toEqual([expect.stringMatching(/^KAFKA_CA: needs KAFKA_TLS=true/)]);
    expect(faultsOf({ ...given, KAFKA_TLS: 'true', KAFKA_CA: 'ca.pem' })).toEqual(['KAFKA_CA: must be PEM']);
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
