// What the statements over a batch of sends share.
import type { EpochMs } from '../decide/ports.js';

/** As a column of text carries it. */
export function instant(at: EpochMs | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The order in which every statement over many sends locks them, so that two never wait for each other in a circle. */
export function inOrderOfId<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
