// The instants of a send in their order, with the length between each and the one before: where it waited is seen at a glance.
import type { WholeSend } from '../../api/sends.ts';
import { useTexts, type TextKey } from '../../i18n/text.ts';
import { lengthText } from '../../parts/time/length-text.ts';
import { Time } from '../../parts/time/time.tsx';
import styles from './send.module.css';

type Step = readonly [key: TextKey, at: string | null];

export function TimeLine({ send }: { readonly send: WholeSend }) {
  const text = useTexts();
  const steps: readonly Step[] = [
    ['send.step.intended', send.intendedAt],
    ['send.step.due', send.dueAt],
    ['send.step.handOff', send.handOffAt],
    ['send.step.handedOff', send.handedOffAt],
    ['send.step.answered', send.answeredAt],
    ['send.step.completed', send.completeTime],
  ];
  const known = steps.flatMap(([key, at]) => (at === null ? [] : [{ key, at }]));
  return (
    <ol className={styles.line} aria-label={text('send.times')}>
      {known.map(({ key, at }, index) => {
        const former = known[index - 1];
        const gap = former === undefined ? undefined : Date.parse(at) - Date.parse(former.at);
        return (
          <li key={key}>
            <span className={styles.step}>{text(key)}</span>
            <Time at={at} seconds />
            {gap !== undefined && gap !== 0 && (
              <span className={styles.gap}>
                {gap > 0 ? '+' : '−'} {lengthText(gap, text)}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
