// A count. It never wraps, and zero is 0: what is not known has a dash and a word for it.
import { shortText, wholeText } from './figure-text.ts';
import styles from './figure.module.css';

export interface FigureProps {
  /** undefined: not known. */
  readonly value: number | undefined | null;
  /** From a million on in short. */
  readonly short?: boolean;
  /** There may be more than were counted. */
  readonly atLeast?: boolean;
}

export function Figure({ value, short, atLeast }: FigureProps) {
  if (value === undefined || value === null) return <span className={styles.figure}>–</span>;
  return (
    <span className={styles.figure} {...(short === true && { title: wholeText(value) })}>
      {short === true ? shortText(value) : wholeText(value)}
      {atLeast === true && '+'}
    </span>
  );
}
