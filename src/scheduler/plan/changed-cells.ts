// The cells that are decided differently than they were previewed (planning.md §9). Pure: a thread runs it.
import { isDeepStrictEqual } from 'node:util';
import type { DecidedCell } from '../decide/plan/plan-hash.js';
import type { PlanDifference } from '../decide/plan/plan-ports.js';

export type CellDifference = Pick<PlanDifference, 'cellsChanged' | 'cells'>;

/** The most cells that are listed. */
const MOST_SHOWN = 100;

type Decided = readonly [occurrence: string, cell: string, decided: DecidedCell['decided']];

/** `previewed`: as decidedTexts() reads them. */
export function changedCells(previewed: readonly string[], planned: readonly DecidedCell[]): CellDifference {
  const keyOf = (occurrence: string, cell: string): string => `${occurrence} ${cell}`;
  const before = new Map<string, DecidedCell>();
  for (const text of previewed) {
    for (const [occurrence, cell, decided] of JSON.parse(text) as Decided[])
      before.set(keyOf(occurrence, cell), { occurrence, cell, decided });
  }
  const after = new Map(planned.map((one) => [keyOf(one.occurrence, one.cell), one]));
  const changed = [...new Map([...before, ...after])]
    .map(([key, { occurrence, cell }]) => ({
      occurrence,
      cell,
      was: before.get(key)?.decided ?? null,
      is: after.get(key)?.decided ?? null,
    }))
    .filter(({ was, is }) => !isDeepStrictEqual(was, is));
  return { cellsChanged: changed.length, cells: changed.slice(0, MOST_SHOWN) };
}
