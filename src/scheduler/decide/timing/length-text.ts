// A length of time as people say it: days and hours of a long one, minutes and seconds of a short one. Pure.

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `20 days 19 hours`: the two largest units, cut, never rounded up; below a second `250 ms`. */
export function lengthText(ms: number): string {
  const first = UNITS.findIndex(([, unit]) => ms >= unit);
  if (first < 0) return `${Math.max(0, Math.floor(ms))} ms`;
  let left = ms;
  const said: string[] = [];
  for (const [name, unit] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / unit);
    left -= count * unit;
    if (count > 0) said.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  return said.join(' ');
}
