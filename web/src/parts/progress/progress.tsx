// How far the sends of something are: a bar of their ends beside the figures, which say the same to who does not see it.
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../figure/figure.tsx';
import { SEND_TERMS, summedSends, type SendTerm } from './send-terms.ts';
import styles from './progress.module.css';

const COLOURS: Readonly<Record<Exclude<SendTerm, 'open'>, string>> = {
  sent: 'var(--state-sent)',
  failed: 'var(--state-failed)',
  uncertain: 'var(--state-uncertain)',
  late: 'var(--state-late)',
  nobody: 'var(--line-strong)',
  leftOut: 'var(--line-strong)',
};

export interface ProgressProps {
  /** Newest sends by state. */
  readonly sends: Readonly<Record<string, number>>;
  readonly atLeast?: boolean;
}

export function Progress({ sends, atLeast }: ProgressProps) {
  const text = useTexts();
  const { total, terms } = summedSends(sends);
  if (total === 0) return <span className={styles.none}>{text('progress.none')}</span>;
  const ended = SEND_TERMS.filter((term): term is keyof typeof COLOURS => term !== 'open' && terms[term] > 0);
  return (
    <span className={styles.progress}>
      <span className={styles.bar} aria-hidden="true">
        {ended.map((term) => (
          <span key={term} style={{ width: `${(terms[term] / total) * 100}%`, background: COLOURS[term] }} />
        ))}
      </span>
      <span>
        <Figure value={total - terms.open} /> / <Figure value={total} atLeast={atLeast === true} />
      </span>
    </span>
  );
}
