// A list of rows: a table on a screen that is wide enough, cards in the same order with the same links on one that is not. `j` and `k` move
// between rows, and Enter follows the row's own link.
import { useRef, type ReactNode } from 'react';
import { useRowKeys } from './row-keys.ts';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly key: string;
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
  /** On a card it is the title: it has no label of its own. */
  readonly title?: boolean;
  /** Takes the width that is left. */
  readonly wide?: boolean;
}

export interface DataTableProps<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** A row's own second row, across all columns. */
  readonly below?: (row: Row) => ReactNode;
  readonly foot?: ReactNode;
}

export function DataTable<Row>({ name, columns, rows, rowKey, below, foot }: DataTableProps<Row>) {
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  return (
    <div className={styles.frame}>
      <table ref={table} className={styles.table} aria-label={name}>
        <thead>
          <tr>
            {columns.map(({ key, head, align, wide }) => (
              <th key={key} scope="col" className={classesOf(align, wide)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const more = below?.(row);
            return [
              <tr key={rowKey(row)} data-row className={more ? styles.opened : undefined}>
                {columns.map(({ key, head, cell, align, title, wide }) => (
                  <td
                    key={key}
                    className={classesOf(align, wide)}
                    {...(title !== true && { 'data-label': typeof head === 'string' ? head : '' })}
                  >
                    <div>{cell(row)}</div>
                  </td>
                ))}
              </tr>,
              more ? (
                <tr key={`${rowKey(row)} below`} className={styles.below}>
                  <td colSpan={columns.length}>{more}</td>
                </tr>
              ) : null,
            ];
          })}
        </tbody>
      </table>
      {foot !== undefined && <div className={styles.foot}>{foot}</div>}
    </div>
  );
}

const classesOf = (align: 'right' | undefined, wide: boolean | undefined): string =>
  [align === 'right' ? styles.right : '', wide === true ? styles.wide : ''].join(' ').trim();
