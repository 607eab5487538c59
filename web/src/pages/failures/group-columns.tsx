// A group in a line: how many, why, where, since when, and what would help.
import { getRouteApi, Link } from '@tanstack/react-router';
import type { FailureGroup } from '../../api/failures.ts';
import { useTexts } from '../../i18n/text.ts';
import { shortId } from '../../parts/copy/copy-id.tsx';
import { Figure } from '../../parts/figure/figure.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { SendStateMark } from '../../parts/state/state.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import type { FailuresSearch } from './failures-search.ts';
import { groupKey } from './group-key.ts';
import { nextStepOf } from './next-step.ts';
import styles from './failures.module.css';

const route = getRouteApi('/failures');

export function useGroupColumns({ by = 'code', open }: FailuresSearch): readonly Column<FailureGroup>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  const navigate = route.useNavigate();
  const where: Column<FailureGroup> = {
    key: 'where',
    head: text('failures.where'),
    cell: ({ zone, mode, campaign, campaignId }) => (
      <>
        {by === 'code,zone' && (zone ?? '–')}
        {by === 'code,mode' && (mode === undefined ? '–' : text.word(`mode.${mode}`, mode))}
        {by === 'code,campaign' && campaign !== undefined && (
          <Link to="/campaigns/$id" params={{ id: campaign }} search={{}}>
            {campaignId ?? shortId(campaign)}
          </Link>
        )}
      </>
    ),
  };
  return [
    {
      key: 'sends',
      head: text('plan.sends'),
      align: 'right',
      title: true,
      cell: (group) => {
        const isOpen = groupKey(group) === open;
        return (
          <button
            type="button"
            className={styles.opener}
            aria-expanded={isOpen}
            onClick={() =>
              void navigate({
                search: (former) => ({ ...former, open: isOpen ? undefined : groupKey(group) }),
                resetScroll: false,
              })
            }
          >
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> <Figure value={group.sends} />
          </button>
        );
      },
    },
    {
      key: 'state',
      head: text('campaigns.state'),
      title: true,
      cell: ({ state }) => <SendStateMark state={state} />,
    },
    {
      key: 'code',
      head: text('failures.reason'),
      wide: true,
      title: true,
      cell: ({ code }) =>
        code === null || code === undefined ? text('failures.noCode') : <Reason code={code} />,
    },
    ...(by === 'code' ? [] : [where]),
    { key: 'project', head: text('campaigns.service'), cell: ({ project }) => project ?? '–' },
    {
      key: 'when',
      head: clockHead(text('failures.lastAt')),
      cell: ({ lastAt }) => <Time at={lastAt} column relative />,
    },
    { key: 'next', head: text('failures.nextStep'), cell: (group) => text(nextStepOf(group)) },
  ];
}
