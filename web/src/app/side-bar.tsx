// The pages that this person may open. A page that does not exist yet is not named.
import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/text.ts';
import { SECTIONS } from './sections.ts';
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
      {SECTIONS.filter(({ needs }) => may(needs)).map(({ to, word, key }) => (
        <Link
          key={to}
          to={to}
          search={{}}
          className={styles.link}
          activeProps={{ 'aria-current': 'page' }}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          title={text('shell.goKey', { key })}
          onClick={() => onGo?.()}
        >
          {text(word)}
        </Link>
      ))}
    </nav>
  );
}
