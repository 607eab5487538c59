// What a fault of a number in the environment says.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, port, readConfig, wholeNumber } from './env.js';

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
