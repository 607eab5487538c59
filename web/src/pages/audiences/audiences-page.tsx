// Lists of users: how many ids each has, until when campaigns may name it, its versions, and the upload of a new one.
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { deleteList, listsQuery, type ListName } from '../../api/audiences.ts';
import { rowsOf } from '../../api/paging.ts';
import { useTexts } from '../../i18n/text.ts';
import { FormSheet } from '../../parts/act/form-sheet.tsx';
import { FilterBar, FilterText } from '../../parts/filter/filter-bar.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { AudiencesFrame } from './audiences-frame.tsx';
import type { AudiencesSearch } from './audiences-search.ts';
import { useListColumns } from './list-columns.tsx';
import { UploadSheet } from './upload-sheet.tsx';
import { Versions } from './versions.tsx';

const route = getRouteApi('/audiences');

export function AudiencesPage() {
  const text = useTexts();
  const { service, open } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(listsQuery(service));
  const lists = rowsOf(query.data) ?? [];
  const [uploading, setUploading] = useState<Partial<ListName>>();
  const [deleted, setDeleted] = useState<ListName>();
  const set = useCallback(
    (more: Partial<AudiencesSearch>) =>
      void navigate({ search: (former) => ({ ...former, ...more }), replace: true }),
    [navigate],
  );
  const columns = useListColumns({
    open,
    toggle: (key) => set({ open: key }),
    upload: setUploading,
    remove: setDeleted,
  });
  return (
    <AudiencesFrame
      view="/audiences"
      service={service}
      acts={
        <Button onClick={() => setUploading(service === undefined ? {} : { serviceId: service })}>
          {text('lists.upload')}…
        </Button>
      }
    >
      <FilterBar isFiltered={service !== undefined} clear={() => set({ service: undefined })}>
        <FilterText label={text('filter.service')} value={service} choose={(of) => set({ service: of })} />
      </FilterBar>
      <Panel
        query={query}
        rows={4}
        asOf={() => new Date(query.dataUpdatedAt).toISOString()}
        empty={() =>
          lists.length > 0 ? undefined : <Empty hint={text('lists.noneHint')}>{text('lists.none')}</Empty>
        }
      >
        {() => (
          <DataTable
            name={text('page.audiences')}
            columns={columns}
            rows={lists}
            rowKey={listKey}
            below={(list) => listKey(list) === open && <Versions list={list} />}
            foot={<ListFoot query={query} shown={lists.length} />}
          />
        )}
      </Panel>
      {uploading !== undefined && <UploadSheet list={uploading} onClose={() => setUploading(undefined)} />}
      {deleted !== undefined && (
        <FormSheet
          title={text('lists.deleteTitle', { name: deleted.name })}
          button={text('lists.delete')}
          isDangerous
          make={() => deleteList(deleted)}
          came={({ versions, keptBy }) => text('lists.deleted', { versions, keptBy })}
          onClose={() => setDeleted(undefined)}
        >
          <p>{text('lists.deleteMeans')}</p>
        </FormSheet>
      )}
    </AudiencesFrame>
  );
}

const listKey = ({ serviceId, name }: ListName): string => `${serviceId}/${name}`;
