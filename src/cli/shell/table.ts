// A table for a terminal: columns as wide as their text, and where the line is too short, the widest of those that may be cut. Pure.
import { lengthOf } from './text-layout.js';
import type { Style, Terminal } from './terminal.js';

export interface TableColumn {
  readonly title: string;
  /** Its text may be cut where the line is too short. An id is never cut: people copy it. */
  readonly cut: boolean;
}

export interface TableCell {
  readonly text: string;
  readonly style?: Style | undefined;
}

const GAP = '  ';
/** A column is never cut to less. */
const LEAST = 8;

/** The lines: the titles, then the rows. Line breaks in a cell become spaces. */
export function tableLines(
  columns: readonly TableColumn[],
  rows: readonly (readonly TableCell[])[],
  { width, paint }: Terminal,
): string[] {
  const texts = rows.map((row) =>
    row.map(({ text, style }) => ({ text: text.replaceAll(/\s+/g, ' ').trim(), style })),
  );
  const widths = fitted(
    columns,
    columns.map(({ title }, at) =>
      Math.max(lengthOf(title), ...texts.map((row) => lengthOf(row[at]?.text ?? ''))),
    ),
    width,
  );
  const line = (cells: readonly TableCell[]): string =>
    cells
      .map(({ text, style }, at) => {
        const room = widths[at] ?? 0;
        const shown = shortened(text, room);
        const pad = at === cells.length - 1 ? '' : ' '.repeat(Math.max(0, room - lengthOf(shown)));
        return (style === undefined ? shown : paint(style, shown)) + pad;
      })
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ title }) => ({ text: title, style: 'bold' as const }))), ...texts.map(line)];
}

/** Takes from the widest column that may be cut, until the line fits or nothing is left to take. */
function fitted(
  columns: readonly TableColumn[],
  natural: readonly number[],
  width: number | undefined,
): readonly number[] {
  if (width === undefined) return natural;
  const widths = [...natural];
  let over = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length) - width;
  while (over > 0) {
    const [at, widest] = widths.reduce<readonly [number, number]>(
      (best, one, index) => (columns[index]?.cut === true && one > best[1] ? [index, one] : best),
      [-1, LEAST],
    );
    if (at < 0) break;
    widths[at] = widest - 1;
    over -= 1;
  }
  return widths;
}

function shortened(text: string, room: number): string {
  if (lengthOf(text) <= room) return text;
  let kept = '';
  for (const letter of text) {
    if (lengthOf(kept + letter) > room - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}
