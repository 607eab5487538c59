// The sums of a campaign's report, whose figures lead to the campaign's own list of sends.
import { Link } from '@tanstack/react-router';
import type { Report } from '../../api/campaigns.ts';
import { ReportSums } from '../../parts/report/report-sums.tsx';

export function CampaignSums({ report }: { readonly report: Report }) {
  const { totals, campaign, balanced, final } = report;
  return (
    <ReportSums
      totals={totals}
      balanced={balanced}
      final={final}
      toSends={(states, figure) => (
        <Link
          to="/campaigns/$id"
          params={{ id: campaign.id }}
          search={{ tab: 'sends', state: states.join(',') }}
        >
          {figure}
        </Link>
      )}
    />
  );
}
