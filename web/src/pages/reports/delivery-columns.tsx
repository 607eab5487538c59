// A row of the report of delivery: its keys, its sends by what became of them, its devices and their rate.
import { Link } from '@tanstack/react-router';
import type { SummaryRow } from '../../api/reports.ts';
import { useTexts } from '../../i18n/text.ts';
import { rateText, wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { DELIVERY_TERMS, deliveryTerms, SET_OF, TERM_COLOURS } from './delivery-terms.ts';
import { keyText } from './key-text.ts';
import type { ReportKey, ReportRange, ReportsSearch } from './reports-search.ts';
import { sendsOfRow } from './row-sends.ts';
import styles from './reports.module.css';

export interface DeliveryColumnsOf {
  readonly keys: readonly ReportKey[];
  readonly search: ReportsSearch;
  readonly range: ReportRange;
  readonly isCompared: boolean;
}

export function useDeliveryColumns(of: DeliveryColumnsOf): readonly Column<SummaryRow>[] {
  const text = useTexts();
  const keys = useKeyColumns<SummaryRow>(of.keys);
  const rate = ({ sentRate: { numerator, denominator } }: Pick<SummaryRow, 'sentRate'>) => (
    <span title={`${wholeText(numerator)} / ${wholeText(denominator)}`}>
      {rateText(numerator, denominator)}
    </span>
  );
  const compared: Column<SummaryRow> = {
    key: 'compared',
    head: text('reports.weekBefore'),
    align: 'right',
    cell: ({ compared: before }) =>
      before === undefined || before === null ? (
        '–'
      ) : (
        <span className={styles.quiet}>
          <Figure value={before.sends['planned']} /> · {rate(before)}
        </span>
      ),
  };
  return [
    ...keys,
    {
      key: 'planned',
      head: text('plan.sends'),
      align: 'right',
      cell: (row) => <Planned row={row} of={of} />,
    },
    { key: 'terms', head: text('reports.became'), wide: true, cell: (row) => <Terms row={row} of={of} /> },
    {
      key: 'target',
      head: text('report.target'),
      align: 'right',
      cell: ({ devices }) => <Figure value={devices['target']} />,
    },
    {
      key: 'sent',
      head: text('term.devices.sent'),
      align: 'right',
      cell: ({ devices }) => <Figure value={devices['sent']} />,
    },
    { key: 'rate', head: text('report.rate'), align: 'right', cell: rate },
    ...(of.isCompared ? [compared] : []),
    {
      key: 'final',
      head: text('report.final'),
      cell: ({ final, balanced }) =>
        balanced ? final ? '✓' : text('report.open') : <span>✕ {text('sum.unbalanced')}</span>,
    },
  ];
}

/** The columns of the keys of a row. Times name their clock in the head. */
export function useKeyColumns<Row extends Parameters<typeof keyText>[1]>(
  keys: readonly ReportKey[],
): readonly Column<Row>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  const { clock, now } = useClock();
  const words = { text, clock: clock === 'utc' ? clock : 'mine', now: now() } as const;
  return keys.map((key) => ({
    key,
    head: key === 'hour' ? clockHead(text('reports.key.hour')) : text(`reports.key.${key}`),
    title: true,
    cell: (row) => {
      const shown = keyText(key, row, words);
      const id = row.key[key];
      return key === 'campaign' && typeof id === 'string' ? (
        <Link to="/campaigns/$id" params={{ id }} search={{ tab: 'report' }}>
          {shown}
        </Link>
      ) : (
        shown
      );
    },
  }));
}

interface CellProps {
  readonly row: SummaryRow;
  readonly of: DeliveryColumnsOf;
}

function Planned({ row, of: { search, range } }: CellProps) {
  const sends = sendsOfRow(row, search, range);
  const figure = <Figure value={row.sends['planned']} />;
  return sends === undefined ? (
    figure
  ) : (
    <Link to="/sends" search={sends}>
      {figure}
    </Link>
  );
}

function Terms({ row, of: { search, range } }: CellProps) {
  const text = useTexts();
  const terms = deliveryTerms(row.sends);
  const sends = sendsOfRow(row, search, range);
  return (
    <span className={styles.terms}>
      {DELIVERY_TERMS.filter((term) => terms[term] > 0).map((term) => {
        const mark = (
          <span style={{ color: TERM_COLOURS[term] }}>
            {text(`reports.term.${term}`)} <Figure value={terms[term]} />
          </span>
        );
        return sends === undefined ? (
          <span key={term}>{mark}</span>
        ) : (
          <Link key={term} to="/sends" search={{ ...sends, state: SET_OF[term] }}>
            {mark}
          </Link>
        );
      })}
    </span>
  );
}
