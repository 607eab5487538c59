// .env.example against the two services' configurations: the same names, the same defaults.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/env.js';
import { PushServiceEnvironment } from '../../src/push-service/push-service.config.js';
import { schedulerEnvironment } from '../../src/scheduler/scheduler.config.js';

const LINE = /^(# )?([A-Z][A-Z0-9_]*)=(.*)$/;
const lines = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, comment, name = '', value = ''] = LINE.exec(line) ?? [];
    return name === '' ? [] : [{ name, value, isDefault: comment !== undefined }];
  });

/** What any configuration needs, so that the rest can be left out. */
const required = {
  DATABASE_URL: 'postgresql://127.0.0.1/x',
  CARILLON_MASTER_KEY: `k:${Buffer.alloc(32).toString('base64')}`,
  MANAGEMENT_TOKEN: 'x'.repeat(16),
};

describe.each([
  ['the scheduler', schedulerEnvironment],
  ['the push service', PushServiceEnvironment],
])('.env.example, for %s', (_, schema) => {
  const names = Object.keys(schema.shape);

  it('names every setting', () => {
    expect(names.filter((name) => !lines.some((line) => line.name === name))).toEqual([]);
  });

  it('shows the defaults that hold', () => {
    const shown = lines.filter(
      ({ name, value, isDefault }) => isDefault && value !== '' && names.includes(name),
    );
    expect(shown.length).toBeGreaterThan(5);
    const asShown = schema.parse({
      ...required,
      ...Object.fromEntries(shown.map(({ name, value }) => [name, value])),
    });
    const asDefault = schema.parse(required);
    for (const { name } of shown)
      expect([name, Reflect.get(asShown, name)]).toEqual([name, Reflect.get(asDefault, name)]);
  });

  it('leaves a commented line empty only where there is no default', () => {
    const empty = lines.filter(
      ({ name, value, isDefault }) => isDefault && value === '' && names.includes(name),
    );
    const asDefault = schema.parse(required);
    for (const { name } of empty) expect([name, Reflect.get(asDefault, name)]).toEqual([name, undefined]);
  });

  it('leaves uncommented exactly what is required', () => {
    const uncommented = lines.filter(({ name, isDefault }) => !isDefault && names.includes(name));
    const needed = names.filter((name) => !Reflect.get(schema.shape, name).safeParse(undefined).success);
    expect(uncommented.map(({ name }) => name).toSorted()).toEqual(needed.toSorted());
  });
});

describe('.env.example, as it is', () => {
  it('is taken by either service beside the other, once what is required is filled in', () => {
    const given = { ...Object.fromEntries(lines.map(({ name }) => [name, ''])), ...required };
    for (const schema of [schedulerEnvironment, PushServiceEnvironment]) {
      // No setting of one is nearly one of the other's.
      expect(readConfig(schema, given)).toBeDefined();
    }
  });
});

describe('.env.example', () => {
  it('names nothing that neither service nor command reads, and nothing twice', () => {
    const known = new Set([
      ...Object.keys(schedulerEnvironment.shape),
      ...Object.keys(PushServiceEnvironment.shape),
      // Of the carillon-push command (src/cli/shell/management-client.ts).
      'MANAGEMENT_URL',
    ]);
    expect(lines.filter(({ name }) => !known.has(name))).toEqual([]);
    expect(new Set(lines.map(({ name }) => name)).size).toBe(lines.length);
  });
});
