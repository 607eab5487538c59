// The way into the palette: ⌘K or Ctrl K anywhere, also from a field, or the button above every page. The palette is loaded when it is first opened.
import { UnstyledButton } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTexts } from '../../i18n/text.ts';
import styles from './palette-button.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

const IS_MAC = /Mac|iPhone|iPad/.test(window.navigator.userAgent);
const KEYS = IS_MAC ? '⌘K' : 'Ctrl K';

export function PaletteButton() {
  const text = useTexts();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(IS_MAC ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <UnstyledButton className={styles.button} onClick={() => setOpen(true)}>
        <svg className={styles.glass} viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" />
          <path d="m10.5 10.5 3.5 3.5" />
        </svg>
        <span className={styles.words}>{text('palette.title')}</span>
        <kbd className={styles.words}>{KEYS}</kbd>
      </UnstyledButton>
      {isOpen && (
        <Suspense fallback={null}>
          <Palette close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
