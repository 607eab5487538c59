// The cells of a plan as a table, in order of instant: in columns where the terminal is wide enough, else on two or more lines
// for each cell. Every time says which clock it is on. Pure.
import {
  leaves,
  type Plan,
  type PlannedCell,
  type PlannedOccurrence,
} from '../../scheduler/decide/plan/plan-types.js';
import { reasonsOf } from './plan-words.js';
import { counted, lengthOf, utc, wrap } from '../shell/text-layout.js';

/** How many cells are shown, and how many further occurrences as a sum; --json has all of them. */
const MOST_CELLS = 60;
const MOST_SUMS = 40;

const HEAD = ['due (UTC)', 'on the zone’s clock', 'zone (known from)', 'requests, users', 'mode'] as const;

/** The occurrences in order: with their cells until the table is long enough, then only their sums. */
export function occurrencesText(plan: Plan, width: number): string[] {
  const all = [...(plan.test === undefined ? [] : [plan.test]), ...plan.occurrences];
  const whole: PlannedOccurrence[] = [];
  let cells = 0;
  for (const occurrence of all) {
    if (whole.length > 0 && cells + occurrence.cells.length > MOST_CELLS) break;
    whole.push(occurrence);
    cells += occurrence.cells.length;
  }
  const sums = all.slice(whole.length);
  const shown = whole.map((occurrence) => inOrder(occurrence).slice(0, MOST_CELLS));
  const table = tableOf(plan, shown.flat(), width);
  return [
    '',
    ...table.head,
    ...whole.flatMap((occurrence, index) => [
      ...wrap(occurrenceTitle(occurrence), width),
      ...(shown[index] ?? []).flatMap(table.cell),
      ...more(occurrence.cells.length - MOST_CELLS, 'cell'),
    ]),
    ...sums.slice(0, MOST_SUMS).flatMap((occurrence) => wrap(sumOf(occurrence), width, '  ')),
    ...more(sums.length - MOST_SUMS, 'occurrence'),
  ];
}

function more(count: number, word: string): string[] {
  return count > 0 ? [`  … and ${counted(count, `more ${word}`)} (--json has them all)`] : [];
}

function inOrder({ cells }: PlannedOccurrence): PlannedCell[] {
  return cells.toSorted((a, b) => a.dueAt - b.dueAt || (a.key < b.key ? -1 : 1));
}

function occurrenceTitle({ occurrence, cells, skipped }: PlannedOccurrence): string {
  const nobody = cells.length === 0 ? ': no cells, because there are no recipients' : '';
  return `occurrence ${occurrence}${skipped === undefined ? nobody : `: left out, ${skipped}`}`;
}

function sumOf(occurrence: PlannedOccurrence): string {
  const leaving = inOrder(occurrence).filter(leaves);
  const [first] = leaving;
  const left = occurrence.cells.length - leaving.length;
  const last = Math.max(...leaving.map((cell) => cell.lastDueAt));
  const from =
    first === undefined ? '' : ` from ${utc(first.dueAt)}${last > first.dueAt ? ` to ${utc(last)}` : ''}`;
  return `${occurrenceTitle(occurrence)}: ${counted(leaving.length, 'cell')}${from}${left === 0 ? '' : `, ${left} left out`}`;
}

/** The lines of the head, and of a cell. */
interface Table {
  readonly head: readonly string[];
  readonly cell: (cell: PlannedCell) => string[];
}

function tableOf(plan: Plan, cells: readonly PlannedCell[], width: number): Table {
  const rows = new Map(cells.map((cell) => [cell, columnsOf(cell)]));
  const widths = HEAD.map((name, index) =>
    Math.max(name.length, ...[...rows.values()].map((columns) => (columns[index] ?? '').length)),
  );
  const total = widths.reduce((sum, column) => sum + column + 2, 0);
  if (total > width) return narrowTable(plan, rows, width);
  const line = (columns: readonly string[]): string =>
    `  ${columns.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd();
  const indent = ' '.repeat((widths[0] ?? 0) + 4);
  return {
    head: [line(HEAD)],
    cell: (cell) => [line(rows.get(cell) ?? []), ...reasonLines(reasonsOf(cell, plan.policy), width, indent)],
  };
}

/** Due, clock and zone on one line, the rest below. */
function narrowTable(
  { policy }: Plan,
  rows: ReadonlyMap<PlannedCell, readonly string[]>,
  width: number,
): Table {
  const indent = ' '.repeat(4);
  return {
    head: [`  ${HEAD[0]}, ${HEAD[1]}, ${HEAD[2]}`, `${indent}${HEAD[3]}, ${HEAD[4]}, and why so`],
    cell: (cell) => {
      const [due = '', clock = '', zone = '', requests = '', mode = ''] = rows.get(cell) ?? [];
      const first = `  ${due}  ${clock}  ${zone}`;
      const lines = lengthOf(first) <= width ? [first] : [`  ${due}  ${clock}`, `${indent}${zone}`];
      return [...lines, ...reasonLines([requests, mode, ...reasonsOf(cell, policy)], width, indent)];
    },
  };
}

function reasonLines(reasons: readonly string[], width: number, indent: string): string[] {
  return reasons.length === 0 ? [] : wrap(`${indent}${reasons.join('; ')}`, width, `${indent}  `);
}

function columnsOf(cell: PlannedCell): string[] {
  const { weekday, date, time, offset } = cell.localReading;
  const splits = [cell.deviceType, cell.country].filter((value) => value !== 'all');
  const left = cell.skipped === undefined ? 'expired' : 'skipped';
  const standing = cell.mode === 'scheduled';
  const missing =
    cell.skipped === 'DST_GAP' ? (cell.dstLocal ?? cell.askedLocal)?.replace('T', ' ') : undefined;
  return [
    leaves(cell) && !standing ? utc(cell.dueAt) : '–',
    standing ? 'by its schedule' : (missing ?? `${weekday} ${date} ${time} ${offset}`),
    [`${cell.zone} (${cell.zoneSource})`, ...splits].join(' '),
    `${counted(cell.chunks, 'request')}${cell.recipients === undefined ? '' : `, ${counted(cell.recipients, 'user')}`}`,
    leaves(cell) ? `${cell.mode} ${cell.rule}` : left,
  ];
}
