// The head of every page: what it is, and what can be done from here. It names the document too, for tabs and histories.
import { useEffect, type ReactNode } from 'react';
import styles from './page-head.module.css';

export interface PageHeadProps {
  readonly title: string;
  /** Before the title, such as a state. */
  readonly mark?: ReactNode;
  readonly facts?: ReactNode;
  readonly acts?: ReactNode;
}

export function PageHead({ title, mark, facts, acts }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Carillon`;
  }, [title]);
  return (
    <header className={styles.head}>
      <div className={styles.names}>
        <div className={styles.title}>
          {mark}
          <h1>{title}</h1>
        </div>
        {facts !== undefined && <div className={styles.facts}>{facts}</div>}
      </div>
      {acts !== undefined && <div className={styles.acts}>{acts}</div>}
    </header>
  );
}
