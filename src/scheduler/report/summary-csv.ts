// The rows of a summary and of lateness as CSV, those of the JSON, a line each, and no line of totals (reports.md, "CSV over many
// campaigns", says what each column is). Pure.
import { LENGTH_KINDS } from '../store/rollup/counted-sends.js';
import type { GroupKey } from '../store/rollup/report-parts.js';
import { TOLD_OUTCOMES } from '../store/rollup/summary.store.js';
import { DEVICE_TERMS } from '../store/send/read/report-figures.js';
import { REPORT_TERMS } from '../store/send/read/report.store.js';
import type { Comparison, Key } from './comparison.js';
import { csvLine, type CsvValue } from './csv.js';
import type { LatenessLine } from './lateness.js';
import { SPREAD_PARTS } from './report-csv.js';
import type { SummaryLine } from './summary.js';

export interface CsvAsk {
  readonly by: readonly GroupKey[];
  readonly asOf: string;
  /** Where one was asked for. */
  readonly comparison: Comparison | undefined;
}

interface Line {
  readonly key: Key;
  readonly campaign?: { readonly campaignId: string; readonly name: string | null } | undefined;
  readonly notCompared?: string | null | undefined;
}

/** Columns behind the keys, with what each says of a side of a row; empty where there is no such side. */
type Columns<Side> = readonly (readonly [header: string, of: (side: Side) => CsvValue])[];

type SummarySide = Pick<SummaryLine, 'sends' | 'devices' | 'sentRate' | 'told' | 'final' | 'balanced'>;
export const summaryColumns = (told: boolean): Columns<SummarySide> => [
  ...REPORT_TERMS.map((term) => [`sends.${term}`, ({ sends }: SummarySide) => sends[term]] as const),
  ...DEVICE_TERMS.map((term) => [`devices.${term}`, ({ devices }: SummarySide) => devices[term]] as const),
  ['sentRate', ({ sentRate }) => sentRate.rate],
  ...(told ? TOLD_OUTCOMES : []).map(
    (outcome) => [`told.${outcome}`, (side: SummarySide) => side.told?.devices[outcome]] as const,
  ),
  ['final', ({ final }) => final],
  ['balanced', ({ balanced }) => balanced],
];

type LatenessSide = Pick<LatenessLine, (typeof LENGTH_KINDS)[number]>;
export const LATENESS_COLUMNS: Columns<LatenessSide> = LENGTH_KINDS.flatMap((kind) =>
  SPREAD_PARTS.map((part) => [`${kind}.${part}`, (side: LatenessSide) => side[kind][part]] as const),
);

/** Of pages of rows as they are shown. */
export async function* rowsCsv<Side>(
  { by, asOf, comparison }: CsvAsk,
  columns: Columns<Side>,
  pages: AsyncIterable<
    readonly (Line & Side & { readonly compared?: (Side & { readonly key: Key }) | null | undefined })[]
  >,
): AsyncGenerator<string, void, void> {
  const named = by.includes('campaign');
  const moved = comparison === undefined ? [] : by.filter((key) => comparison.movedKeys.includes(key));
  yield csvLine([
    ...by,
    ...(named ? ['campaignId', 'name'] : []),
    ...columns.map(([header]) => header),
    ...(comparison === undefined
      ? []
      : [...moved, ...columns.map(([header]) => header)].map((header) => `compared.${header}`)),
    ...(comparison === undefined ? [] : ['notCompared']),
    'asOf',
  ]);
  for await (const page of pages)
    yield page
      .map((row) => {
        const other = row.compared ?? undefined;
        return csvLine([
          ...by.map((key) => row.key[key]),
          ...(named ? [row.campaign?.campaignId, row.campaign?.name] : []),
          ...columns.map(([, of]) => of(row)),
          ...(comparison === undefined
            ? []
            : [
                ...moved.map((key) => other?.key[key]),
                ...columns.map(([, of]) => other && of(other)),
                row.notCompared,
              ]),
          asOf,
        ]);
      })
      .join('');
}
