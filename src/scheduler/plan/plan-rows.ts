// Makes the rows of a plan (planning.md §1, §9). Pure, and lazy where a campaign is large: sends are made one by one as USER ids
// stream by, so that a million of them are never in memory as rows.
import { idsAt } from '../../platform/uuids-at.js';
import type { PlannedCell, PlannedOccurrence, SkipCode } from '../decide/plan/plan-types.js';
import { dueOfChunk } from '../decide/plan/planned-cell.js';
import { lengthText } from '../decide/timing/length-text.js';
import { chooseMode } from '../decide/timing/send-mode.js';
import { chunkRecipients } from '../decide/audience/chunk-recipients.js';
import { inlineRecipients, RecipientPlacer, type Place } from '../decide/audience/recipients.js';
import type { OccurrenceRow, SendRow } from '../store/send/planned-rows.store.js';
import type { PlannedFrom } from './plan-from.js';
import { shownCells } from './shown-plan.js';

export function occurrenceRows({ id, revision, plan }: PlannedFrom): OccurrenceRow[] {
  return plan.occurrences.map(({ occurrence, cells, skipped }) => {
    const leaving = cells.filter((cell) => cell.skipped === undefined && cell.mode !== 'scheduled');
    return {
      campaign: id,
      occurrence,
      revision,
      state: skipped === undefined ? 'planned' : 'skipped',
      code: skipped ?? null,
      firstDue: leaving.length === 0 ? null : Math.min(...leaving.map((cell) => cell.dueAt)),
      lastDue: leaving.length === 0 ? null : Math.max(...leaving.map((cell) => cell.lastDueAt)),
    };
  });
}

export function cellRows({ id, revision, plan }: PlannedFrom): object[] {
  // Member by member: with spreads this took half as long as deciding the cells.
  return plan.occurrences.flatMap(shownCells).map((shown) => ({
    campaign: id,
    revision,
    occurrence: shown.occurrence,
    cell: shown.cell,
    zone: shown.zone,
    zoneSource: shown.zoneSource,
    segment: shown.segment,
    deviceType: shown.deviceType,
    country: shown.country,
    target: shown.target,
    localReading: shown.local,
    intendedAt: shown.intendedAt,
    dueAt: shown.dueAt,
    handOffAt: shown.handOffAt,
    mode: shown.mode,
    modeRule: shown.rule,
    verdicts: shown.verdicts,
    skippedCode: shown.skipped,
    chunks: shown.requests,
    recipients: shown.recipients,
  }));
}

/** Every send of the plan, occurrence by occurrence. Throws where requests and chunks do not match, which is a bug. */
export function* sendRows(from: PlannedFrom): Generator<SendRow, void, void> {
  const nextId = idsAt(from.now);
  for (const occurrence of from.plan.occurrences) {
    const made = new Map<string, number>();
    for (const { cell, chunk, to } of chunksOf(from, occurrence)) {
      if (chunk >= cell.chunks)
        throw new Error(`cell ${cell.key} has more chunks than the plan's ${cell.chunks}`);
      made.set(cell.key, (made.get(cell.key) ?? 0) + 1);
      yield sendRow(from, nextId(), { occurrence: occurrence.occurrence, cell, chunk, to });
    }
    for (const cell of occurrence.cells) {
      const chunks = made.get(cell.key) ?? 0;
      if (chunks !== cell.chunks)
        throw new Error(`cell ${cell.key} has ${chunks} chunks, the plan ${cell.chunks}`);
    }
  }
}

interface CellChunk {
  readonly cell: PlannedCell;
  readonly chunk: number;
  readonly to: readonly string[] | null;
}

function* chunksOf(from: PlannedFrom, { cells }: PlannedOccurrence): Generator<CellChunk, void, void> {
  for (const cell of cells) if (cell.target.type !== 'USER') yield { cell, chunk: 0, to: null };
  const ofUsers = cells.filter((cell) => cell.target.type === 'USER');
  if (ofUsers.length === 0) return;
  const { campaign, project, audience, rules } = from;
  const placer = new RecipientPlacer(campaign, project, rules);
  const cellsOfPlace = cellsByPlace(ofUsers, campaign.delivery.kind === 'recipient');
  const recipients = inlineRecipients(campaign, audience);
  for (const { place, chunk, to } of chunkRecipients(recipients, placer, project.maxTo)) {
    // Where cells are split by device type or country, the same ids make a request for each.
    for (const cell of cellsOfPlace(place)) yield { cell, chunk, to };
  }
}

/** Where everybody has the same clock there is only one place, whatever the placer calls it. */
function cellsByPlace(
  cells: readonly PlannedCell[],
  onRecipientClock: boolean,
): (place: Place) => readonly PlannedCell[] {
  if (!onRecipientClock) return () => cells;
  const keyOf = ({ zone, zoneSource, segment }: Pick<Place, 'zone' | 'zoneSource' | 'segment'>): string =>
    `${zone}|${zoneSource}|${segment}`;
  const byPlace = new Map<string, PlannedCell[]>();
  for (const cell of cells) byPlace.set(keyOf(cell), [...(byPlace.get(keyOf(cell)) ?? []), cell]);
  return (place) => byPlace.get(keyOf(place)) ?? [];
}

function sendRow(
  from: PlannedFrom,
  id: string,
  { occurrence, cell, chunk, to }: CellChunk & { occurrence: string },
): SendRow {
  const { campaign, project, now } = from;
  const { delivery, policy } = campaign;
  const { dueAt, skipped } = dueOfChunk(cell, chunk);
  const scheduled = delivery.kind === 'schedule';
  const chosen = chooseMode({ dueAt, now, scheduled, handoff: policy.handoff, project });
  const birth = birthOf(cell, skipped, policy.lateness.maxMs);
  return {
    id,
    serviceId: campaign.serviceId,
    campaign: from.id,
    revision: from.revision,
    occurrence,
    cell: cell.key,
    chunk,
    ...birth,
    mode: chosen.mode,
    modeRule: chosen.rule,
    scheduleCode: scheduled ? delivery.scheduleCode : null,
    intendedAt: scheduled ? null : cell.intendedAt,
    dueAt: scheduled ? null : dueAt,
    nextAt: birth.state === 'planned' ? chosen.handOffAt : null,
    recipients: to,
  };
}

/** The sends of a cell that planning leaves out are born ended, with its code; its chunks count like all others. */
function birthOf(
  cell: PlannedCell,
  skipped: SkipCode | undefined,
  lateMaxMs: number,
): Pick<SendRow, 'state' | 'code' | 'detail'> {
  if (skipped !== undefined) return { state: 'skipped', code: skipped, detail: null };
  if (cell.expired === undefined) return { state: 'planned', code: null, detail: null };
  const detail = `${lengthText(cell.expired.lateMs)} late when planned, ${lengthText(lateMaxMs)} allowed`;
  return { state: 'expired', code: 'LATE', detail };
}
