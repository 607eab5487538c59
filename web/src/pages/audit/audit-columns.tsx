// A deed in a line; what it changed opens under it.
import type { AuditRow } from '../../api/access.ts';
import { useTexts } from '../../i18n/text.ts';
import { shortId } from '../../parts/copy/copy-id.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './audit.module.css';

export function useAuditColumns(): readonly Column<AuditRow>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  return [
    {
      key: 'at',
      head: clockHead(text('history.at')),
      title: true,
      cell: ({ at }) => <Time at={at} column seconds />,
    },
    { key: 'who', head: text('audit.who'), cell: ({ who }) => <Who who={who} /> },
    {
      key: 'action',
      head: text('audit.action'),
      title: true,
      cell: ({ action }) => <strong>{action}</strong>,
    },
    {
      key: 'target',
      head: text('audit.target'),
      cell: ({ target }) => <span className={styles.mono}>{target}</span>,
    },
    { key: 'service', head: text('filter.service'), cell: ({ serviceId }) => serviceId ?? '–' },
    {
      key: 'change',
      head: text('audit.change'),
      wide: true,
      cell: ({ before, after }) => <Changed before={before} after={after} />,
    },
  ];
}

/** `token:name (id)`: the id tells two tokens of one name apart. */
function Who({ who }: { readonly who: string }) {
  const [, name = who, id] = /^(.*) \(([^()]+)\)$/.exec(who) ?? [];
  return (
    <>
      {name}
      {id !== undefined && (
        <div className={styles.id} title={id}>
          {shortId(id)}
        </div>
      )}
    </>
  );
}

function Changed({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const text = useTexts();
  const sides = [
    ['audit.before', before],
    ['audit.after', after],
  ] as const;
  const shown = sides.filter(([, value]) => value !== null && value !== undefined);
  if (shown.length === 0) return '–';
  return (
    <details>
      <summary>{shown.map(([word]) => text(word)).join(', ')}</summary>
      {shown.map(([word, value]) => (
        <div key={word}>
          <span className={styles.quiet}>{text(word)}</span>
          <pre className={styles.json}>{JSON.stringify(value, null, 2)}</pre>
        </div>
      ))}
    </details>
  );
}
