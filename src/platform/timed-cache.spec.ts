// Entries grow old by real time, absences included, and never outnumber the bound.
import { describe, expect, it } from 'vitest';
import { SteppedClock } from './clock.js';
import { TimedCache } from './timed-cache.js';

/** A clock whose real hand is set by the test. */
class HandClock extends SteppedClock {
  elapsedMs = 0;
  override elapsed(): number {
    return this.elapsedMs;
  }
}

function newCache(max = 10) {
  const clock = new HandClock('2027-01-01T00:00:00Z');
  return { clock, cache: new TimedCache<string | undefined>({ ttlMs: 5_000, max, clock }) };
}

describe('TimedCache', () => {
  it('loads once for all who ask within a life, and again after it', async () => {
    const { clock, cache } = newCache();
    let loads = 0;
    const load = async () => `value ${(loads += 1)}`;
    expect(await Promise.all([cache.get('a', load), cache.get('a', load)])).toEqual(['value 1', 'value 1']);
    clock.elapsedMs = 4_999;
    expect(await cache.get('a', load)).toBe('value 1');
    clock.elapsedMs = 5_000;
    expect(await cache.get('a', load)).toBe('value 2');
  });

  it('remembers that there is none', async () => {
    const { cache } = newCache();
    let loads = 0;
    const load = async () => {
      loads += 1;
      return undefined;
    };
    await cache.get('nobody', load);
    await cache.get('nobody', load);
    expect(loads).toBe(1);
  });

  it('loads many at once, only those it does not hold', async () => {
    const { cache } = newCache();
    const asked: (readonly string[])[] = [];
    const load = async (missing: readonly string[]) => {
      asked.push(missing);
      return new Map(missing.filter((key) => key !== 'x').map((key) => [key, `of ${key}`] as const));
    };
    await cache.getMany(['a', 'x', 'a'], load, undefined);
    const second = await cache.getMany(['a', 'b', 'x'], load, undefined);
    expect(asked).toEqual([['a', 'x'], ['b']]);
    expect([...second]).toEqual([
      ['a', 'of a'],
      ['b', 'of b'],
      ['x', undefined],
    ]);
  });

  it('keeps no failure', async () => {
    const { cache } = newCache();
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.get('a', async () => 'back')).toBe('back');
    await expect(cache.getMany(['b'], () => Promise.reject(new Error('away')), undefined)).rejects.toThrow(
      'away',
    );
    expect((await cache.getMany(['b'], async () => new Map([['b', 'back']]), undefined)).get('b')).toBe(
      'back',
    );
  });

  it('keeps what was found apart from what was not', async () => {
    const { cache } = newCache(2);
    await cache.get('found', async () => 'old');
    for (const key of ['x', 'y', 'z']) await cache.get(key, async () => undefined);
    expect(await cache.get('found', async () => 'new')).toBe('old');
    expect(await cache.get('x', async () => 'new')).toBe('new');
  });

  it('remembers nothing whose load began before it was forgotten', async () => {
    const { cache } = newCache();
    let loaded = (_value: string): void => undefined;
    const before = cache.get('a', () => new Promise<string>((resolve) => (loaded = resolve)));
    cache.clear();
    loaded('before');
    expect(await before).toBe('before');
    expect(await cache.get('a', async () => 'after')).toBe('after');
  });

  it('lets the oldest go beyond its bound', async () => {
    const { cache } = newCache(2);
    for (const key of ['a', 'b', 'c']) await cache.get(key, async () => `old ${key}`);
    expect(await cache.get('c', async () => 'new')).toBe('old c');
    expect(await cache.get('a', async () => 'new')).toBe('new');
  });
});
