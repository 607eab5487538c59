import { describe, expect, it } from 'vitest';
import { unnestOf, type Column } from './column-text.js';

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
    const { from, names, parameters } = unnestOf(columns, [
      { name: 'a', ids: '{"x\u001Fy"}' },
      { name: null, ids: null },
    ]);
    expect(from).toBe(
      String.raw`unnest(string_to_array($1, E'\x1f', E'\x1a')::text[], $2::text[]) as u(name, ids)`,
    );
    expect(names).toBe('name, ids');
    expect(parameters).toEqual(['a\u001F\u001A', ['{"x\u001Fy"}', null]]);
  });

  it('refuses a value that would be split in two, instead of moving all that follow by one row', () => {
    expect(() => unnestOf(columns, [{ name: 'a\u001Fb', ids: null }])).toThrow(RangeError);
  });
});
