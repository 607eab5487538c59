// A sum with all its terms, and whether they add up by the server's word. A term of nothing is left out, but for those that say that all
// went well by being there.
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from './figure.tsx';
import styles from './sum.module.css';

export interface SumTerm {
  readonly word: string;
  readonly value: number;
  readonly colour?: string;
  /** Shown also where it is 0. */
  readonly always?: boolean;
  /** Not counted, but what is left of the others. */
  readonly derived?: boolean;
  /** Makes the figure the way to its rows. */
  readonly link?: (figure: ReactNode) => ReactNode;
}

export interface SumProps {
  readonly name: string;
  readonly whole: SumTerm;
  readonly terms: readonly SumTerm[];
  /** The server's word; undefined: it says nothing about this sum. */
  readonly balanced?: boolean;
  readonly final?: boolean;
  /** At the end of the line, such as a rate. */
  readonly children?: ReactNode;
}

export function Sum({ name, whole, terms, balanced, final, children }: SumProps) {
  const text = useTexts();
  const shown = terms.filter(({ value, always }) => value !== 0 || always === true);
  return (
    <div className={styles.sum}>
      <span className={styles.name}>{name}</span>
      <span className={styles.terms}>
        <Term {...whole} />
        {shown.map((term, index) => (
          <span key={term.word} className={styles.part}>
            <span className={styles.sign} aria-hidden="true">
              {index === 0 ? '=' : '+'}
            </span>
            <Term {...term} />
          </span>
        ))}
      </span>
      <span className={styles.verdict}>
        {balanced === true && <span className={styles.well}>✓ {text('sum.balanced')}</span>}
        {balanced === false && <span className={styles.badly}>✕ {text('sum.unbalanced')}</span>}
        {final === false && <span>{text('sum.notFinal')}</span>}
        {children}
      </span>
    </div>
  );
}

function Term({ word, value, colour, derived, link = (figure) => figure }: SumTerm) {
  const text = useTexts();
  return (
    <span className={styles.term}>
      {word}{' '}
      <strong style={colour === undefined || value === 0 ? {} : { color: colour }}>
        {link(<Figure value={value} />)}
      </strong>
      {derived === true && <span className={styles.quiet}> {text('sum.derived')}</span>}
    </span>
  );
}
