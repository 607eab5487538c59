// A length of time in the words of the language.
import type { Texts } from '../../i18n/text.ts';
import { lengthParts } from './length.ts';

export const lengthText = (ms: number, text: Texts): string =>
  lengthParts(ms)
    .map(({ unit, value }) => text(`unit.${unit}`, { value }))
    .join(' ');

/** `in 3 h 10 min`, `2 min 05 s ago`, `now` within a second. */
export function relativeText(at: number, now: number, text: Texts): string {
  const ahead = at - now;
  if (Math.abs(ahead) < 1_000) return text('time.now');
  return text(ahead > 0 ? 'time.in' : 'time.ago', { length: lengthText(ahead, text) });
}
