// One campaign: what it is and how it stands, why, what can be done, and its plan, sends, report, message, history and event.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo, type ComponentType } from 'react';
import { campaignQuery, type WholeCampaign } from '../../api/campaigns.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { isTyping } from '../../parts/keys.ts';
import { PageTabs } from '../../parts/page/page-tabs.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { CampaignHead } from './campaign-head.tsx';
import { TABS, type Tab } from './campaign-search.ts';
import { CampaignSends } from './campaign-sends.tsx';
import { EventTab } from './event-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { MessageTab } from './message-tab.tsx';
import { PlanTab } from './plan-tab.tsx';
import { ReportTab } from './report-tab.tsx';

const route = getRouteApi('/campaigns/$id');

export function CampaignPage() {
  const { id } = route.useParams();
  const query = useQuery(campaignQuery(id));
  return (
    <Panel query={query} rows={4}>
      {(campaign) => (
        <>
          <CampaignHead campaign={campaign} />
          <Tabs />
          <Shown campaign={campaign} />
        </>
      )}
    </Panel>
  );
}

function Shown({ campaign }: { readonly campaign: WholeCampaign }) {
  const { tab = 'plan' } = route.useSearch();
  const Part = PARTS[tab];
  return <Part campaign={campaign} />;
}

const PARTS = {
  plan: PlanTab,
  sends: CampaignSends,
  report: ReportTab,
  message: MessageTab,
  history: HistoryTab,
  event: EventTab,
} as const satisfies Record<Tab, ComponentType<{ readonly campaign: WholeCampaign }>>;

/** Links, for each tab is an address; the digits go there. The report is not for everybody who may see the campaign. */
function Tabs() {
  const text = useTexts();
  const { tab: shown = 'plan' } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const hasReport = may('get /v1/reports/campaigns/{id}');
  const tabs = useMemo(() => TABS.filter((tab) => tab !== 'report' || hasReport), [hasReport]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const tab = tabs[Number(event.key) - 1];
      if (tab !== undefined && !isTyping(event)) void navigate({ search: searchOf(tab) });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate, tabs]);
  return (
    <PageTabs name={text('campaign.parts')}>
      {(tabClass) =>
        tabs.map((tab, index) => (
          <Link
            key={tab}
            from="/campaigns/$id"
            to="."
            search={searchOf(tab)}
            className={tabClass}
            activeOptions={{ exact: true }}
            aria-current={tab === shown ? 'page' : undefined}
            title={text('campaign.tabKey', { key: index + 1 })}
          >
            {text(`campaign.tab.${tab}`)}
          </Link>
        ))
      }
    </PageTabs>
  );
}

const searchOf = (tab: Tab) => (tab === 'plan' ? {} : { tab });
