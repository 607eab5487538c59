// Makes the rows of a plan (planning.md §1, §9) in pages, each of which one statement writes. Pure.
import { idsAt } from '../../platform/uuids-at.js';
import type { PlannedCell, PlannedOccurrence, SkipCode } from '../decide/plan/plan-types.js';
import { dueOfChunk } from '../decide/plan/planned-cell.js';
import { lengthText } from '../decide/timing/length-text.js';
import { chooseMode } from '../decide/timing/send-mode.js';
import { chunkRecipients } from '../decide/audience/chunk-recipients.js';
import { inlineRecipients, RecipientPlacer, type Place } from '../decide/audience/recipients.js';
import type { OccurrenceRow, SendRow } from '../store/send/planned-rows.store.js';
import type { FactsWithPlan } from './facts-with-plan.js';
import { shownCells } from './shown-plan.js';

/** Rows of a plan that one statement writes. */
export interface PlanPage {
  readonly occurrences: readonly OccurrenceRow[];
  readonly cells: readonly object[];
  readonly sends: readonly SendRow[];
}

/** The occurrences that are written in one transaction. */
export interface PlanUnit<Page = PlanPage> {
  readonly pages: readonly Page[];
  readonly cells: number;
  /** Its last occurrence. */
  readonly last: string | undefined;
}

/** The most of one page: cells or sends; ids in sends. */
const PAGE = { rows: 1_000, ids: 20_000 };
/** Pages of one transaction, unless a single occurrence has more. */
const UNIT_PAGES = 5;

/** The pages of every transaction, occurrence by occurrence: none is written in two. */
export function planUnits(planned: FactsWithPlan): PlanUnit[] {
  const nextId = idsAt(planned.now);
  const units: PlanUnit[] = [];
  let rows = new Rows();
  const { test } = planned.plan;
  if (test !== undefined) addTest(rows, planned, test, nextId);
  for (const occurrence of planned.plan.occurrences) {
    rows.begin(occurrenceRow(planned, occurrence));
    for (const cell of cellRows(planned, occurrence)) rows.addCell(cell);
    for (const send of sendRows(planned, occurrence, nextId)) rows.addSend(send);
    if (rows.pages.length < UNIT_PAGES) continue;
    units.push(rows);
    rows = new Rows();
  }
  return rows.pages.length === 0 ? units : [...units, rows];
}

/** The sends to testTo. No count of the plan has them, and the planner does not go on behind them. */
function addTest(rows: Rows, planned: FactsWithPlan, test: PlannedOccurrence, nextId: () => string): void {
  rows.beginTest(occurrenceRow(planned, test));
  for (const cell of cellRows(planned, test)) rows.addTestCell(cell);
  for (const cell of test.cells)
    for (const [chunk, to] of idsInChunks(planned).entries())
      rows.addSend(sendRow(planned, nextId(), { occurrence: test.occurrence, cell, chunk, to }));
}

function idsInChunks({ campaign, project: { maxTo } }: FactsWithPlan): string[][] {
  const ids = [...new Set(campaign.policy.testTo)];
  return Array.from({ length: Math.ceil(ids.length / maxTo) }, (_, chunk) =>
    ids.slice(chunk * maxTo, (chunk + 1) * maxTo),
  );
}

interface OpenPage extends PlanPage {
  readonly occurrences: OccurrenceRow[];
  readonly cells: object[];
  readonly sends: SendRow[];
}

class Rows implements PlanUnit {
  readonly pages: OpenPage[] = [];
  cells = 0;
  last: string | undefined;
  /** Ids in the page that is being filled. */
  #ids = 0;

  begin(row: OccurrenceRow): void {
    this.#open.occurrences.push(row);
    this.last = row.occurrence;
  }

  addCell(cell: object): void {
    this.addTestCell(cell);
    this.cells += 1;
  }

  beginTest(row: OccurrenceRow): void {
    this.#open.occurrences.push(row);
  }

