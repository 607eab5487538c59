// The delivery report as a table for a terminal: a line for each campaign, beneath it a row per cell, as the scheduler counts it.
import Table from 'cli-table3';
import type { Terminal } from './terminal.js';
import type { ReportedCell } from './verify.js';

export interface ReportedCampaign {
  campaignId: string;
  state: string;
  cells: readonly (ReportedCell & {
    mode: string;
    local: string;
    lateMs: number | null;
    skipped: string | null;
  })[];
}

const HEAD = ['zone', 'due there', 'mode', 'sends', 'target', 'sent', 'failed', 'late (p50)'] as const;
/** Columns of text, which may be broken; the others are numbers. */
const TEXTS = 4;
/** Between two columns. */
const GAP = 2;
const NARROWEST = 6;

function sendsText(sends: ReportedCell['sends']): string {
  const states = Object.entries(sends).filter(([state, count]) => state !== 'planned' && count > 0);
  return states.map(([state, count]) => `${count} ${state}`).join(', ');
}

function lateText(lateMs: number | null): string {
  if (lateMs === null) return '–';
  return lateMs < 10_000 ? `${lateMs} ms` : `${(lateMs / 1_000).toFixed(1)} s`;
}

function rowOf(cell: ReportedCampaign['cells'][number]): string[] {
  const { target = 0, sent = 0, failed = 0 } = cell.devices;
  const why = cell.skipped === null ? '' : `: ${cell.skipped}`;
  const numbers = [target, sent, failed].map(String);
  return [cell.zone, cell.local, cell.mode, sendsText(cell.sends) + why, ...numbers, lateText(cell.lateMs)];
}

/** No line is longer than the terminal is wide, where that is 72 columns or more: texts are broken, never cut. */
export function reportTable(
  campaigns: readonly ReportedCampaign[],
  { columns, paint }: Pick<Terminal, 'columns' | 'paint'>,
): string {
  const rows = campaigns.flatMap(({ cells }) => cells.map(rowOf));
  const widths = widthsWithin(columns, [[...HEAD], ...rows]);
  const table = new Table({
    chars: NO_BORDERS,
    colAligns: HEAD.map((_, index) => (index < TEXTS ? 'left' : 'right')),
    // The gap stands behind texts and before numbers.
    colWidths: widths.map((width, index) => width + (index === TEXTS ? 0 : GAP)),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(HEAD.map((name, index) => paint('dim', shaped(name, index, widths))));
  for (const { campaignId, state, cells } of campaigns) {
    const name = brokenAt(`${campaignId}: ${state}`, columns);
    table.push([{ colSpan: HEAD.length, content: paint('bold', name) }]);
    for (const cell of cells) {
      const colour = (cell.devices['failed'] ?? 0) > 0 ? 'red' : cell.skipped === null ? 'green' : 'yellow';
      table.push(
        rowOf(cell).map((text, index) =>
          index === TEXTS - 1
            ? painted(shaped(text, index, widths), colour, paint)
            : shaped(text, index, widths),
        ),
      );
    }
  }
  return table.toString().replaceAll(/ +$/gm, '');
}

/** Not a line but those of the rows. */
const NO_BORDERS = Object.fromEntries(
  `top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right
   left left-mid mid mid-mid right right-mid middle`
    .split(/\s+/)
    .map((place) => [place, '']),
);

function painted(text: string, colour: Parameters<Terminal['paint']>[0], paint: Terminal['paint']): string {
  return text
    .split('\n')
    .map((line) => paint(colour, line))
    .join('\n');
}

/** As wide as their widest text; the widest of those that may be broken gives way until all of them fit. */
function widthsWithin(columns: number, rows: readonly (readonly string[])[]): number[] {
  const widths = HEAD.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  const width = (): number => widths.reduce((sum, one) => sum + one + GAP, -GAP);
  while (width() > columns) {
    const texts = widths.slice(0, TEXTS);
    const widest = texts.indexOf(Math.max(...texts));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function shaped(text: string, index: number, widths: readonly number[]): string {
  return brokenAt(text, widths[index] ?? 0);
}

/** Broken behind a space, `/` or `-` where there is one, else where the line is full. */
function brokenAt(text: string, width: number): string {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const end = /^.*[ /-]/.exec(rest.slice(0, width + (rest[width] === ' ' ? 1 : 0)))?.[0].length ?? width;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end);
  }
  return [...lines, rest].join('\n');
}
