// Where the directory and the push service disagree about a user's clock now: campaigns go by the directory.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { rowsOf } from '../../api/paging.ts';
import { driftQuery } from '../../api/recipients.ts';
import { useOnlyService } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterText } from '../../parts/filter/filter-bar.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { AudiencesFrame } from './audiences-frame.tsx';
import { useDriftColumns } from './drift-columns.tsx';
import styles from './audiences.module.css';

const route = getRouteApi('/audiences/drift');

export function DriftPage() {
  const text = useTexts();
  const only = useOnlyService();
  const { service } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = useCallback(
    (of: string | undefined) => void navigate({ search: { service: of }, replace: true }),
    [navigate],
  );
  const shown = service ?? only;
  return (
    <AudiencesFrame view="/audiences/drift" service={service}>
      <p className={styles.about}>{text('drift.about')}</p>
      <FilterBar isFiltered={service !== undefined} clear={() => choose(undefined)}>
        <FilterText label={text('filter.service')} value={service} choose={choose} />
      </FilterBar>
      {shown === undefined ? <Empty>{text('drift.ofWhich')}</Empty> : <Drifts service={shown} />}
    </AudiencesFrame>
  );
}

/** A page looks at so many users of the directory, so one without rows may have another after it. */
function Drifts({ service }: { readonly service: string }) {
  const text = useTexts();
  const columns = useDriftColumns();
  const query = useInfiniteQuery(driftQuery(service));
  const rows = rowsOf(query.data) ?? [];
  return (
    <Panel
      query={query}
      rows={4}
      asOf={() => new Date(query.dataUpdatedAt).toISOString()}
      empty={() =>
        rows.length > 0 || query.hasNextPage ? undefined : (
          <Empty hint={text('drift.noneHint')}>{text('drift.none')}</Empty>
        )
      }
    >
      {() => (
        <DataTable
          name={text('audiences.tab.drift')}
          columns={columns}
          rows={rows}
          rowKey={({ userId }) => userId}
          foot={<ListFoot query={query} shown={rows.length} />}
        />
      )}
    </Panel>
  );
}
