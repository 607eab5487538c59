// Cells as a preview shows them, and how two plans differ cell by cell. Pure.
import { instantText, instantTextOr } from '../../platform/instant.js';
import type { PlanDifference } from '../decide/plan/campaign-draft.js';
import type { CellRow } from '../store/send/planned-rows.store.js';

/** The members of GET /v1/campaigns/{id}/plan, so that a preview and what came of it can be laid side by side. */
export type ShownCell = Readonly<Record<string, unknown>> & {
  readonly occurrence: string;
  readonly cell: string;
};

export function shownCell(row: CellRow): ShownCell {
  const { occurrence, cell, zone, zoneSource, segment, deviceType, country, target } = row;
  return {
    occurrence,
    cell,
    zone,
    zoneSource,
    segment,
    deviceType,
    country,
    target,
    local: row.localReading,
    intendedAt: instantTextOr(row.intendedAt),
    dueAt: instantTextOr(row.dueAt),
    handOffAt: instantText(row.handOffAt),
    mode: row.mode,
    rule: row.modeRule,
    verdicts: row.verdicts,
    skipped: row.skippedCode,
    requests: row.chunks,
    recipients: row.recipients,
  };
}

const LISTED = 100;

/** `was` undefined: the previewed plan is not kept any more. */
export function differenceOf(
  planHash: string,
  was: readonly ShownCell[] | undefined,
  is: readonly ShownCell[],
): PlanDifference {
  if (was === undefined) return { planHash, cellsChanged: 0, cells: [], known: false };
  const keyOf = ({ occurrence, cell }: ShownCell): string => `${occurrence} ${cell}`;
  const before = new Map(was.map((cell) => [keyOf(cell), cell]));
  const after = new Map(is.map((cell) => [keyOf(cell), cell]));
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({
      was: decided(before.get(key)),
      is: decided(after.get(key)),
      named: after.get(key) ?? before.get(key),
    }))
    .filter((pair) => JSON.stringify(pair.was) !== JSON.stringify(pair.is));
  const cells = changed.slice(0, LISTED).map((pair) => ({
    occurrence: pair.named?.occurrence ?? '',
    cell: pair.named?.cell ?? '',
    was: pair.was,
    is: pair.is,
  }));
  return { planHash, cellsChanged: changed.length, cells, known: true };
}

/** What a hash is over, of one cell; its mode and hand-off change by the minute. */
function decided(cell: ShownCell | undefined): object | null {
  if (cell === undefined) return null;
  const { dueAt, requests, recipients, skipped } = cell;
  return { dueAt, requests, recipients, skipped };
}
