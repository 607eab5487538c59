// The versions of a list, newest first, and uploads under way.
import { useQuery } from '@tanstack/react-query';
import { listQuery, type ListName } from '../../api/audiences.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import { InvalidZones } from './invalid-zones.tsx';

export function Versions({ list }: { readonly list: ListName }) {
  const text = useTexts();
  const clockHead = useClockHead();
  const query = useQuery(listQuery(list));
  return (
    <Panel query={query} rows={2}>
      {({ versions, uploads }) => (
        <>
          {uploads.map(({ version, rows, begunAt }) => (
            <p key={version}>
              {text('lists.underWay', { rows: wholeText(rows) })} <Time at={begunAt} />
            </p>
          ))}
          <DataTable
            name={text('lists.versions')}
            rows={versions}
            rowKey={({ version }) => version}
            columns={[
              {
                key: 'at',
                head: clockHead(text('lists.uploaded')),
                title: true,
                cell: ({ readyAt, counts }) => (
                  <>
                    <Time at={readyAt} column /> {counts && <strong>{text('lists.counts')}</strong>}
                  </>
                ),
              },
              {
                key: 'rows',
                head: text('lists.ids'),
                align: 'right',
                cell: ({ rows }) => <Figure value={rows} />,
              },
              {
                key: 'duplicates',
                head: text('lists.duplicates'),
                align: 'right',
                cell: ({ duplicates }) => <Figure value={duplicates} />,
              },
              {
                key: 'zones',
                head: text('lists.zones'),
                align: 'right',
                cell: ({ byZone }) => <Figure value={byZone.filter(({ zone }) => zone !== null).length} />,
              },
              {
                key: 'campaigns',
                head: text('lists.campaigns'),
                align: 'right',
                cell: ({ campaigns }) => <Figure value={campaigns} />,
              },
              {
                key: 'invalid',
                head: text('lists.invalidZones'),
                wide: true,
                cell: ({ invalidZones }) => <InvalidZones zones={invalidZones} />,
              },
            ]}
          />
        </>
      )}
    </Panel>
  );
}
