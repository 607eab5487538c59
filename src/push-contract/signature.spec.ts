// push-interface.md §5 against vectors made by other tools; the gateway's own leniency is tested beside the gateway.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sign, stringToSign } from './signature.js';

interface Vector {
  id: string;
  method: string;
  path: string;
  timestamp: string;
  accessKey: string;
  secretKey: string;
  stringToSign: string;
  signature: string;
  wrong: Record<string, string>;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../test/vectors/signature.json', import.meta.url), 'utf8'),
) as Vector[];

describe('push-interface.md §5 the signature', () => {
  it('has vectors to be checked against', () => {
    expect(vectors.length).toBe(60);
    expect(vectors.flatMap((vector) => Object.keys(vector.wrong)).length).toBeGreaterThan(900);
  });

  it.each(vectors)('$id $method builds the string to sign and its signature', (vector) => {
    const input = { ...vector, rawTarget: vector.path };
    expect(stringToSign(input)).toBe(vector.stringToSign);
    expect(sign(input, vector.secretKey)).toBe(vector.signature);
  });

  it.each(vectors)('$id equals none of the common mistakes', (vector) => {
    const ours = sign({ ...vector, rawTarget: vector.path }, vector.secretKey);
    expect(Object.values(vector.wrong)).not.toContain(ours);
  });
});
