import { describe, expect, it } from 'vitest';
import { SigningTimes } from './signing-times.js';

const KEY = 'access-key';

describe('the timestamp of a signature', () => {
  it('is the clock’s, and for the same body the first millisecond that is free', () => {
    const times = new SigningTimes();
    expect([100, 100, 100, 101].map((at) => times.take(KEY, 'body', at))).toEqual([100, 101, 102, 103]);
    expect(times.take(KEY, 'another body', 100)).toBe(100);
    expect(times.take('another key', 'body', 100)).toBe(100);
  });

  it('goes back with a clock that is corrected, and never repeats', () => {
    const times = new SigningTimes();
    expect(times.take(KEY, 'body', 5_000)).toBe(5_000);
    expect(times.take(KEY, 'body', 605_000)).toBe(605_000);
    expect(times.take(KEY, 'body', 5_000)).toBe(5_001);
    expect(times.take(KEY, 'body', 4_999)).toBe(4_999);
    expect(times.take(KEY, 'body', 4_999)).toBe(5_002);
  });

  it('never repeats, however often a body is signed in one millisecond', () => {
    const times = new SigningTimes();
    const taken = Array.from({ length: 1_000 }, (_, index) => times.take(KEY, 'body', 7_000 + (index % 3)));
    expect(new Set(taken).size).toBe(1_000);
  });

  it('is remembered over as many other bodies', () => {
    const times = new SigningTimes();
    times.take(KEY, 'body', 9_000);
    for (let index = 0; index < 20_000; index += 1) times.take(KEY, `another ${index}`, 9_000);
    expect(times.take(KEY, 'body', 9_000)).toBe(9_001);
  });
});
