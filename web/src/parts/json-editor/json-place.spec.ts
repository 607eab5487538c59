import { expect, it } from 'vitest';
import { lineAt, placeOf } from './json-place.ts';

const TEXT = `{
  "delivery": { "at": "2027-03-01T09:00", "zone": "KST" },
  "audience": { "to": ["a", "b"] },
  "a/b": 1
}`;

it.each([
  ['/delivery/zone', '"KST"', 2],
  ['/audience/to/1', '"b"', 3],
  ['/a~1b', '1', 4],
  ['/delivery', '"delivery"', 2],
  ['/delivery/until', '"delivery"', 2],
  ['/nothing/of/it', '{', 1],
  ['', '{', 1],
])('%s stands at %s, line %s', (pointer, found, line) => {
  const { from, to } = placeOf(TEXT, pointer);
  expect([TEXT.slice(from, to), lineAt(TEXT, from)]).toEqual([found, line]);
});

it('finds what it can in a text that is not finished', () => {
  const text = '{ "delivery": { "zone": "KST"';
  expect(text.slice(placeOf(text, '/delivery/zone').from)).toBe('"KST"');
  expect(placeOf('', '/a')).toEqual({ from: 0, to: 0 });
});
