// Numbers as text: groups of three with a thin space, whole in tables, short in heads. Pure.

/** Narrow and unbroken: a figure never wraps. */
const GROUP = '\u202f';

/** `1 980` */
export function wholeText(value: number): string {
  const digits = String(Math.abs(Math.trunc(value)));
  const grouped = digits.replace(/\B(?=(?:\d{3})+$)/g, GROUP);
  return value < 0 ? `−${grouped}` : grouped;
}

const SHORT: readonly (readonly [least: number, letter: string])[] = [
  [1e9, 'G'],
  [1e6, 'M'],
];

/** `61.4 M` from a million on, whole below. Cut, not rounded: never more than there is. */
export function shortText(value: number): string {
  const [least, letter] = SHORT.find(([from]) => Math.abs(value) >= from) ?? [];
  if (least === undefined) return wholeText(value);
  return `${(Math.floor((value / least) * 10) / 10).toFixed(1)}${GROUP}${letter}`;
}

/** A rate with one decimal, cut so that what is not whole is never 100 %; `–` of nothing. */
export function rateText(numerator: number, denominator: number): string {
  if (denominator === 0) return '–';
  return `${(Math.floor((numerator / denominator) * 1_000) / 10).toFixed(1)}${GROUP}%`;
}
