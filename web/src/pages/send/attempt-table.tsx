// The calls that were made for a send, the newest first: whether the request went out, what came back, and what was made of it.
import type { Attempt } from '../../api/sends.ts';
import { useTexts } from '../../i18n/text.ts';
import { Reason } from '../../parts/reason/reason.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { lengthText } from '../../parts/time/length-text.ts';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './send.module.css';

export function AttemptTable({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const text = useTexts();
  const clockHead = useClockHead();
  return (
    <DataTable
      name={text('send.calls')}
      rows={attempts}
      rowKey={({ attempt, startedAt }) => `${attempt} ${startedAt}`}
      columns={[
        {
          key: 'at',
          head: clockHead(text('send.call.at')),
          title: true,
          cell: ({ startedAt }) => <Time at={startedAt} column seconds />,
        },
        { key: 'kind', head: text('send.call.kind'), title: true, cell: ({ kind }) => kind },
        {
          key: 'took',
          head: text('send.call.took'),
          align: 'right',
          cell: ({ startedAt, endedAt }) =>
            endedAt === null ? '–' : lengthText(Date.parse(endedAt) - Date.parse(startedAt), text),
        },
        {
          key: 'left',
          head: text('send.call.left'),
          cell: ({ requestSent }) =>
            requestSent === null ? '–' : text(requestSent ? 'send.call.yes' : 'send.call.no'),
        },
        {
          key: 'status',
          head: text('send.call.status'),
          align: 'right',
          cell: ({ httpStatus }) => httpStatus ?? '–',
        },
        {
          key: 'answer',
          head: text('send.call.answer'),
          wide: true,
          cell: ({ errorCode, answer }) => (
            <>
              <Reason code={errorCode} />
              {answer !== null && <div className={styles.answer}>{answer}</div>}
            </>
          ),
        },
        { key: 'outcome', head: text('send.call.outcome'), cell: ({ outcome }) => outcome ?? '–' },
      ]}
    />
  );
}
