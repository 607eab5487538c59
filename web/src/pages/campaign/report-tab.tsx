// What became of a campaign: the sums, how late it was by kind, and a line for each cell. The same as a file for spreadsheets.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { reportCsvUrl, reportQuery, type ReportTotals, type WholeCampaign } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { LengthsTable } from '../../parts/report/lengths-table.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { CampaignSums } from './campaign-sums.tsx';
import { Funnel } from './funnel.tsx';
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
            <Funnel report={report} />
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

function Lateness({ totals: { lateness, deferral, recoveredAfter } }: { readonly totals: ReportTotals }) {
  const all = [
    ['immediate', lateness.immediate],
    ['reserved', lateness.reserved],
    ['deferral', deferral],
    ['recovered', recoveredAfter],
  ] as const;
  const kinds = all.filter(([, { count }]) => count > 0);
  return kinds.length === 0 ? null : <LengthsTable kinds={kinds} />;
}
