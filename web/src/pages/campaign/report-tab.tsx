// What became of a campaign: the sums, how late it was by kind, and a line for each cell. The same as a file for spreadsheets.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { reportCsvUrl, reportQuery, type ReportTotals, type WholeCampaign } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { lengthText } from '../../parts/time/length-text.ts';
import { CampaignSums } from './campaign-sums.tsx';
import { OccurrenceChoice } from './plan-tab.tsx';
import { useReportColumns } from './report-columns.tsx';
import styles from './campaign.module.css';

const route = getRouteApi('/campaigns/$id');

export function ReportTab({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { occurrence } = route.useSearch();
  const query = useQuery(reportQuery(campaign.id, occurrence));
  const columns = useReportColumns(campaign.id);
  return (
    <div className={styles.parts}>
      <OccurrenceChoice campaign={campaign} />
      <Panel
        query={query}
        rows={6}
        asOf={({ asOf }) => asOf}
        aside={
          <Button component="a" href={reportCsvUrl(campaign.id, occurrence)} download size="xs">
            {text('report.csv')}
          </Button>
        }
        empty={({ rows }) => (rows.length > 0 ? undefined : <Empty>{text('report.none')}</Empty>)}
      >
        {(report) => (
          <div className={styles.parts}>
            <CampaignSums report={report} />
            <Lateness totals={report.totals} />
            <DataTable
              name={text('campaign.tab.report')}
              columns={columns}
              rows={report.rows}
              rowKey={({ occurrence: of, cell }) => `${of} ${cell}`}
            />
          </div>
        )}
      </Panel>
    </div>
  );
}

/** The kinds of lateness stand apart: one was asked for to the second, the other to the minute. */
function Lateness({ totals: { lateness, deferral, recoveredAfter } }: { readonly totals: ReportTotals }) {
  const text = useTexts();
  const all = [
    ['immediate', lateness.immediate],
    ['reserved', lateness.reserved],
    ['deferral', deferral],
    ['recovered', recoveredAfter],
  ] as const;
  const kinds = all.filter(([, { count }]) => count > 0);
  if (kinds.length === 0) return null;
  const length = (ms: number | null): string => (ms === null ? '–' : lengthText(ms, text));
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
          cell: ([kind]) => text(`report.kind.${kind}`),
        },
        {
          key: 'count',
          head: text('report.of'),
          align: 'right',
          cell: ([, { count }]) => <Figure value={count} />,
        },
        { key: 'p50', head: 'p50', align: 'right', cell: ([, { p50Ms }]) => length(p50Ms) },
        { key: 'p95', head: 'p95', align: 'right', cell: ([, { p95Ms }]) => length(p95Ms) },
        { key: 'p99', head: 'p99', align: 'right', cell: ([, { p99Ms }]) => length(p99Ms) },
        { key: 'max', head: text('report.max'), align: 'right', cell: ([, { maxMs }]) => length(maxMs) },
      ]}
    />
  );
}
