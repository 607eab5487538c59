// An instant, everywhere the same way: on the chosen clock with its zone, and on focus on all clocks with the ISO text.
import { Tooltip } from '@mantine/core';
import { useTexts } from '../../i18n/text.ts';
import { useClock } from './clock-context.ts';
import { relativeText } from './length-text.ts';
import { CLOCKS, readingFor, readingOn, type ClockName, type ToldClock } from './reading.ts';
import styles from './time.module.css';

export interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  readonly campaign?: ToldClock | undefined;
  readonly recipient?: ToldClock | undefined;
  readonly seconds?: boolean;
  /** With `in 3 h` beside it. */
  readonly relative?: boolean;
  /** In a column whose head names the clock (clock-head.tsx): the zone stands in the cell only where it is another one. */
  readonly column?: boolean;
  /** Without the zone, where a time beside it has it. */
  readonly short?: boolean;
  /** On this clock whatever is chosen, where that is what the place means. */
  readonly on?: ClockName;
  /** Inside a link or a button, which takes the focus itself. */
  readonly still?: boolean;
}

export function Time({ at, campaign, recipient, seconds, relative, column, short, on, still }: TimeProps) {
  const text = useTexts();
  const { clock: chosen, now } = useClock();
  const clock = on ?? chosen;
  const instant = Date.parse(at);
  const told = { campaign, recipient };
  const options = { locale: text.locale, now: now(), seconds };
  const shown = readingFor(clock, instant, told, options);
  const body = (
    <time dateTime={at} className={styles.time} {...(still !== true && { tabIndex: 0 })}>
      {shown.text}
      {short !== true && !(column === true && shown.clock === clock) && (
        <span className={styles.zone}> {shown.zone}</span>
      )}
      {relative === true && (
        <span className={styles.zone}>
          {text('list.separator')}
          {relativeText(instant, now(), text)}
        </span>
      )}
    </time>
  );
  if (still === true) return body;
  return (
    <Tooltip
      multiline
      label={
        <span className={styles.clocks}>
          {CLOCKS.map((name) => {
            const reading = readingOn(name, instant, told, { ...options, seconds: true });
            return (
              reading !== undefined && (
                <span key={name} className={styles.clock}>
                  <span>{text(`clock.${name}`)}</span>
                  <span>
                    {reading.text} {reading.zone}
                  </span>
                </span>
              )
            );
          })}
          <span className={styles.iso}>{at}</span>
        </span>
      }
      events={{ hover: true, focus: true, touch: true }}
    >
      {body}
    </Tooltip>
  );
}
