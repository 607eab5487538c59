// A cell of the plan in a line: whose clock, when on it, what was decided, how it goes out, and how its sends stand.
import { Link } from '@tanstack/react-router';
import type { Plan, PlanCell, WholeCampaign } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { SendStateMark } from '../../parts/state/state.tsx';
import { dayMarks, NIGHT, quietSpans } from '../../parts/strip/day.ts';
import { Strip, StripScale } from '../../parts/strip/strip.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { Time } from '../../parts/time/time.tsx';
import { cellReasons } from './cell-reasons.ts';
import styles from './campaign.module.css';

export function usePlanColumns(campaign: WholeCampaign, plan: Plan | undefined): readonly Column<PlanCell>[] {
  const text = useTexts();
  const isAd = campaign.revisions.some(
    ({ revision, messageType }) => revision === campaign.revision && messageType === 'AD',
  );
  const isRepeated = campaign.occurrences.length > 1;
  return [
    {
      key: 'zone',
      head: text('plan.zone'),
      title: true,
      cell: ({ zone, zoneSource, occurrence }) => (
        <>
          <strong>{zone}</strong>
          <div className={styles.source}>
            {text.word(`zoneSource.${zoneSource}`, zoneSource)}
            {isRepeated && `${text('list.separator')}${occurrence}`}
          </div>
        </>
      ),
    },
    { key: 'due', head: text('plan.localDue'), cell: (cell) => <Due cell={cell} /> },
    {
      key: 'day',
      head: <StripScale />,
      cell: (cell) =>
        cell.local !== null && (
          <Strip
            marks={dayMarks({
              asked: cell.local.asked,
              time: cell.dueAt === null ? '' : cell.local.reading.time,
              dueAt: cell.dueAt,
              lastDueAt: cell.verdicts.lastDueAt,
            })}
            night={isAd ? NIGHT : []}
            quiet={quietOf(plan)}
            changes={cell.offsetChanges.length > 0}
          />
        ),
    },
    {
      key: 'why',
      head: text('plan.decided'),
      wide: true,
      cell: (cell) => cellReasons(cell, text).join(text('list.separator')),
    },
    {
      key: 'mode',
      head: text('plan.mode'),
      cell: ({ mode, skipped }) =>
        mode === null || skipped !== null ? '–' : text.word(`mode.${mode}`, mode),
    },
    {
      key: 'recipients',
      head: text('plan.recipients'),
      align: 'right',
      cell: ({ recipients }) => <Figure value={recipients} />,
    },
    {
      key: 'sends',
      head: text('plan.sends'),
      cell: (cell) => <Sends campaign={campaign.id} cell={cell} />,
    },
  ];
}

function quietOf(plan: Plan | undefined) {
  const quiet = plan?.policy?.quietHours;
  return typeof quiet === 'object' && quiet !== null ? quietSpans(quiet.start, quiet.end) : [];
}

/** On the recipients' own clock, whatever clock is chosen: that is what the column is about. */
function Due({ cell: { dueAt, local, zone, skipped } }: { readonly cell: PlanCell }) {
  if (dueAt === null || local === null) return <>–</>;
  const { offset } = local.reading;
  return (
    <span className={skipped === null ? undefined : styles.gone}>
      <Time at={dueAt} on="recipient" recipient={{ zone, offset }} short />{' '}
      <span className={styles.quiet}>{offset}</span>
    </span>
  );
}

function Sends({ campaign, cell }: { readonly campaign: string; readonly cell: PlanCell }) {
  const states = Object.entries(cell.sends).filter(([, count]) => count > 0);
  if (states.length === 0) return <Figure value={cell.requests} />;
  return (
    <span className={styles.marks}>
      {states.map(([state, count]) => (
        <Link
          key={state}
          to="/campaigns/$id"
          params={{ id: campaign }}
          search={{ tab: 'sends', occurrence: cell.occurrence, zone: cell.zone, state }}
        >
          <SendStateMark state={state} count={count} />
        </Link>
      ))}
    </span>
  );
}
