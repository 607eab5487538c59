// A part of a page that shows one answer, in its five states: loading, empty, whole, failed, and failed with what was known before. A zero is
// none of them: it is a figure.
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { Time } from '../time/time.tsx';
import { Failed } from './failed.tsx';
import styles from './panel.module.css';

/** As much of a query as is shown. */
export interface PanelQuery<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
}

export interface PanelProps<Data> {
  readonly title?: string;
  readonly query: PanelQuery<Data>;
  /** Of the answer, where it tells; else the instant when it came. */
  readonly asOf?: (data: Data) => string;
  /** What would be here and how it comes here; undefined: there is something. */
  readonly empty?: (data: Data) => ReactNode;
  /** Rows of grey while it loads: about as many as will come. */
  readonly rows?: number;
  readonly aside?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

export function Panel<Data>(props: PanelProps<Data>) {
  const { query, empty, rows = 3, children } = props;
  const { data, error } = query;
  const isKnown = data !== undefined;
  return (
    <section className={styles.panel} aria-busy={!isKnown && error === null}>
      <Head {...props} />
      {error !== null && <Failed error={error} known={isKnown} again={() => void query.refetch()} />}
      {!isKnown && error === null && <Shapes rows={rows} />}
      {isKnown && (
        <div className={error === null ? undefined : styles.stale}>{empty?.(data) ?? children(data)}</div>
      )}
    </section>
  );
}

function Head<Data>({ title, aside, asOf, query: { data } }: PanelProps<Data>) {
  if (title === undefined && aside === undefined && asOf === undefined) return null;
  return (
    <div className={styles.head}>
      {title !== undefined && <h2>{title}</h2>}
      <div className={styles.aside}>
        {aside}
        {data !== undefined && asOf !== undefined && <AsOf at={asOf(data)} />}
      </div>
    </div>
  );
}

export function AsOf({ at }: { readonly at: string }) {
  const text = useTexts();
  return (
    <span className={styles.asOf}>
      {text('panel.asOf')} <Time at={at} seconds />
    </span>
  );
}

export function Empty({ children, hint }: { readonly children: ReactNode; readonly hint?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{children}</p>
      {hint !== undefined && <div className={styles.hint}>{hint}</div>}
    </div>
  );
}

function Shapes({ rows }: { readonly rows: number }) {
  const text = useTexts();
  return (
    <div className={styles.shapes} role="status" aria-label={text('panel.loading')}>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} />
      ))}
    </div>
  );
}
