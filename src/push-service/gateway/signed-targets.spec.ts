// The gateway's leniency against the vectors of other tools: only `path_decoded`, only where it is allowed.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sign } from '../../push-contract/signature.js';
import { otherTargets } from './signed-targets.js';

interface Vector {
  id: string;
  method: string;
  path: string;
  timestamp: string;
  accessKey: string;
  secretKey: string;
  signature: string;
  wrong: Record<string, string>;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../test/vectors/signature.json', import.meta.url), 'utf8'),
) as Vector[];

function accepted(vector: Vector): string[] {
  return [vector.path, ...otherTargets(vector.path)].map((rawTarget) =>
    sign({ ...vector, rawTarget }, vector.secretKey),
  );
}

describe('what may have been signed', () => {
  it('takes every right signature and path_decoded in 14 rows; no other mistake in any', () => {
    const taken = vectors.flatMap((vector) => {
      const ours = accepted(vector);
      expect(ours).toContain(vector.signature);
      return Object.entries(vector.wrong)
        .filter(([, signature]) => ours.includes(signature))
        .map(([mistake]) => mistake);
    });
    expect(taken).toEqual(Array.from({ length: 14 }, () => 'path_decoded'));
  });

  it.each([
    ['/a%3Ab', '/a:b'],
    ['/%EA%B3%B5?x=%3A', '/공?x=%3A'],
    ['/a%2Fb', '/a%2Fb'],
    ['/a%3Fb', '/a%3Fb'],
    ['/a%23b', '/a%23b'],
    ['/a%25b', '/a%25b'],
    ['/a%00b', '/a%00b'],
    ['/a%7Fb', '/a%7Fb'],
    ['/a%FFb', '/a%FFb'],
    ['/a%zzb', '/a%zzb'],
    ['/a%3Ab%2Fc', '/a%3Ab%2Fc'],
  ])('%s may be signed as %s', (raw, decoded) => {
    expect(otherTargets(raw)[1]).toBe(decoded);
  });

  it.each([
    ['/a%2bb', '/a%2Bb'],
    ['/a%2Db%2d%5F%7e%41', '/a-b-_~A'],
    ['/%ea%b3%b5?x=%3a%2D', '/%EA%B3%B5?x=%3A-'],
    ['/a%2Fb', '/a%2Fb'],
    ['/a%2fb', '/a%2Fb'],
    ['/a%25%32%64', '/a%252d'],
    ['/a/%2E%2e/b', '/a/../b'],
    ['/a/../b', '/a/../b'],
    ['/a%zzb%', '/a%zzb%'],
  ])('%s may be signed in its normal form %s', (raw, normal) => {
    expect(otherTargets(raw)[2]).toBe(normal);
  });

  it('takes a trailing ? for a target without a query only', () => {
    expect(otherTargets('/a')[0]).toBe('/a?');
    expect(otherTargets('/a?b')[0]).toBe('/a?b');
  });
});
