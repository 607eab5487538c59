// The parts of a page as tabs under its head. A part knows no route, so the page makes the links and takes the class from here.
import type { ReactNode } from 'react';
import styles from './page-tabs.module.css';

export interface PageTabsProps {
  readonly name: string;
  readonly children: (tabClass: string) => ReactNode;
}

export function PageTabs({ name, children }: PageTabsProps) {
  return (
    <nav className={styles.tabs} aria-label={name}>
      {children(styles.tab ?? '')}
    </nav>
  );
}
