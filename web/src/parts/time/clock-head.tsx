// The head of a column of times: what it is, and on whose clock. A cell that is on another names its own.
import { useTexts } from '../../i18n/text.ts';
import { useClock } from './clock-context.ts';
import { cityOf, ownZone } from './reading.ts';

export function useClockHead(): (word: string) => string {
  const text = useTexts();
  const { clock } = useClock();
  const name = clock === 'mine' ? cityOf(ownZone()) : text(`clock.${clock}`);
  return (word) => text('clock.head', { word, clock: name });
}
