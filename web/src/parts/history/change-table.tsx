// The changes of a campaign or a send, as its history answers them.
import type { ReactNode } from 'react';
import type { Change } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { Reason } from '../reason/reason.tsx';
import { DataTable } from '../table/data-table.tsx';
import { useClockHead } from '../time/clock-head.tsx';
import { Time } from '../time/time.tsx';

export interface ChangeTableProps {
  readonly changes: readonly Change[];
  /** Whose words name the states. */
  readonly of: 'campaign' | 'send';
  readonly foot?: ReactNode;
}

export function ChangeTable({ changes, of, foot }: ChangeTableProps) {
  const text = useTexts();
  const clockHead = useClockHead();
  const word = (state: string): string => {
    const key = `${of}.${state}`;
    return text.has(key) ? text(key) : state;
  };
  return (
    <DataTable
      name={text('history.title')}
      rows={changes}
      rowKey={({ sequence }) => String(sequence)}
      {...(foot !== undefined && { foot })}
      columns={[
        {
          key: 'at',
          head: clockHead(text('history.at')),
          title: true,
          cell: ({ at }) => <Time at={at} column seconds />,
        },
        {
          key: 'to',
          head: text('history.change'),
          title: true,
          cell: ({ from, to }) => (
            <>
              <strong>{word(to)}</strong>
              {from !== null && ` ← ${word(from)}`}
            </>
          ),
        },
        {
          key: 'why',
          head: text('history.why'),
          wide: true,
          cell: ({ code, detail }) => <Reason code={code} detail={detail} />,
        },
        { key: 'by', head: text('history.by'), cell: ({ by }) => by },
      ]}
    />
  );
}
