// A project in a line.
import type { Project } from '../../api/projects.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Reason } from '../../parts/reason/reason.tsx';
import { PROJECT_LOOKS } from '../../parts/state/looks.ts';
import { Mark } from '../../parts/state/state.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { Time } from '../../parts/time/time.tsx';
import { ProjectActs } from './project-acts.tsx';
import styles from './projects.module.css';

export function useProjectColumns(): readonly Column<Project>[] {
  const text = useTexts();
  return [
    {
      key: 'project',
      head: text('overview.project'),
      title: true,
      cell: ({ serviceId }) => <strong>{serviceId}</strong>,
    },
    {
      key: 'state',
      head: text('campaigns.state'),
      title: true,
      cell: (project) => <State project={project} />,
    },
    {
      key: 'gateway',
      head: text('projects.gateway'),
      wide: true,
      cell: ({ baseUrl }) => <span className={styles.address}>{baseUrl}</span>,
    },
    {
      key: 'rate',
      head: text('projects.rate'),
      align: 'right',
      cell: ({ dispatch, ratePerSecond }) =>
        text('projects.rateOf', { rate: wholeText(dispatch.rate), most: wholeText(ratePerSecond) }),
    },
    { key: 'zone', head: text('projects.zone'), cell: ({ defaultZone }) => defaultZone },
    {
      key: 'keys',
      head: text('projects.keys'),
      cell: ({ keys }) =>
        keys.length === 0 ? '–' : keys.map(({ accessKey }) => <div key={accessKey}>{accessKey}</div>),
    },
    { key: 'acts', head: '', cell: (project) => <ProjectActs project={project} /> },
  ];
}

function State({ project: { blocked, dispatch } }: { readonly project: Project }) {
  const text = useTexts();
  if (blocked !== null) {
    const state = blocked.code === 'STOPPED' ? 'stopped' : 'blocked';
    return (
      <>
        <Mark look={PROJECT_LOOKS[state]} word={text.word(`project.${state}`, state)} />
        <div className={styles.quiet}>
          <Reason code={blocked.code} detail={blocked.detail} />
          {blocked.until !== null && (
            <>
              {text('projects.until')} <Time at={blocked.until} relative short />
            </>
          )}
        </div>
      </>
    );
  }
  const [trouble] = dispatch.troubles;
  if (trouble === undefined) return <Mark look={PROJECT_LOOKS.running} word={text('project.running')} />;
  const state = trouble.code === 'GATEWAY_UNREACHABLE' ? 'unreachable' : 'in-trouble';
  return (
    <>
      <Mark look={PROJECT_LOOKS[state]} word={text.word(`project.${state}`, state)} />
      <div className={styles.quiet}>
        <Reason code={trouble.code} detail={trouble.detail} />
        {text('overview.since')} <Time at={trouble.since} relative short />
      </div>
    </>
  );
}
