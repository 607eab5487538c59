// A row of the list: its state, what it is, when the next of it is due, how far it is, and why somebody should look.
import { Link } from '@tanstack/react-router';
import type { Campaign } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { Progress } from '../../parts/progress/progress.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { CampaignStateMark } from '../../parts/state/state.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './campaigns.module.css';

export function useCampaignColumns(): readonly Column<Campaign>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  return [
    {
      key: 'state',
      head: text('campaigns.state'),
      cell: (campaign) => <CampaignStateMark campaign={campaign} />,
      title: true,
    },
    {
      key: 'name',
      head: text('campaigns.name'),
      title: true,
      wide: true,
      cell: ({ id, name, campaignId, revision }) => (
        <>
          <Link to="/campaigns/$id" params={{ id }} search={{}} className={styles.name}>
            {name ?? campaignId}
          </Link>
          <div className={styles.id}>
            {campaignId}
            {revision > 1 && ` · ${text('campaign.revisionShort', { revision })}`}
          </div>
        </>
      ),
    },
    { key: 'service', head: text('campaigns.service'), cell: ({ serviceId }) => serviceId },
    {
      key: 'due',
      head: clockHead(text('campaigns.nextDue')),
      cell: ({ nextDueAt }) => (nextDueAt === null ? '–' : <Time at={nextDueAt} column relative />),
    },
    {
      key: 'sends',
      head: text('campaigns.sends'),
      cell: ({ sends, sendsAtLeast }) => <Progress sends={sends} atLeast={sendsAtLeast} />,
    },
    {
      key: 'attention',
      head: text('campaigns.attention'),
      cell: ({ attention, id }) =>
        attention !== null && (
          <Link to="/campaigns/$id" params={{ id }} search={{ tab: 'report' }} className={styles.attention}>
            <Reason code={attention.code} short /> ›
          </Link>
        ),
    },
  ];
}