  addTestCell(cell: object): void {
    const open = this.#open;
    (open.cells.length < PAGE.rows ? open : this.#next()).cells.push(cell);
  }

  addSend(send: SendRow): void {
    const open = this.#open;
    const isFull = open.sends.length >= PAGE.rows || this.#ids >= PAGE.ids;
    (isFull ? this.#next() : open).sends.push(send);
    this.#ids += send.recipients?.length ?? 0;
  }

  get #open(): OpenPage {
    return this.pages.at(-1) ?? this.#next();
  }

  #next(): OpenPage {
    const page: OpenPage = { occurrences: [], cells: [], sends: [] };
    this.pages.push(page);
    this.#ids = 0;
    return page;
  }
}

function occurrenceRow(
  { id, revision }: FactsWithPlan,
  { occurrence, cells, skipped }: PlannedOccurrence,
): OccurrenceRow {
  let [firstDue, lastDue] = [Infinity, -Infinity];
  for (const cell of cells) {
    if (cell.skipped !== undefined || cell.mode === 'scheduled') continue;
    firstDue = Math.min(firstDue, cell.dueAt);
    lastDue = Math.max(lastDue, cell.lastDueAt);
  }
  return {
    campaign: id,
    occurrence,
    revision,
    state: skipped === undefined ? 'planned' : 'skipped',
    code: skipped ?? null,
    firstDue: Number.isFinite(firstDue) ? firstDue : null,
    lastDue: Number.isFinite(lastDue) ? lastDue : null,
  };
}

function cellRows({ id, revision }: FactsWithPlan, occurrence: PlannedOccurrence): object[] {
  // Member by member: with spreads, this took half as long as deciding the cells.
  return shownCells(occurrence).map((shown) => ({
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

/** Every send of an occurrence. Throws where requests and chunks do not match, which is a bug. */
function* sendRows(
  planned: FactsWithPlan,
  occurrence: PlannedOccurrence,
  nextId: () => string,
): Generator<SendRow, void, void> {
  const made = new Map<string, number>();
  for (const { cell, chunk, to } of chunksOf(planned, occurrence)) {
    if (chunk >= cell.chunks)
      throw new Error(`cell ${cell.key} has more chunks than the plan's ${cell.chunks}`);
    made.set(cell.key, (made.get(cell.key) ?? 0) + 1);
    yield sendRow(planned, nextId(), { occurrence: occurrence.occurrence, cell, chunk, to });
  }
  for (const cell of occurrence.cells) {
    const chunks = made.get(cell.key) ?? 0;
    if (chunks !== cell.chunks)
      throw new Error(`cell ${cell.key} has ${chunks} chunks, the plan ${cell.chunks}`);
  }
}

interface CellChunk {
  readonly cell: PlannedCell;
  readonly chunk: number;
  readonly to: readonly string[] | null;
}

function* chunksOf(planned: FactsWithPlan, { cells }: PlannedOccurrence): Generator<CellChunk, void, void> {
  for (const cell of cells) if (cell.target.type !== 'USER') yield { cell, chunk: 0, to: null };
  const ofUsers = cells.filter((cell) => cell.target.type === 'USER');
  if (ofUsers.length === 0) return;
  const { campaign, project, audience, rules } = planned;
  const placer = new RecipientPlacer(campaign, project, rules);
  const cellsOfPlace = cellsByPlace(ofUsers, campaign.delivery.kind === 'recipient');
  const recipients = inlineRecipients(campaign, audience);
  for (const { place, chunk, to } of chunkRecipients(recipients, placer, project.maxTo)) {
    // Where cells are split by device type or country, the same ids make a request for each.
    for (const cell of cellsOfPlace(place)) yield { cell, chunk, to };
  }
}

/** The cells of each place. Where everybody has the same clock there is only one place, whatever the placer calls it. */
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
  planned: FactsWithPlan,
  id: string,
  { occurrence, cell, chunk, to }: CellChunk & { occurrence: string },
): SendRow {
  const { campaign, project, now } = planned;
  const { delivery, policy } = campaign;
  const { dueAt, skipped } = dueOfChunk(cell, chunk);
  const scheduled = delivery.kind === 'schedule';
  const chosen = chooseMode({ dueAt, now, scheduled, handoff: policy.handoff, project });
  const birth = birthOf(cell, skipped, policy.lateness.maxMs);
  return {
    id,
    serviceId: campaign.serviceId,
    campaign: planned.id,
    revision: planned.revision,
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
