// The pages that this person may open. A page that does not exist yet is not named.
import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/text.ts';
import { SECTIONS, wayTo } from './sections.ts';
import { useMay } from './session-context.ts';
import styles from './side-bar.module.css';

export function SideBar() {
  return (
    <aside className={styles.side}>
      <Sections />
    </aside>
  );
}

export function Sections({ onGo }: { readonly onGo?: () => void }) {
  const text = useTexts();
  const may = useMay();
  return (
    <nav aria-label={text('shell.pages')} className={styles.pages}>
      {SECTIONS.map((section) => {
        const to = wayTo(section, may);
        return (
          to !== undefined && (
            <Link
              key={to}
              to={to}
              search={{}}
              className={styles.link}
              activeProps={{ 'aria-current': 'page' }}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              title={text('shell.goKey', { key: section.key })}
              onClick={() => onGo?.()}
            >
              {text(section.word)}
            </Link>
          )
        );
      })}
    </nav>
  );
}
