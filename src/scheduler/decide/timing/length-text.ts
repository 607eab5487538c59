// A length of time in words: a long one in days and hours, a short one in minutes and seconds. Pure.

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `20 days 19 hours`: the two largest units, rounded down; below a second `250 ms`. */
export function lengthText(ms: number): string {
  const first = UNITS.findIndex(([, unit]) => ms >= unit);
  if (first < 0) return `${Math.max(0, Math.floor(ms))} ms`;
  let left = ms;
  const parts: string[] = [];
  for (const [name, unit] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / unit);
    left -= count * unit;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  return parts.join(' ');
}
