import { expect, it } from 'vitest';
import { tableLines, type TableColumn } from './table.js';
import { lengthOf } from './text-layout.js';
import type { Terminal } from './terminal.js';

const COLUMNS: readonly TableColumn[] = [
  { title: 'ID', cut: false },
  { title: 'WHY', cut: true },
  { title: 'STATE', cut: false },
];
const row = (id: string, why: string, state: string) => [{ text: id }, { text: why }, { text: state }];
const plain = (width?: number): Terminal => ({ width, paint: (_, text) => text });

it('gives each column the width of its text, and a pipe whole lines', () => {
  expect(
    tableLines(COLUMNS, [row('a1', 'the quota\nis spent', 'failed'), row('b', '', 'sent')], plain()),
  ).toEqual([
    'ID  WHY                 STATE',
    'a1  the quota is spent  failed',
    'b                       sent',
  ]);
});

it('cuts only what may be cut, down to eight columns', () => {
  const long = [row('0123456789', 'a very long reason that nobody wants to read', 'failed')];
  expect(tableLines(COLUMNS, long, plain(34))[1]).toBe('0123456789  a very long r…  failed');
  expect(tableLines(COLUMNS, long, plain(5))[1]).toBe('0123456789  a very …  failed');
});

it('counts Korean letters as two columns', () => {
  const [, line] = tableLines(COLUMNS, [row('a', '봄맞이 할인 행사 안내입니다', 'sent')], plain(24));
  expect(lengthOf(line ?? '')).toBeLessThanOrEqual(24);
  expect(line).toContain('…');
});

it('paints the titles, and the cells that have a style, without counting what paints', () => {
  const painted: Terminal = { width: undefined, paint: (style, text) => `<${style}>${text}</>` };
  expect(
    tableLines(COLUMNS, [[{ text: 'a' }, { text: 'b' }, { text: 'failed', style: 'red' }]], painted),
  ).toEqual(['<bold>ID</>  <bold>WHY</>  <bold>STATE</>', 'a   b    <red>failed</>']);
});
