// How far a set of sends is that a preview froze, who made and who confirmed it, and which sends it leaves out.
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../figure/figure.tsx';
import { Reason } from '../reason/reason.tsx';
import { DataTable } from '../table/data-table.tsx';
import { Time } from '../time/time.tsx';
import styles from './set-standing.module.css';

export interface SetStandingProps {
  readonly set: {
    readonly state: string;
    readonly createdAt: string;
    readonly createdBy: string;
    readonly expiresAt: string | null;
    readonly confirmedAt: string | null;
    readonly confirmedBy: string | null;
  };
  /** Its state in words. */
  readonly word: string;
  readonly children?: ReactNode;
}

export function SetStanding({ set, word, children }: SetStandingProps) {
  const text = useTexts();
  const { state, createdAt, createdBy, expiresAt, confirmedAt, confirmedBy } = set;
  return (
    <div>
      <p className={styles.state} role="status">
        {word}
      </p>
      {children}
      <p className={styles.quiet}>
        {text('retries.frozen')} <Time at={createdAt} seconds /> · {createdBy}
      </p>
      {expiresAt !== null && state === 'ready' && (
        <p className={styles.quiet}>
          {text('retries.goodUntil')} <Time at={expiresAt} relative short />
        </p>
      )}
      {confirmedAt !== null && (
        <p className={styles.quiet}>
          {text('retries.confirmed')} <Time at={confirmedAt} seconds /> · {confirmedBy}
        </p>
      )}
    </div>
  );
}

/** By code; the most frequent first. */
export function LeftOut({ leftOut }: { readonly leftOut: Readonly<Record<string, number>> }) {
  const text = useTexts();
  const rows = Object.entries(leftOut).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return null;
  return (
    <DataTable
      name={text('retries.leftOutWhy')}
      rows={rows}
      rowKey={([code]) => code}
      columns={[
        {
          key: 'why',
          head: text('retries.leftOutWhy'),
          title: true,
          wide: true,
          cell: ([code]) => <Reason code={code} />,
        },
        {
          key: 'count',
          head: text('plan.sends'),
          align: 'right',
          cell: ([, count]) => <Figure value={count} />,
        },
      ]}
    />
  );
}
