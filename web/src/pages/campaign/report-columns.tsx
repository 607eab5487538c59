// A cell of the report in a line: the recipients' hour, what became of its sends, and its devices with their rate.
import { Link } from '@tanstack/react-router';
import type { ReportRow } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { rateText, wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { SendStateMark } from '../../parts/state/state.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { Time } from '../../parts/time/time.tsx';
import { statesOfReportTerm } from '../../parts/report/report-terms.ts';
import styles from './campaign.module.css';

export function useReportColumns(campaign: string): readonly Column<ReportRow>[] {
  const text = useTexts();
  return [
    {
      key: 'zone',
      head: text('plan.zone'),
      title: true,
      cell: ({ zone }) => <strong>{zone}</strong>,
    },
    {
      key: 'local',
      head: text('plan.localDue'),
      cell: ({ local, dueAt, zone }) =>
        local === null || dueAt === null ? (
          '–'
        ) : (
          <>
            <Time at={dueAt} on="recipient" recipient={{ zone, offset: local.reading.offset }} short />{' '}
            <span className={styles.quiet}>{local.reading.offset}</span>
          </>
        ),
    },
    {
      key: 'sends',
      head: text('plan.sends'),
      wide: true,
      cell: (row) => <RowSends campaign={campaign} row={row} />,
    },
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
    {
      key: 'rate',
      head: text('report.rate'),
      align: 'right',
      cell: ({ sentRate: { numerator, denominator } }) => (
        <span title={`${wholeText(numerator)} / ${wholeText(denominator)}`}>
          {rateText(numerator, denominator)}
        </span>
      ),
    },
    {
      key: 'final',
      head: text('report.final'),
      cell: ({ final, balanced }) =>
        balanced ? final ? '✓' : text('report.open') : <span>✕ {text('sum.unbalanced')}</span>,
    },
  ];
}

function RowSends({ campaign, row }: { readonly campaign: string; readonly row: ReportRow }) {
  const counted = Object.entries(row.sends).filter(([term, count]) => term !== 'planned' && count > 0);
  return (
    <span className={styles.marks}>
      {counted.map(([term, count]) => {
        const states = statesOfReportTerm(term);
        const mark = <SendStateMark state={term} count={count} />;
        return states === undefined ? (
          <span key={term}>{mark}</span>
        ) : (
          <Link
            key={term}
            to="/campaigns/$id"
            params={{ id: campaign }}
            search={{ tab: 'sends', occurrence: row.occurrence, zone: row.zone, state: states.join(',') }}
          >
            {mark}
          </Link>
        );
      })}
    </span>
  );
}
