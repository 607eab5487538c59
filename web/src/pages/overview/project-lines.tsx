// A line a project: whether it runs, what is due and overdue, what is uncertain or failed, and what the push service holds of it already. Each
// figure leads to its rows.
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ProjectStatus } from '../../api/status.ts';
import { useTexts, type Texts } from '../../i18n/text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { PROJECT_LOOKS } from '../../parts/state/looks.ts';
import { Mark } from '../../parts/state/state.tsx';
import { DataTable, type Column } from '../../parts/table/data-table.tsx';
import { lengthText } from '../../parts/time/length-text.ts';
import { Time } from '../../parts/time/time.tsx';
import styles from './overview.module.css';

export function ProjectLines({ projects }: { readonly projects: readonly ProjectStatus[] }) {
  const text = useTexts();
  if (projects.length === 0) return <p className={styles.quiet}>{text('overview.noProjects')}</p>;
  return (
    <DataTable
      name={text('overview.projects')}
      columns={columnsOf(text)}
      rows={projects}
      rowKey={({ serviceId }) => serviceId}
    />
  );
}

type Sends = ProjectStatus['overdue']['sends'];

function columnsOf(text: Texts): readonly Column<ProjectStatus>[] {
  return [
    {
      key: 'project',
      head: text('overview.project'),
      title: true,
      cell: ({ serviceId }) => (
        <Link to="/campaigns" search={{ service: serviceId, state: 'open' }}>
          <strong>{serviceId}</strong>
        </Link>
      ),
    },
    {
      key: 'state',
      head: text('campaigns.state'),
      title: true,
      cell: (project) => <State project={project} />,
    },
    {
      key: 'due',
      head: text('overview.dueNextHour'),
      align: 'right',
      cell: ({ dueNextHour }) => <Counted sends={dueNextHour} />,
    },
    {
      key: 'overdue',
      head: text('overview.overdue'),
      align: 'right',
      cell: ({ overdue: { sends, oldestSeconds } }) => (
        <>
          <Counted sends={sends} colour="var(--state-late)" />
          {oldestSeconds !== null && sends.value > 0 && (
            <div className={styles.quiet}>{lengthText(oldestSeconds * 1_000, text)}</div>
          )}
        </>
      ),
    },
    {
      key: 'uncertain',
      head: text('overview.uncertain'),
      align: 'right',
      cell: ({ uncertain: { sends }, serviceId }) => (
        <Counted
          sends={sends}
          colour="var(--state-uncertain)"
          to={{ to: '/failures', search: { service: serviceId, state: 'uncertain' } }}
        />
      ),
    },
    {
      key: 'failed',
      head: text('overview.failed'),
      align: 'right',
      cell: ({ failed: { sends }, serviceId }) => (
        <Counted
          sends={sends}
          colour="var(--state-failed)"
          to={{ to: '/failures', search: { service: serviceId } }}
        />
      ),
    },
    {
      key: 'held',
      head: text('overview.held'),
      cell: ({ held: { reservations, next }, serviceId }) => (
        <>
          <Counted
            sends={reservations}
            to={{ to: '/sends', search: { service: serviceId, state: 'reserved' } }}
          />
          {next !== null && (
            <span className={styles.quiet}>
              {' '}
              {text('overview.nextHeld')} <Time at={next} relative short />
            </span>
          )}
        </>
      ),
    },
    {
      key: 'late',
      head: text('overview.lateness'),
      align: 'right',
      cell: ({ lateness: { p99Ms } }) => (p99Ms === null ? '–' : lengthText(p99Ms, text)),
    },
  ];
}

interface CountedProps {
  readonly sends: Sends;
  readonly colour?: string;
  /** The rows that it counts. */
  readonly to?: Pick<LinkProps, 'to' | 'search'>;
}

/** Nothing is quiet, and leads nowhere. */
function Counted({ sends: { value, atLeast }, colour, to }: CountedProps) {
  const figure = <Figure value={value} atLeast={atLeast} />;
  if (value === 0) return <span className={styles.quiet}>{figure}</span>;
  const style = colour === undefined ? {} : { color: colour, fontWeight: 600 };
  return to === undefined ? (
    <span style={style}>{figure}</span>
  ) : (
    <Link {...to} style={style}>
      {figure}
    </Link>
  );
}

function State({ project: { state, stopped, blocked, unreachable } }: { readonly project: ProjectStatus }) {
  const text = useTexts();
  const since = stopped?.since ?? blocked?.since ?? unreachable?.since ?? null;
  return (
    <>
      <Mark look={PROJECT_LOOKS[state]} word={text.word(`project.${state}`, state)} />
      {since !== null && (
        <div className={styles.quiet}>
          {text('overview.since')} <Time at={since} short />
          {stopped?.by !== null && stopped !== null && ` · ${stopped.by}`}
        </div>
      )}
      {blocked !== null && <Reason code={blocked.code} short />}
    </>
  );
}
