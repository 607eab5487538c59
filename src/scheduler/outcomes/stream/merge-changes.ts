// Merges changes of one subject into one, so that a burst costs its readers one event. Pure.
import type { Change } from '../../store/change.store.js';

/** The most entries of a list in one event; `more` then says that there are others. */
const MOST_LISTED = 50;

export const keyOf = ({ event, subject }: Pick<Change, 'event' | 'subject'>): string => `${event} ${subject}`;

/** Adds a change to those that wait, by event and subject. The key moves to the end: the last change decides the order. */
export function addChange(waiting: Map<string, Change>, change: Change): void {
  const key = keyOf(change);
  const before = waiting.get(key);
  waiting.delete(key);
  waiting.set(key, before === undefined ? change : { ...change, data: merged(before.data, change.data) });
}

type Data = Readonly<Record<string, unknown>>;

function merged(before: Data, after: Data): Data {
  const data: Record<string, unknown> = { ...before, ...after };
  for (const [name, value] of Object.entries(after)) {
    const other = before[name];
    if (isCounts(value) && isCounts(other)) data[name] = summed(other, value);
    if (!Array.isArray(value) || !Array.isArray(other)) continue;
    const all = [...new Set<unknown>([...(other as unknown[]), ...(value as unknown[])])];
    data[name] = all.slice(-MOST_LISTED);
    if (all.length > MOST_LISTED) data['more'] = true;
  }
  if (before['more'] === true) data['more'] = true;
  return data;
}

function isCounts(value: unknown): value is Record<string, number> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one === 'number')
  );
}

function summed(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
