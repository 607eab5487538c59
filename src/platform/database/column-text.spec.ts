import { describe, expect, it } from 'vitest';
import { arraysOf, type Column } from './column-text.js';

interface Row {
  readonly name: string | null;
  readonly ids: string | null;
}
const columns: readonly Column<Row>[] = [
  { name: 'name', type: 'text', of: (row) => row.name },
  { name: 'ids', type: 'text', of: (row) => row.ids, foreign: true },
];

describe('columns as texts', () => {
  it('joins a column into one parameter, and leaves a foreign one to the driver', () => {
    const { arrays, parameters } = arraysOf(columns, [
      { name: 'a', ids: '{"x\u001Fy"}' },
      { name: null, ids: null },
    ]);
    expect(arrays).toEqual([String.raw`string_to_array($1, E'\x1f', E'\x1a')::text[]`, '$2::text[]']);
    expect(parameters).toEqual(['a\u001F\u001A', ['{"x\u001Fy"}', null]]);
  });

  it('refuses a value that would be split in two, instead of moving all that follow by one row', () => {
    expect(() => arraysOf(columns, [{ name: 'a\u001Fb', ids: null }])).toThrow(RangeError);
  });
});
