import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shorten, shown } from './quote-value.js';

describe('a value as it is quoted', () => {
  it.each([
    ['a text', 'Asia/Soul', '"Asia/Soul"'],
    ['a text with quotes and new lines', 'a"\n', '"a\\"\\n"'],
    ['a number', 7, '7'],
    ['null', null, 'null'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['nothing', undefined, 'nothing'],
    ['what is no JSON', () => 0, 'nothing'],
    ['80 characters', 'x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['one more', 'x'.repeat(79), `"${'x'.repeat(78)}…`],
  ])('%s', (_what, value, text) => {
    expect(shown(value)).toBe(text);
  });

  it('is never longer than it may be, and is as it was where it fits', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 20 }), (text, length) => {
        const short = shorten(text, length);
        expect(short.length).toBe(Math.min(text.length, length));
        expect(short).toBe(text.length <= length ? text : `${text.slice(0, length - 1)}…`);
      }),
    );
  });
});
