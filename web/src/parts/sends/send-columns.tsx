// A send in a line of a list. Where it leads is the page's to say.
import type { ReactNode } from 'react';
import type { Send } from '../../api/sends.ts';
import { useTexts } from '../../i18n/text.ts';
import { shortId } from '../copy/copy-id.tsx';
import { Figure } from '../figure/figure.tsx';
import { Reason } from '../reason/reason.tsx';
import { SendStateMark } from '../state/state.tsx';
import type { Column } from '../table/data-table.tsx';
import { useClockHead } from '../time/clock-head.tsx';
import { Time } from '../time/time.tsx';
import styles from './send-columns.module.css';

export interface SendLinks {
  readonly toSend: (id: string, shown: string) => ReactNode;
  /** Left out on the page of one campaign. */
  readonly toCampaign?: (id: string, shown: string) => ReactNode;
}

export function useSendColumns({ toSend, toCampaign }: SendLinks): readonly Column<Send>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  const campaign: Column<Send> = {
    key: 'campaign',
    head: text('send.campaign'),
    cell: ({ campaign: id, campaignId }) => toCampaign?.(id, campaignId ?? shortId(id)),
  };
  return [
    {
      key: 'state',
      head: text('campaigns.state'),
      title: true,
      cell: ({ state }) => <SendStateMark state={state} />,
    },
    { key: 'id', head: text('send.id'), title: true, cell: ({ id }) => toSend(id, shortId(id)) },
    ...(toCampaign === undefined ? [] : [campaign]),
    {
      key: 'due',
      head: clockHead(text('send.due')),
      cell: ({ dueAt, zone }) => (
        <>
          {dueAt === null ? '–' : <Time at={dueAt} column />}
          <div className={styles.zone}>{zone}</div>
        </>
      ),
    },
    {
      key: 'ended',
      head: clockHead(text('send.stateAt')),
      cell: ({ stateAt }) => <Time at={stateAt} column seconds />,
    },
    {
      key: 'tries',
      head: text('send.attempts'),
      align: 'right',
      cell: ({ attempts }) => <Figure value={attempts} />,
    },
    {
      key: 'devices',
      head: text('send.devices'),
      align: 'right',
      cell: ({ sent, target }) =>
        target === null ? (
          '–'
        ) : (
          <>
            <Figure value={sent} /> / <Figure value={target} />
          </>
        ),
    },
    {
      key: 'why',
      head: text('send.why'),
      wide: true,
      cell: ({ code, detail }) => code !== null && <Reason code={code} detail={detail} />,
    },
  ];
}
