// What people did by hand, the newest first: who, what, to what, and what it changed. All rows of a filter as a file.
import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { allOfAudit, auditQuery, type AuditFilter } from '../../api/access.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { Failed } from '../../parts/panel/failed.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { useAuditColumns } from './audit-columns.tsx';
import { auditCsv, auditNdjson } from './audit-file.ts';
import { auditFilter, AUDIT_RANGES, type AuditSearch } from './audit-search.ts';

const route = getRouteApi('/audit');

export function AuditPage() {
  const text = useTexts();
  const search = route.useSearch();
  const { now } = useClock();
  const filter = auditFilter(search, now());
  const query = useInfiniteQuery(auditQuery(filter));
  const columns = useAuditColumns();
  return (
    <>
      <PageHead title={text('page.audit')} acts={<Export filter={filter} />} />
      <Filters search={search} />
      <HeldList
        name={text('page.audit')}
        query={query}
        filter={filter}
        columns={columns}
        rows={8}
        empty={<Empty>{text('audit.none')}</Empty>}
      />
    </>
  );
}

const FILES = {
  ndjson: { type: 'application/x-ndjson', write: auditNdjson },
  csv: { type: 'text/csv', write: auditCsv },
} as const;

function Export({ filter }: { readonly filter: AuditFilter }) {
  const text = useTexts();
  const saving = useMutation({
    mutationFn: async (kind: keyof typeof FILES) => {
      const { type, write } = FILES[kind];
      save(new Blob([write(await allOfAudit(filter))], { type }), `audit.${kind}`);
    },
  });
  return (
    <>
      <Button loading={saving.isPending} onClick={() => saving.mutate('ndjson')}>
        NDJSON
      </Button>
      <Button loading={saving.isPending} onClick={() => saving.mutate('csv')}>
        {text('report.csv')}
      </Button>
      {saving.error !== null && <Failed error={saving.error} />}
    </>
  );
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function Filters({ search }: { readonly search: AuditSearch }) {
  const text = useTexts();
  const navigate = route.useNavigate();
  const set = useCallback(
    (more: Partial<AuditSearch>) =>
      void navigate({ search: (former) => ({ ...former, ...more }), replace: true }),
    [navigate],
  );
  return (
    <FilterBar isFiltered={Object.keys(search).length > 0} clear={() => void navigate({ search: {} })}>
      <FilterChoice
        label={text('reports.range')}
        value={search.range}
        choices={AUDIT_RANGES.map((range) => ({
          value: range === '7d' ? '' : range,
          label: text(`audit.range.${range}`),
        }))}
        choose={(range) => set({ range: range as AuditSearch['range'] })}
      />
      <FilterText label={text('audit.who')} value={search.who} choose={(who) => set({ who })} />
      <FilterText label={text('audit.action')} value={search.action} choose={(action) => set({ action })} />
      <FilterText label={text('audit.target')} value={search.target} choose={(target) => set({ target })} />
      <FilterText
        label={text('filter.service')}
        value={search.service}
        choose={(service) => set({ service })}
      />
    </FilterBar>
  );
}
