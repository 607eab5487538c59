// What the service is doing now, and what needs a person: the server's own sentence first, then a line for each thing, each project and each
// running campaign. Publishers, who may not ask for the status, see their campaigns.
import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../../api/status.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { PageHead } from '../../parts/page/page-head.tsx';
import { AsOf, Panel } from '../../parts/panel/panel.tsx';
import { NeedList } from './need-list.tsx';
import { ProjectLines } from './project-lines.tsx';
import { RunningCampaigns } from './running-campaigns.tsx';
import { UpcomingCampaigns } from './upcoming-campaigns.tsx';
import styles from './overview.module.css';

export function OverviewPage() {
  const text = useTexts();
  const may = useMay();
  return (
    <>
      <PageHead title={text('page.overview')} />
      <div className={styles.parts}>
        {may('get /v1/status') && <Now />}
        <RunningCampaigns />
        <UpcomingCampaigns />
      </div>
    </>
  );
}

function Now() {
  const text = useTexts();
  const query = useQuery(statusQuery);
  return (
    <>
      <Panel query={query} rows={2}>
        {({ asOf, well, sentence, needs, notes }) => (
          <>
            <div className={styles.sentence}>
              <p className={well ? styles.well : styles.badly}>
                <span aria-hidden="true">{well ? '✓' : '✕'}</span> {sentence}
              </p>
              <AsOf at={asOf} />
            </div>
            <NeedList needs={needs} />
            <NeedList needs={notes} />
          </>
        )}
      </Panel>
      {query.data !== undefined && (
        <section>
          <h2>{text('overview.projects')}</h2>
          <ProjectLines projects={query.data.projects} />
        </section>
      )}
    </>
  );
}
