// A day of 24 hours at the recipients' place. The sentence beside it says the same; the picture is for the eye alone.
import type { DayMarks, Span } from './day.ts';
import styles from './strip.module.css';

export interface StripProps {
  readonly marks: DayMarks;
  readonly night: readonly Span[];
  readonly quiet: readonly Span[];
  /** The clock of the zone changes on that day. */
  readonly changes: boolean;
}

const share = (hours: number): string => `${(hours / 24) * 100}%`;

export function Strip({ marks: { asked, due, last }, night, quiet, changes }: StripProps) {
  return (
    <span className={styles.strip} aria-hidden="true">
      {night.map(({ from, to }) => (
        <span
          key={`n${from}`}
          className={styles.night}
          style={{ left: share(from), width: share(to - from) }}
        />
      ))}
      {quiet.map(({ from, to }) => (
        <span
          key={`q${from}`}
          className={styles.quiet}
          style={{ left: share(from), width: share(to - from) }}
        />
      ))}
      {due !== undefined && last !== undefined && (
        <span className={styles.pace} style={{ left: share(due), width: share(last - due) }} />
      )}
      {asked !== undefined && <span className={styles.asked} style={{ left: share(asked) }} />}
      {due !== undefined && <span className={styles.due} style={{ left: share(due) }} />}
      {changes && <span className={styles.changes}>◆</span>}
    </span>
  );
}

/** The hours above a column of strips. */
export function StripScale() {
  return (
    <span className={styles.scale} aria-hidden="true">
      {[0, 6, 12, 18, 24].map((hour) => (
        <span key={hour} style={{ left: share(hour) }}>
          {hour}
        </span>
      ))}
    </span>
  );
}
