// A code never stands alone: its sentence first, then the code, and below it what the server says in this case.
import { useTexts } from '../../i18n/text.ts';
import styles from './reason.module.css';

export interface ReasonProps {
  readonly code: string | null | undefined;
  readonly detail?: string | null | undefined;
  /** In a line, without the detail. */
  readonly short?: boolean;
}

export function Reason({ code, detail, short }: ReasonProps) {
  const text = useTexts();
  if (code === null || code === undefined) {
    return detail === null || detail === undefined ? null : <span className={styles.detail}>{detail}</span>;
  }
  const key = codeKey(code);
  return (
    <span className={styles.reason}>
      {text.has(key) && <span>{text(key)} </span>}
      <code className={styles.code}>{code}</code>
      {short !== true && detail !== null && detail !== undefined && (
        <span className={styles.detail}>{detail}</span>
      )}
    </span>
  );
}

/** REFUSED_4031 and the like share a sentence: the number is the push service's own. */
const codeKey = (code: string): string => `code.${code.replace(/^REFUSED_-?\d+$/, 'REFUSED_n')}`;
