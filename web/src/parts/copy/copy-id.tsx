// An id in letters of one width, cut where it is long, copied whole.
import { CopyButton, Tooltip, UnstyledButton } from '@mantine/core';
import { useTexts } from '../../i18n/text.ts';
import styles from './copy-id.module.css';

export function CopyId({ id, short }: { readonly id: string; readonly short?: boolean }) {
  const text = useTexts();
  const shown = short === true ? shortId(id) : id;
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? text('copy.done') : text('copy.id')}>
          {/* Named by what one sees, so that it can be asked for by voice. */}
          <UnstyledButton className={styles.id} onClick={copy} aria-label={text('copy.named', { id: shown })}>
            {shown} {copied ? <span aria-hidden="true">✓</span> : <Sheets />}
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** Two sheets, drawn: fonts lack the glyph. */
function Sheets() {
  return (
    <svg className={styles.sheets} viewBox="0 0 12 12" aria-hidden="true">
      <rect x="1" y="1" width="7" height="7" rx="1" />
      <path d="M4 11h6a1 1 0 0 0 1-1V4" />
    </svg>
  );
}

/** The beginning and the end of a UUID: its middle tells two of one minute apart less well. */
export const shortId = (id: string): string => (id.length > 14 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);
