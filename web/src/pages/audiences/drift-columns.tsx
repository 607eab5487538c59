// A user of whom the directory and the push service tell two clocks, in a line.
import type { Drift } from '../../api/recipients.ts';
import { useTexts } from '../../i18n/text.ts';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { lengthText } from '../../parts/time/length-text.ts';
import { offsetText } from '../../parts/time/reading.ts';
import { Time } from '../../parts/time/time.tsx';
import { nineOn } from './other-clock.ts';
import styles from './audiences.module.css';

export function useDriftColumns(): readonly Column<Drift>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  return [
    { key: 'user', head: text('recipient.id'), title: true, wide: true, cell: ({ userId }) => userId },
    {
      key: 'directory',
      head: text('drift.directory'),
      cell: ({ zone, zoneOffsetSeconds }) => (
        <>
          {zone} <span className={styles.quiet}>{offsetText(zoneOffsetSeconds / 60)}</span>
        </>
      ),
    },
    {
      key: 'registered',
      head: text('drift.registered'),
      cell: ({ registeredOffsetSeconds }) => offsetText(registeredOffsetSeconds / 60),
    },
    { key: 'nine', head: text('drift.nine'), cell: (drift) => <Nine drift={drift} /> },
    {
      key: 'told',
      head: clockHead(text('drift.told')),
      cell: ({ lookedUpAt }) => <Time at={lookedUpAt} column />,
    },
  ];
}

/** `01:00 8 h earlier`: on the clock that the push service has. */
function Nine({ drift: { zoneOffsetSeconds, registeredOffsetSeconds } }: { readonly drift: Drift }) {
  const text = useTexts();
  const { time, days } = nineOn(zoneOffsetSeconds, registeredOffsetSeconds);
  const ahead = registeredOffsetSeconds - zoneOffsetSeconds;
  const length = lengthText(Math.abs(ahead) * 1_000, text);
  return (
    <>
      {days === 0 ? time : text(days < 0 ? 'drift.dayBefore' : 'drift.dayAfter', { time })}{' '}
      <span className={styles.quiet}>{text(ahead > 0 ? 'drift.ahead' : 'drift.behind', { length })}</span>
    </>
  );
}
