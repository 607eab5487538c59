// Names that came as zones and are none, each with the zone that was meant perhaps.
import { useTexts } from '../../i18n/text.ts';
import styles from './audiences.module.css';

export interface InvalidZone {
  readonly value: string;
  readonly rows: number;
  readonly near?: string;
}

export function InvalidZones({ zones }: { readonly zones: readonly InvalidZone[] }) {
  const text = useTexts();
  if (zones.length === 0) return '–';
  return (
    <span className={styles.lines}>
      {zones.map(({ value, rows, near }) => (
        <span key={value}>
          {near === undefined
            ? text('lists.invalid', { value, rows })
            : text('lists.invalidNear', { value, rows, near })}
        </span>
      ))}
    </span>
  );
}
