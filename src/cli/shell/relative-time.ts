// How far an instant is away, in words for a table: `in 12 min`, `3 h ago`. Pure.

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Whole units, rounded down; less than a second is `now`. Both in epoch milliseconds. */
export function relativeTime(at: number, now: number): string {
  const away = Math.abs(at - now);
  const [name, length] = UNITS.find(([, ms]) => away >= ms) ?? [];
  if (name === undefined) return 'now';
  const count = `${Math.floor(away / length)} ${name}`;
  return at > now ? `in ${count}` : `${count} ago`;
}
