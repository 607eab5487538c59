// What an act will come to, or came to: the server's counts, each in a sentence. A count of nothing is not said.
import type { ReactNode } from 'react';
import type { ActTaken } from '../../api/acts.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Time } from '../../parts/time/time.tsx';
import styles from './campaign.module.css';

export function ActCounts({ taken, isDone }: { readonly taken: ActTaken; readonly isDone: boolean }) {
  const text = useTexts();
  const { act, preview, changed } = taken;
  if (isDone) {
    return (
      <p>
        {changed ? text(`act.done.${act}`) : text('act.nothingNew')} {text('act.follow')}
      </p>
    );
  }
  if (preview === null) return null;
  const { atOnce, askedOfPushService, inFlight, tooLate, late, firstDueAt } = preview;
  const lines: readonly (readonly [count: number, sentence: ReactNode])[] = [
    [atOnce, text(`act.atOnce.${act}`, { count: wholeText(atOnce), n: atOnce })],
    [
      askedOfPushService,
      text(`act.asked.${act}`, { count: wholeText(askedOfPushService), n: askedOfPushService }),
    ],
    [late.expire, text('act.lateExpire', { count: wholeText(late.expire), n: late.expire })],
    [late.send, text('act.lateSend', { count: wholeText(late.send), n: late.send })],
    [inFlight, text('act.inFlight', { count: wholeText(inFlight), n: inFlight })],
    [tooLate, text('act.tooLate', { count: wholeText(tooLate), n: tooLate })],
  ];
  const shown = lines.filter(([count]) => count > 0);
  return (
    <div className={styles.counts}>
      {shown.length === 0 ? (
        <p>{text('act.movesNothing')}</p>
      ) : (
        <ul>
          {shown.map(([, sentence], index) => (
            <li key={index}>{sentence}</li>
          ))}
        </ul>
      )}
      {firstDueAt !== null && (
        <p className={styles.quiet}>
          {text('act.firstDue')} <Time at={firstDueAt} relative />
        </p>
      )}
    </div>
  );
}
