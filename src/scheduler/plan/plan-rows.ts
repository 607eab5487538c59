// Makes the rows of a plan (planning.md §1, §9) in pages, each of which one statement writes. Pure.
import { idsAt } from '../../platform/uuids-at.js';
import type { PlannedCell, PlannedOccurrence, SkipCode } from '../decide/plan/plan-types.js';
import { dueOfChunk } from '../decide/plan/planned-cell.js';
import { lengthText } from '../decide/timing/length-text.js';
import { chooseMode } from '../decide/timing/send-mode.js';
import { chunkRecipients } from '../decide/audience/chunk-recipients.js';
import {
  inlineRecipients,
  listedGroups,
  RecipientPlacer,
  type Place,
} from '../decide/audience/recipients.js';
import type { ListedIds } from '../store/send/listed-recipients.store.js';
import type { OccurrenceRow, SendRow } from '../store/send/planned-rows.store.js';
import type { FactsWithPlan } from './facts-with-plan.js';
import { shownCells } from './shown-plan.js';

/** A row of cell: a member for each of its columns. */
export type CellRow = object & { readonly occurrence: string };

/** Rows of a plan that one statement writes. */
export interface PlanPage {
  readonly occurrences: readonly OccurrenceRow[];
  readonly cells: readonly CellRow[];
  readonly sends: readonly SendRow[];
  /** The ids of a list that its sends go to; each of them names one by its place here. */
  readonly listed: readonly ListedIds[];
}

/** The occurrences that are written in one transaction. */
export interface PlanUnit<Page = PlanPage> {
  readonly pages: readonly Page[];
  readonly cells: number;
  /** Its last occurrence. */
  readonly last: string | undefined;
}

/** The most of one page: cells or sends; ids in sends; ids of a list, which only the database sees. */
const PAGE = { rows: 1_000, ids: 20_000, listed: 200_000 };
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
    for (const { row, listed } of sendRows(planned, occurrence, nextId)) rows.addSend(row, listed);
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
  readonly cells: CellRow[];
  readonly sends: SendRow[];
  readonly listed: ListedIds[];
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

  addCell(cell: CellRow): void {
    this.addTestCell(cell);
    this.cells += 1;
  }

  beginTest(row: OccurrenceRow): void {
    this.#open.occurrences.push(row);
  }

  addTestCell(cell: CellRow): void {
    const open = this.#open;
    (open.cells.length < PAGE.rows ? open : this.#next()).cells.push(cell);
  }

  addSend(send: SendRow, from?: ListedIds): void {
    const open = this.#open;
    const isFull = open.sends.length >= PAGE.rows || this.#ids >= PAGE.ids;
    const page = isFull ? this.#next() : open;
    if (from !== undefined && page.listed.at(-1) !== from) page.listed.push(from);
    page.sends.push(
      send.listed === undefined ? send : { ...send, listed: { ...send.listed, at: page.listed.length - 1 } },
    );
    this.#ids += send.recipients?.length ?? ((send.listed?.ids ?? 0) * PAGE.ids) / PAGE.listed;
  }

  get #open(): OpenPage {
    return this.pages.at(-1) ?? this.#next();
  }

  #next(): OpenPage {
    const page: OpenPage = { occurrences: [], cells: [], sends: [], listed: [] };
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

function cellRows({ id, revision }: FactsWithPlan, occurrence: PlannedOccurrence): CellRow[] {
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
): Generator<MadeSend, void, void> {
  const made = new Map<string, number>();
  for (const one of chunksOf(planned, occurrence)) {
    const { cell, chunk, listed } = one;
    if (chunk >= cell.chunks)
      throw new Error(`cell ${cell.key} has more chunks than the plan's ${cell.chunks}`);
    made.set(cell.key, (made.get(cell.key) ?? 0) + 1);
    yield {
      row: sendRow(planned, nextId(), { ...one, occurrence: occurrence.occurrence }),
      listed: listed?.from,
    };
  }
  for (const cell of occurrence.cells) {
    const chunks = made.get(cell.key) ?? 0;
    if (chunks !== cell.chunks)
      throw new Error(`cell ${cell.key} has ${chunks} chunks, the plan ${cell.chunks}`);
  }
}

interface MadeSend {
  readonly row: SendRow;
  readonly listed: ListedIds | undefined;
}

interface CellChunk {
  readonly cell: PlannedCell;
  readonly chunk: number;
  readonly to: readonly string[] | null;
  /** In place of ids: of which list, and how many. */
  readonly listed?: { readonly from: ListedIds; readonly ids: number };
  /** In place of ids: how many it takes from the send before. */
  readonly takesOver?: number;
}

function* chunksOf(planned: FactsWithPlan, { cells }: PlannedOccurrence): Generator<CellChunk, void, void> {
  for (const cell of cells) if (cell.target.type !== 'USER') yield { cell, chunk: 0, to: null };
  const ofUsers = cells.filter((cell) => cell.target.type === 'USER');
  if (ofUsers.length === 0) return;
  const { campaign, project, audience, rules } = planned;
  const placer = new RecipientPlacer(campaign, project, rules);
  const cellsOfPlace = cellsByPlace(ofUsers, campaign.delivery.kind === 'recipient');
  if (audience.placed !== undefined) {
    for (const placed of audience.placed) {
      const cellsHere = cellsOfPlace(placer.placeAgain(placed));
      for (let chunk = 0; chunk * project.maxTo < placed.recipients; chunk += 1) {
        const takesOver = Math.min(project.maxTo, placed.recipients - chunk * project.maxTo);
        for (const cell of cellsHere) yield { cell, chunk, to: null, takesOver };
      }
    }
    return;
  }
  const recipients = inlineRecipients(campaign, audience);
  for (const { place, chunk, to } of chunkRecipients(recipients, placer, project.maxTo)) {
    // Where cells are split by device type or country, the same ids make a request for each.
    for (const cell of cellsOfPlace(place)) yield { cell, chunk, to };
  }
  yield* listedChunks(planned, cellsOfPlace);
}

/** The chunks of a list: its groups that share a place, one after the other. */
function* listedChunks(
  { id: campaign, campaign: { audience: own }, campaign: whole, project, audience, rules }: FactsWithPlan,
  cellsOfPlace: (place: Place) => readonly PlannedCell[],
): Generator<CellChunk, void, void> {
  if (own?.type !== 'USER' || !('list' in own) || own.version === undefined) return;
  const placer = new RecipientPlacer(whole, project, rules);
  const groupsOf = new Map<Place, { recipients: number; groups: ListedIds['groups'][number][] }>();
  for (const { segment, group } of listedGroups(whole, audience)) {
    const place = placer.place(segment, group.known, group.recipients);
    const sum = groupsOf.get(place) ?? { recipients: 0, groups: [] };
    sum.recipients += group.recipients;
    if (group.key === undefined) throw new RangeError('nobody knows where the ids of a list lie');
    sum.groups.push(group.key);
    groupsOf.set(place, sum);
  }
  const { maxTo } = project;
  for (const [place, { recipients, groups }] of groupsOf) {
    const from: ListedIds = { campaign, version: own.version, groups, maxTo };
    for (let chunk = 0; chunk * maxTo < recipients; chunk += 1) {
      const listed = { from, ids: Math.min(maxTo, recipients - chunk * maxTo) };
      for (const cell of cellsOfPlace(place)) yield { cell, chunk, to: null, listed };
    }
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
  { occurrence, cell, chunk, to, listed, takesOver }: CellChunk & { occurrence: string },
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
    ...(listed !== undefined && { listed: { at: 0, ids: listed.ids } }),
    ...(takesOver !== undefined && { takesOver }),
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
