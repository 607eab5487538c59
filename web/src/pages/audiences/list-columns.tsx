// A list in a line.
import { Button, UnstyledButton } from '@mantine/core';
import type { ListedList, ListName } from '../../api/audiences.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './audiences.module.css';

export interface ListActs {
  readonly open: string | undefined;
  readonly toggle: (key: string | undefined) => void;
  readonly upload: (list: ListName) => void;
  readonly remove: (list: ListName) => void;
}

export function useListColumns({ open, toggle, upload, remove }: ListActs): readonly Column<ListedList>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  const may = useMay();
  return [
    {
      key: 'name',
      head: text('lists.list'),
      title: true,
      wide: true,
      cell: ({ serviceId, name }) => {
        const key = `${serviceId}/${name}`;
        return (
          <UnstyledButton
            className={styles.name}
            aria-expanded={open === key}
            onClick={() => toggle(open === key ? undefined : key)}
          >
            <span aria-hidden="true">{open === key ? '▾' : '▸'}</span> {name}
          </UnstyledButton>
        );
      },
    },
    { key: 'service', head: text('filter.service'), cell: ({ serviceId }) => serviceId },
    {
      key: 'rows',
      head: text('lists.ids'),
      align: 'right',
      cell: ({ rows }) => <Figure value={rows} />,
    },
    {
      key: 'ready',
      head: clockHead(text('lists.uploaded')),
      cell: ({ readyAt }) => <Time at={readyAt} column />,
    },
    {
      key: 'expires',
      head: clockHead(text('tokens.expires')),
      cell: ({ expiresAt }) => <Time at={expiresAt} column />,
    },
    {
      key: 'acts',
      head: '',
      cell: (list) => (
        <div className={styles.acts}>
          {may('put /v1/audiences/{name}') && (
            <Button size="xs" onClick={() => upload(list)}>
              {text('lists.newVersion')}…
            </Button>
          )}
          {may('delete /v1/audiences/{name}') && (
            <Button size="xs" onClick={() => remove(list)}>
              {text('lists.delete')}…
            </Button>
          )}
        </div>
      ),
    },
  ];
}
