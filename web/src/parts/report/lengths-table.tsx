// Lengths of time of sends by their kind. The kinds stand apart: one was asked for to the second, another to the minute, and a deferral is a
// decision.
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../figure/figure.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { lengthText } from '../time/length-text.ts';

export type LengthsKind = 'immediate' | 'reserved' | 'deferral' | 'recovered';

/** Percentiles over single sends; null: there is none. */
export interface ShownLengths {
  readonly count: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
}

/** The columns of the figures, of a row that has such lengths. */
export function useLengthColumns<Row>(lengthsOf: (row: Row) => ShownLengths): readonly Column<Row>[] {
  const text = useTexts();
  const column = (key: string, head: string, of: (lengths: ShownLengths) => number | null): Column<Row> => ({
    key,
    head,
    align: 'right',
    cell: (row) => {
      const ms = of(lengthsOf(row));
      return ms === null ? '–' : lengthText(ms, text);
    },
  });
  return [
    {
      key: 'count',
      head: text('report.of'),
      align: 'right',
      cell: (row) => <Figure value={lengthsOf(row).count} />,
    },
    column('p50', 'p50', ({ p50Ms }) => p50Ms),
    column('p95', 'p95', ({ p95Ms }) => p95Ms),
    column('p99', 'p99', ({ p99Ms }) => p99Ms),
    column('max', text('report.max'), ({ maxMs }) => maxMs),
  ];
}

export interface LengthsTableProps {
  readonly kinds: readonly (readonly [kind: LengthsKind, lengths: ShownLengths])[];
  /** How a kind is named; left out: by its word. */
  readonly nameOf?: (kind: LengthsKind, word: string) => ReactNode;
}

export function LengthsTable({ kinds, nameOf = (_, word) => word }: LengthsTableProps) {
  const text = useTexts();
  const figures = useLengthColumns<(typeof kinds)[number]>(([, lengths]) => lengths);
  return (
    <DataTable
      name={text('report.lateness')}
      rows={kinds}
      rowKey={([kind]) => kind}
      columns={[
        {
          key: 'kind',
          head: text('report.lateness'),
          title: true,
          wide: true,
          cell: ([kind]) => nameOf(kind, text(`report.kind.${kind}`)),
        },
        ...figures,
      ]}
    />
  );
}
