// What the statements over a batch of sends share.
import type { EpochMs } from '../../zone-rules/zone-rules.js';

let last: { readonly at: EpochMs; readonly text: string } = { at: 0, text: new Date(0).toISOString() };

/** As a column of text carries it. Most rows of a batch tell the instant of the row before. */
export function instant(at: EpochMs | null): string | null {
  if (at === null) return null;
  if (last.at !== at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}

/** The order in which every statement over many sends locks them, so that two never wait for each other in a circle. */
export function inOrderOfId<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
