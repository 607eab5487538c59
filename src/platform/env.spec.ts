// What the environment may hold, and what a fault of it says.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ConfigError,
  databasePlace,
  port,
  postgresUrl,
  processEnvironment,
  readConfig,
  wholeNumber,
} from './env.js';

const schema = z.object({ BATCH: wholeNumber(1, 10_000).prefault('500'), PORT: port.optional() });

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(schema, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('wholeNumber', () => {
  it('takes what it says, and its default', () => {
    expect(readConfig(schema, { BATCH: '10000', PORT: '0' })).toEqual({ BATCH: 10_000, PORT: 0 });
    expect(readConfig(schema, {})).toEqual({ BATCH: 500 });
  });

  it.each(['x', '0', '10001', '1.5', '-1', 'Infinity'])('refuses %s in one sentence', (BATCH) => {
    expect(faultsOf({ BATCH })).toEqual(['BATCH: must be a whole number from 1 to 10000']);
  });

  it('is what a port is', () => {
    expect(faultsOf({ PORT: '70000' })).toEqual(['PORT: must be a whole number from 0 to 65535']);
  });
});

function faultsIn(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('a setting that is misspelt', () => {
  it.each([
    ['BATHC', undefined],
    ['MY_PROT', 'MY_PORT'],
    ['MY_PORTS', 'MY_PORT'],
    ['MY_PORT_FILE', undefined],
    ['MY_PART', 'MY_PORT'],
    // Two letters off are another word.
    ['MY_PATH', undefined],
    ['YOUR_HOST', undefined],
  ])('%s is met with the name of %s', (given, meant) => {
    const names = z.object({ BATCH: port.optional(), MY_PORT: port.optional() });
    const faults = faultsIn(() => readConfig(names, { [given]: '1' }));
    expect(faults).toEqual(meant === undefined ? [] : [`${given}: there is no such setting; ${meant}?`]);
  });
});

describe('a secret in a file', () => {
  it('is read without its line end, and its faults name the file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-env-'));
    try {
      const file = join(folder, 'password');
      writeFileSync(file, 'p@ss / word\n');
      expect(processEnvironment({ KAFKA_PASSWORD_FILE: file, OTHER_FILE: file })).toMatchObject({
        KAFKA_PASSWORD: 'p@ss / word',
        OTHER_FILE: file,
      });
      writeFileSync(file, '\uFEFFp@ss / word\r\n');
      expect(processEnvironment({ KAFKA_PASSWORD_FILE: file })).toMatchObject({
        KAFKA_PASSWORD: 'p@ss / word',
      });
      const korean = join(folder, 'korean');
      writeFileSync(korean, Buffer.from('bec8b3e7', 'hex'));
      expect(faultsIn(() => processEnvironment({ KAFKA_PASSWORD_FILE: korean }))).toEqual([
        `KAFKA_PASSWORD_FILE: ${korean} is not UTF-8 (it may be CP949, or another encoding of Windows): save it as UTF-8`,
      ]);
      const missing = join(folder, 'missing');
      expect(
        faultsIn(() =>
          processEnvironment({
            KAFKA_PASSWORD_FILE: missing,
            MANAGEMENT_TOKEN_FILE: file,
            MANAGEMENT_TOKEN: 'x',
          }),
        ),
      ).toEqual([
        `KAFKA_PASSWORD_FILE: ${missing} cannot be read (ENOENT)`,
        'MANAGEMENT_TOKEN and MANAGEMENT_TOKEN_FILE are both set: leave one out',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('DATABASE_URL', () => {
  const of = (env: Record<string, string>) =>
    readConfig(z.object({ DATABASE_URL: postgresUrl }), env).DATABASE_URL.reveal();

  it('takes any password from DATABASE_PASSWORD', () => {
    const DATABASE_PASSWORD = `a b/@:?#%25'"ü`;
    const { password, host } = new URL(of({ DATABASE_URL: 'postgresql://u@db:1/x', DATABASE_PASSWORD }));
    expect([decodeURIComponent(password), host]).toEqual([DATABASE_PASSWORD, 'db:1']);
  });

  it('is refused where it is none, and what it holds stays unsaid', () => {
    const faults = faultsIn(() => of({ DATABASE_URL: 'postgresql://u:hunter2@db:port/x' }));
    expect(faults).toEqual([expect.stringMatching(/^DATABASE_URL: is no URL/)]);
    expect(faults.join()).not.toContain('hunter2');
  });

  it.each([
    ['postgresql://u:hunter2@db.test:6543/shop?sslmode=require', 'db.test:6543/shop'],
    ['postgresql://u:hunter2@[::1]/shop', '[::1]/shop'],
    ['postgresql:///shop?host=/run/postgresql', '/run/postgresql/shop'],
  ])('%s is shown as the place it names', (url, place) => {
    expect(databasePlace(url)).toBe(place);
  });
});
