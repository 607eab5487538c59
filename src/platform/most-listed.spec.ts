import { describe, expect, it } from 'vitest';
import { MOST_LISTED, mostListed, restOf } from './most-listed.js';

const problems = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ pointer: `/${index}`, code: 'WRONG', text: 'is wrong' }));

describe('a list of problems', () => {
  it('that is short stays as it is', () => {
    expect(mostListed(problems(MOST_LISTED))).toEqual(problems(MOST_LISTED));
    expect(mostListed([])).toEqual([]);
  });

  it('ends with how many more there are', () => {
    expect(mostListed(problems(80_000))).toEqual([
      ...problems(50),
      { pointer: '', code: 'MORE', text: 'and 79950 more' },
    ]);
  });

  it('counts what was left out before, wherever that stands', () => {
    expect(mostListed([...problems(40), restOf(7), ...problems(20)], 45)).toEqual([
      ...problems(40),
      ...problems(5),
      restOf(22),
    ]);
    expect(mostListed([...problems(2), restOf(3)])).toEqual([...problems(2), restOf(3)]);
  });
});
