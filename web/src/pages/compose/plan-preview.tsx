// The plan of what is written, as the planner would make it now: the totals, the first and last due on three clocks, each cell with what was decided,
// all warnings, and the phones.
import type { DryRun, PreviewedCell } from '../../api/compose.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { languagesOf, Phones } from '../../parts/phone/phones.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ownZone } from '../../parts/time/reading.ts';
import { Time } from '../../parts/time/time.tsx';
import styles from './compose.module.css';

export interface PlanPreviewProps {
  readonly plan: DryRun;
  /** Another text is being worked out: this one is of the text before. */
  readonly isOlder: boolean;
}

export function PlanPreview({ plan, isOlder }: PlanPreviewProps) {
  const text = useTexts();
  const { totals, warnings, refusal, items, cells, messages, serviceId } = plan;
  const [language] = languagesOf(messages);
  return (
    <div className={isOlder ? styles.older : styles.plan} aria-busy={isOlder}>
      {refusal !== null && (
        <p className={styles.refusal}>
          ✕ <Reason code={refusal.code} detail={refusal.text} />
        </p>
      )}
      <p>
        <strong>
          {text('compose.totals', {
            requests: wholeText(totals.requests),
            n: totals.requests,
            recipients: totals.recipients === null ? '–' : wholeText(totals.recipients),
            of: totals.recipients ?? 0,
          })}
        </strong>{' '}
        {totals.skippedRequests > 0 && text('compose.skipped', { count: wholeText(totals.skippedRequests) })}
      </p>
      {totals.firstDueAt !== null && totals.lastDueAt !== null && (
        <Span cells={items} first={totals.firstDueAt} last={totals.lastDueAt} />
      )}
      {warnings.length > 0 && (
        <ul className={styles.warnings} lang="en">
          {warnings.map(({ code, text: words, pointer }) => (
            <li key={`${code} ${pointer} ${words}`}>
              ⚠ {words} <code className={styles.code}>{code}</code>
            </li>
          ))}
        </ul>
      )}
      <Phones messages={messages} language={language} app={serviceId} />
      <Cells cells={items} of={cells} />
    </div>
  );
}

/** The same two instants on the recipients' clock, on mine where it is another, and on UTC. */
function Span({
  cells,
  first,
  last,
}: {
  readonly cells: readonly PreviewedCell[];
  readonly first: string;
  readonly last: string;
}) {
  const text = useTexts();
  const clocks =
    ownZone() === 'UTC' ? (['recipient', 'utc'] as const) : (['recipient', 'mine', 'utc'] as const);
  const clockOf = (at: string) => {
    const cell = cells.find(({ dueAt }) => dueAt === at);
    return cell?.local === null || cell === undefined
      ? undefined
      : { zone: cell.zone, offset: cell.local.reading.offset };
  };
  return (
    <table className={styles.span}>
      <tbody>
        {([['compose.first', first] as const, ['compose.last', last] as const] as const).map(([word, at]) => (
          <tr key={word}>
            <th scope="row">{text(word)}</th>
            {clocks.map((clock) => (
              <td key={clock}>
                <Time at={at} recipient={clockOf(at)} on={clock} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cells({ cells, of }: { readonly cells: readonly PreviewedCell[]; readonly of: number }) {
  const text = useTexts();
  return (
    <DataTable
      name={text('campaign.tab.plan')}
      rows={cells}
      rowKey={({ occurrence, cell }) => `${occurrence} ${cell}`}
      {...(of > cells.length && { foot: text('compose.moreCells', { shown: cells.length, of }) })}
      columns={[
        { key: 'zone', head: text('filter.zone'), title: true, cell: ({ zone }) => zone },
        {
          key: 'due',
          head: text('compose.dueThere'),
          cell: ({ dueAt, local, zone }) =>
            dueAt === null ? (
              '–'
            ) : (
              <Time
                at={dueAt}
                on="recipient"
                recipient={local === null ? undefined : { zone, offset: local.reading.offset }}
                relative
              />
            ),
        },
        {
          key: 'why',
          head: text('compose.decided'),
          wide: true,
          cell: ({ skipped, rule }) => <Reason code={skipped ?? rule} short />,
        },
        {
          key: 'requests',
          head: text('compose.requests'),
          align: 'right',
          cell: ({ requests }) => <Figure value={requests} />,
        },
      ]}
    />
  );
}
