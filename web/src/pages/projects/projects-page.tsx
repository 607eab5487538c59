// The push projects: whether each runs, where its gateway is, how fast it may be called, and a check of it. Secrets are never read.
import { useInfiniteQuery } from '@tanstack/react-query';
import { rowsOf } from '../../api/paging.ts';
import { projectsQuery } from '../../api/projects.ts';
import { useTexts } from '../../i18n/text.ts';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { useProjectColumns } from './project-columns.tsx';

export function ProjectsPage() {
  const text = useTexts();
  const query = useInfiniteQuery(projectsQuery);
  const projects = rowsOf(query.data) ?? [];
  const columns = useProjectColumns();
  return (
    <>
      <PageHead title={text('page.projects')} />
      <Panel
        query={query}
        asOf={() => new Date(query.dataUpdatedAt).toISOString()}
        empty={() => (projects.length > 0 ? undefined : <Empty>{text('projects.none')}</Empty>)}
      >
        {() => (
          <DataTable
            name={text('page.projects')}
            columns={columns}
            rows={projects}
            rowKey={({ serviceId }) => serviceId}
          />
        )}
      </Panel>
    </>
  );
}
