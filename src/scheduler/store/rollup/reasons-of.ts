// Why devices and ids did not get a send, as the text that is its detail: "NO_AD_AGREEMENT: 12 devices, UNKNOWN_ID: 3 ids". Lists of sends
// find a reason in it.
import type { ReportedGroup } from './reported-group.js';

/** The unit of each outcome that is a loss. */
const UNITS: Partial<Record<ReportedGroup['outcome'], readonly [one: string, many: string]>> = {
  suppressed: ['device', 'devices'],
  failed: ['device', 'devices'],
  unknown: ['device', 'devices'],
  absent: ['id', 'ids'],
};
/** The outcomes by which somebody got nothing. */
export const LOSSES = Object.keys(UNITS);
/** How many reasons it names, the most frequent ones. */
const MOST_NAMED = 5;

/** null: nothing was lost, or nobody says why. */
export function reasonsOf(reported: readonly ReportedGroup[]): string | null {
  const sums = new Map<string, { readonly units: readonly [string, string]; count: number }>();
  for (const { outcome, reason, devices } of reported) {
    const units = UNITS[outcome];
    if (units === undefined || reason === null) continue;
    const sum = sums.get(reason) ?? { units, count: 0 };
    sum.count += devices;
    sums.set(reason, sum);
  }
  const named = [...sums].toSorted(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
  const texts = named
    .slice(0, MOST_NAMED)
    .map(([reason, { units, count }]) => `${reason}: ${count} ${units[count === 1 ? 0 : 1]}`);
  return texts.length === 0 ? null : texts.join(', ');
}

/** The condition that a send `s` names `reason`, an SQL text, in its detail. */
export const namesReason = (reason: string): string =>
  `position(', ' || ${reason} || ': ' in ', ' || s.detail) > 0`;
