// What is wrong with an event, each with its place and the server's own words.
import type { EventReason } from '../../api/events.ts';
import { useTexts } from '../../i18n/text.ts';
import { lineAt, placeOf } from '../../parts/json-editor/json-place.ts';
import styles from './rejected.module.css';

export interface ProblemListProps {
  readonly problems: readonly EventReason[];
  /** The text that the places are in, where it is shown. */
  readonly json?: string;
}

export function ProblemList({ problems, json }: ProblemListProps) {
  const text = useTexts();
  return (
    <ul className={styles.problems} aria-label={text('rejected.problem')}>
      {problems.map(({ pointer, code, text: words }) => (
        <li key={`${pointer} ${code} ${words}`}>
          <span className={styles.where}>
            {json !== undefined && (
              <span>{text('editor.line', { line: lineAt(json, placeOf(json, pointer).from) })} </span>
            )}
            <code>{pointer === '' ? '/' : pointer}</code>
          </span>
          <span lang="en">
            {words} <code className={styles.code}>{code}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}
