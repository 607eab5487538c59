import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channel, everybody, users } from '../../../../test/support/planning/planning.js';
import type { Audience } from '../plan/campaign.js';
import { OverlapIndex } from './audience-overlap.js';

const meets = (one: Audience, other: Audience): boolean => {
  const index = new OverlapIndex<string>();
  index.add(one, 'one');
  return index.find(other) === 'one';
};
const all = (...country: string[]): Audience => ({ ...everybody, country });
const ids = (...country: string[]): Audience => ({ ...users('anna'), country });

describe('two audiences of one campaign (planning.md §2)', () => {
  const cases: [what: string, one: Audience, other: Audience, meet: boolean][] = [
    ['everybody, and everybody', all(), all(), true],
    ['everybody, and everybody of a country', all(), all('KR'), true],
    ['everybody of one country, and of another', all('KR'), all('JP'), false],
    ['everybody of countries of which one is in both', all('KR', 'JP'), all('JP', 'US'), true],
    ['everybody, and a channel', all(), channel('vip'), true],
    ['everybody of a country, and a channel of another', all('KR'), channel('vip', 'JP'), false],
    ['everybody of a country, and a channel of every country', all('KR'), channel('vip'), true],
    ['a channel, and the same', channel('vip'), channel('vip'), true],
    ['a channel, and another', channel('vip'), channel('new'), false],
    ['a channel of one country, and of another', channel('vip', 'KR'), channel('vip', 'JP'), false],
    ['a channel of a country, and of every country', channel('vip', 'KR'), channel('vip'), true],
    ['ids, and everybody', ids(), all(), true],
    ['ids, and a channel', ids(), channel('vip'), true],
    ['ids of a country, and a channel of another', ids('KR'), channel('vip', 'JP'), false],
    ['ids of a country, and everybody of it', ids('KR'), all('KR'), true],
    ['ids, and ids: repeats are left out instead', ids(), ids(), false],
  ];
  it.each(cases)('%s', (_what, one, other, meet) => {
    expect([meets(one, other), meets(other, one)]).toEqual([meet, meet]);
  });

  it('meet in any of several channels', () => {
    const several = (...to: string[]): Audience => ({ type: 'CHANNEL', to, deviceType: null, country: [] });
    expect(meets(several('a', 'b'), several('b', 'c'))).toBe(true);
    expect(meets(several('a', 'b'), several('c', 'd'))).toBe(false);
  });

  it('a channel called as a bucket is, or a country called as the key of all, is a name like any', () => {
    expect(meets(channel('ALL'), all('KR'))).toBe(true);
    for (const name of ['ALL', 'USER', 'anybody', 'CHANNEL or ALL', 'channel a'])
      expect(meets(channel(name), channel('a')), name).toBe(false);
  });

  it('name the first of many that was added', () => {
    const index = new OverlapIndex<number>();
    for (const [at, one] of [channel('a', 'KR'), channel('b'), channel('a', 'JP'), channel('a')].entries())
      index.add(one, at);
    expect(index.find(channel('a', 'JP'))).toBe(2);
    expect(index.find(channel('a', 'US'))).toBe(3);
    expect(index.find(channel('a'))).toBe(0);
    expect(index.find(channel('c'))).toBeUndefined();
  });
});

describe('over any audiences', () => {
  const names = fc.subarray(['a', 'b', 'c'], { minLength: 1 });
  const country = fc.subarray(['KR', 'JP', 'US']);
  const audience: fc.Arbitrary<Audience> = fc.oneof(
    country.map((of) => all(...of)),
    country.map((of) => ids(...of)),
    fc.tuple(names, country).map(([to, of]): Audience => ({
      type: 'CHANNEL',
      to,
      deviceType: null,
      country: of,
    })),
  );
  const disjoint = (one: readonly string[], other: readonly string[]): boolean =>
    !one.some((name) => other.includes(name));
  /** planning.md §2, pair by pair. */
  const overlap = (one: Audience, other: Audience): boolean => {
    if (one.type === 'USER' && other.type === 'USER') return false;
    const everywhere = one.country.length === 0 || other.country.length === 0;
    if (!everywhere && disjoint(one.country, other.country)) return false;
    return !(one.type === 'CHANNEL' && other.type === 'CHANNEL' && disjoint(one.to, other.to));
  };

  it('finds one exactly where comparing each pair does', () => {
    fc.assert(
      fc.property(fc.array(audience, { maxLength: 6 }), audience, (added, asked) => {
        const index = new OverlapIndex<Audience>();
        for (const one of added) index.add(one, one);
        const found = index.find(asked);
        expect(found !== undefined).toBe(added.some((one) => overlap(one, asked)));
        expect(found === undefined || overlap(found, asked)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
