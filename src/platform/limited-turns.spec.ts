import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Turns, type TurnLimits } from './limited-turns.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const REST = { times: 3, mostMs: 1_000, clock: { elapsed: () => performance.now() } };
const busy = (): Error => new Error('busy');
const lasting = (ms: number) => (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it.each([
  ['three times as long as its work took', 100, 300],
  ['as long at most as it may', 5_000, 1_000],
])('rests before it is given on, %s; who had it is answered at once', async (_text, tookMs, rests) => {
  const turns = new Turns({ most: 1, waiting: 1, waitMs: 60_000, rest: REST }, busy);
  let first = false;
  let second = false;
  void turns.take(['shop'], lasting(tookMs)).then(() => (first = true));
  void turns.take(['shop'], async () => void (second = true));
  await vi.advanceTimersByTimeAsync(tookMs);
  expect([first, second]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(rests - 1);
  expect(second).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(second).toBe(true);
});

it('rests where the work fails, too, and is free for whoever comes after the rest', async () => {
  const turns = new Turns({ most: 1, waiting: 0, waitMs: 60_000, rest: REST }, busy);
  const failing = turns.take(['shop'], async () => {
    await lasting(10)();
    throw new Error('away');
  });
  const rejected = vi.fn();
  failing.catch(rejected);
  await vi.advanceTimersByTimeAsync(10);
  expect(rejected).toHaveBeenCalledWith(new Error('away'));
  await expect(turns.take(['shop'], async () => undefined)).rejects.toThrow('busy');
  await vi.advanceTimersByTimeAsync(30);
  expect(turns.isIdle).toBe(true);
  expect(await turns.take(['shop'], async () => 'answered')).toBe('answered');
});

it('does not rest without a setting', async () => {
  const turns = new Turns({ most: 1, waiting: 0, waitMs: 1 }, busy);
  await turns.take(['shop'], async () => undefined);
  expect(turns.isIdle).toBe(true);
});

/** The order in which they begin, each by its owner, where one after the other ends. */
async function begunBy(
  limits: Partial<TurnLimits>,
  owners: readonly (readonly string[])[],
): Promise<string[]> {
  const turns = new Turns({ most: 1, waiting: 100, waitMs: 60_000, ...limits }, busy);
  const begun: string[] = [];
  const all = owners.map((owner) =>
    turns.take(owner, async () => {
      begun.push(owner.join(' '));
      await lasting(10)();
    }),
  );
  await vi.advanceTimersByTimeAsync(owners.length * 10);
  await Promise.all(all);
  expect([turns.isIdle, turns.waiting]).toEqual([true, 0]);
  return begun;
}

describe('turns are given round robin', () => {
  it('by service, however much one of them has asked for before', async () => {
    const owners = [...Array.from({ length: 6 }, () => ['a']), ['b'], ['b'], ['c']];
    expect((await begunBy({}, owners)).join('')).toBe('abcabaaaa');
  });

  it('and within a service by token', async () => {
    const many = Array.from({ length: 4 }, () => ['a', '1']);
    const owners = [...many, ['a', '2'], ['b', '3'], ['b', '3']];
    expect(await begunBy({}, owners)).toEqual(['a 1', 'b 3', 'a 2', 'b 3', 'a 1', 'a 1', 'a 1']);
  });

  it('also to one that comes back each time with one thing more', async () => {
    const turns = new Turns({ most: 1, waiting: 100, waitMs: 60_000 }, busy);
    const begun: string[] = [];
    const one = (name: string) => (): Promise<void> => {
      begun.push(name);
      return lasting(10)();
    };
    const many = Array.from({ length: 4 }, () => turns.take(['a'], one('a')));
    const comesBack = async (name: string): Promise<void> => {
      for (let times = 0; times < 3; times += 1) await turns.take([name], one(name));
    };
    const all = [...many, comesBack('b'), comesBack('c')];
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(all);
    expect(begun.join('')).toBe('abcabcabca');
  });
});

describe('one owner', () => {
  it('never has more turns than one may have, though others are free', async () => {
    const turns = new Turns({ most: 3, mostOfOne: 2, waiting: 100, waitMs: 60_000 }, busy);
    const begun: string[] = [];
    const takes = (owner: string[]): Promise<void> =>
      turns.take(owner, async () => {
        begun.push(owner.join(' '));
        await lasting(1_000)();
      });
    const all = [takes(['a', '1']), takes(['a', '2']), takes(['a', '3']), takes(['b', '4'])];
    await vi.advanceTimersByTimeAsync(0);
    expect([begun, turns.waiting]).toEqual([['a 1', 'a 2', 'b 4'], 1]);
    await vi.advanceTimersByTimeAsync(2_000);
    await Promise.all(all);
  });

  it('has no more waiting than one may have: what it asks for beyond is refused as its own fault', async () => {
    const lack = vi.fn((which: string) => new Error(which));
    const turns = new Turns({ most: 1, waiting: 100, waitingOfOne: 2, waitMs: 60_000 }, lack);
    const takes = (...owner: string[]): Promise<void> => turns.take(owner, lasting(10));
    const all = [takes('a', '1'), takes('a', '1'), takes('a', '1'), takes('a', '2')];
    await expect(takes('a', '1')).rejects.toThrow('own');
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(all);
  });
});

describe('where too many wait', () => {
  it('the one is refused that has most waiting, not the one that comes', async () => {
    const lack = (which: string): Error => new Error(which);
    const turns = new Turns({ most: 1, waiting: 3, waitMs: 60_000 }, lack);
    const takes = (owner: string): Promise<string> =>
      turns.take([owner], lasting(10)).then(
        () => owner,
        (error: Error) => `${owner} ${error.message}`,
      );
    const all = ['a', 'a', 'a', 'a', 'b', 'c', 'd'].map(takes);
    await vi.advanceTimersByTimeAsync(100);
    // The first runs; of those that wait the last two of `a` make room, and then nobody has more than another.
    expect(await Promise.all(all)).toEqual(['a', 'a all', 'a all', 'a all', 'b', 'c', 'd']);
  });

  it('what goes on is never refused, and waits in its order', async () => {
    const turns = new Turns({ most: 1, waiting: 0, waitMs: 10 }, busy);
    const first = turns.take(['a'], lasting(1_000));
    const patient = turns.take(['b'], async () => 'in the end', true);
    await expect(turns.take(['c'], lasting(1))).rejects.toThrow('busy');
    await vi.advanceTimersByTimeAsync(1_000);
    await first;
    expect(await patient).toBe('in the end');
  });
});
