// Whose clock the times are shown on. What has no such clock is shown on mine, and says so by its zone.
import { NativeSelect } from '@mantine/core';
import { useTexts } from '../i18n/text.ts';
import { useClock } from '../parts/time/clock-context.ts';
import { CLOCKS, ownZone, type ClockName } from '../parts/time/reading.ts';
import styles from './clock-choice.module.css';

export function ClockChoice() {
  const text = useTexts();
  const { clock, choose } = useClock();
  return (
    <label className={styles.choice}>
      <span>{text('clock.label')}</span>
      <NativeSelect
        size="xs"
        value={clock}
        onChange={(event) => choose(event.currentTarget.value as ClockName)}
        data={CLOCKS.map((name) => ({
          value: name,
          label: name === 'mine' ? text('clock.mineOf', { zone: ownZone() }) : text(`clock.${name}`),
        }))}
      />
    </label>
  );
}
