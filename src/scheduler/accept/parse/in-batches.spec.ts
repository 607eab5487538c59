import { describe, expect, it } from 'vitest';
import { inBatches } from './in-batches.js';

describe('batches', () => {
  it.each<[what: string, bytes: number[], batches: number[][]]>([
    ['nothing', [], []],
    ['as many as are allowed', [1, 1, 1], [[1, 1, 1]]],
    ['one more than are allowed', [1, 1, 1, 1], [[1, 1, 1], [1]]],
    ['exactly as many bytes as are allowed', [6, 4], [[6, 4]]],
    ['a byte more than is allowed', [6, 5, 4], [[6], [5, 4]]],
    ['one that is too large by itself, between others', [1, 99, 1], [[1], [99], [1]]],
  ])('of %s, in order', (_, bytes, batches) => {
    const items = bytes.map((of) => ({ bytes: of }));
    const made = inBatches(items, { count: 3, bytes: 10 }, (item) => item.bytes);
    expect(made.map((batch) => batch.map((item) => item.bytes))).toEqual(batches);
  });
});
