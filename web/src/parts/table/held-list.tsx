// A list by pages, the newest first, whose rows never move under the hand: what came since waits above it (held-rows.ts).
import type { InfiniteData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { rowsOf } from '../../api/paging.ts';
import { Panel, type PanelQuery } from '../panel/panel.tsx';
import { DataTable, type Column } from './data-table.tsx';
import { useHeldRows } from './held-rows.ts';
import { ListFoot, type PagedQuery } from './list-foot.tsx';
import { WaitingRows } from './waiting-rows.tsx';

export interface HeldListProps<Row> {
  readonly name: string;
  readonly query: PanelQuery<InfiniteData<{ readonly items: readonly Row[] }>> & PagedQuery;
  /** Names the list: another filter is another list. */
  readonly filter: unknown;
  readonly columns: readonly Column<Row>[];
  /** What would be here and how it comes here. */
  readonly empty: ReactNode;
  /** Rows of grey while it loads. */
  readonly rows: number;
}

export function HeldList<Row extends { readonly id: string }>(props: HeldListProps<Row>) {
  const { name, query, filter, columns, empty, rows } = props;
  const held = useHeldRows(JSON.stringify(filter), rowsOf(query.data), idOf);
  return (
    <Panel
      query={query}
      rows={rows}
      asOf={() => new Date(query.dataUpdatedAt).toISOString()}
      aside={<WaitingRows count={held.waiting} show={held.show} />}
      empty={() => (held.rows.length > 0 ? undefined : empty)}
    >
      {() => (
        <DataTable
          name={name}
          columns={columns}
          rows={held.rows}
          rowKey={idOf}
          foot={<ListFoot query={query} shown={held.rows.length} />}
        />
      )}
    </Panel>
  );
}

const idOf = ({ id }: { readonly id: string }): string => id;
