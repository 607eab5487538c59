// Counts how large a plan becomes at most, from the campaign alone, before it is expanded: a small event may ask for millions of
// cells. Pure, and cheap: it reads the segments once, and at most a thousand occurrences.
import { DAY_MS } from '../../../zone-rules/civil.js';
import { isRule, ruleOf, EARLIEST_ZONE_MS, MOST_OCCURRENCES } from '../recurrence/occurrences.js';
import { expandRecurrence, SHOWN_AHEAD_MS } from '../recurrence/recurrence.js';
import { segmentsOf, type Audience, type Campaign } from './campaign.js';
import type { PlanInput, PlanProblem } from './plan-types.js';

/** The most cells of all occurrences that are planned at once, by default (MAX_PLANNED_CELLS). */
export const MAX_PLANNED_CELLS = 50_000;
/** The limits for each of those cells: USER ids in all requests together, and bytes of the targets stored with the cells. */
const PER_CELL = { ids: 200, bytes: 2_000 };
/** The process does not hold the ids of a list, but it holds its requests: each counts as so many ids. */
const IDS_PER_LISTED = 20;
/** How many offsets from UTC people live in: used where nobody has looked up which offsets the audience has. */
const USUAL_OFFSETS = 40;

export interface PlanSize {
  /** Cells of one occurrence. */
  readonly cellsEach: number;
  /** Occurrences of 35 days, counted from now or from the start: a pinned plan has them all at once. 1 for a campaign that fires once. */
  readonly occurrences: number;
  /** Cells of all these occurrences. */
  readonly cells: number;
  /** USER ids in all their requests together. */
  readonly ids: number;
  /** Bytes of the names and countries that all their cells repeat. */
  readonly bytes: number;
}

export interface SizeRefusal extends PlanProblem {
  readonly code: 'TOO_MANY_CELLS' | 'PLAN_TOO_LARGE';
}

/** The facts that the size depends on. Without `project` and `audience`, what only they add is not counted. */
export type SizeInput = Pick<PlanInput, 'campaign' | 'now' | 'rules' | 'after' | 'lookedAt'> &
  Partial<Pick<PlanInput, 'project' | 'audience'>>;

/** The plan never has more than this. A recurrence that planning refuses counts as one occurrence. */
export function planSize(input: SizeInput): PlanSize {
  const occurrences = occurrencesAtOnce(input);
  let [cells, ids, bytes] = [0, 0, 0];
  for (const { audience, cells: made, split } of audiencesOf(input)) {
    cells += made;
    ids += idsOf(audience, input) * split;
    bytes += made * bytesOf(audience);
  }
  return {
    cellsEach: cells,
    occurrences,
    cells: cells * occurrences,
    ids: ids * occurrences,
    bytes: bytes * occurrences,
  };
}

/** Undefined for a plan that is not too large. `most`: MAX_PLANNED_CELLS. */
export function sizeRefusal(
  size: PlanSize,
  { delivery }: Pick<Campaign, 'delivery'>,
  most: number,
): SizeRefusal | undefined {
  const { cells, cellsEach, occurrences, ids, bytes } = size;
  const recurs = 'recurrence' in delivery && delivery.recurrence !== undefined;
  const pointer = recurs ? '/delivery/recurrence' : '/delivery';
  const rarer = recurs ? ', a rarer recurrence' : '';
  if (cells > most) {
    const how = recurs ? `${cellsEach} in each of ${occurrences} occurrences within 35 days` : `${cells}`;
    const text = `it would have more than ${most} cells at once: ${how}; give fewer segments, countries or splits${rarer}, or several campaigns`;
    return { code: 'TOO_MANY_CELLS', text, pointer };
  }
  if (ids > most * PER_CELL.ids) {
    const text = `its requests would name ${ids} users at once, more than ${most * PER_CELL.ids}: give fewer ids or splits${rarer}, or address a channel`;
    return { code: 'PLAN_TOO_LARGE', text, pointer };
  }
  if (bytes > most * PER_CELL.bytes) {
    const text = `its cells would repeat ${bytes} bytes of channels and countries, more than ${most * PER_CELL.bytes}: give fewer of them or fewer splits${rarer}`;
    return { code: 'PLAN_TOO_LARGE', text, pointer };
  }
  return undefined;
}

/** How many occurrences of this size one planning may take: at least one, because an occurrence cannot be divided. */
export function occurrencesThatFit({ cellsEach, occurrences, ids, bytes }: PlanSize, most: number): number {
  const idsEach = ids / Math.max(1, occurrences);
  const bytesEach = bytes / Math.max(1, occurrences);
  const fits = [
    most / Math.max(1, cellsEach),
    (most * PER_CELL.ids) / Math.max(1, idsEach),
    (most * PER_CELL.bytes) / Math.max(1, bytesEach),
  ];
  return Math.max(1, Math.floor(Math.min(...fits)));
}

/** COUNT is ignored: to follow it from the start may take years of occurrences, and it only makes them fewer. */
function occurrencesAtOnce({ campaign, now, rules, after, lookedAt = now }: SizeInput): number {
  const { delivery, policy } = campaign;
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return 1;
  if (!isRule(delivery, delivery.recurrence, rules)) return 1;
  const { parts, ...rule } = ruleOf(delivery, delivery.recurrence, rules, policy.dst);
  const { COUNT: count = Infinity, ...uncounted } = parts;
  // No clock is more than a day away from UTC; an occurrence that is late by less than lateness.max still goes.
  const from = after === undefined ? now - DAY_MS - policy.lateness.maxMs : now - DAY_MS;
  const begin = Math.max(rule.start, from);
  const before = Math.max(rule.start, lookedAt) + SHOWN_AHEAD_MS + EARLIEST_ZONE_MS + 1;
  const window = { after: begin - 1, before, limit: Math.min(MOST_OCCURRENCES + 1, Number(count)) };
  return expandRecurrence({ ...rule, parts: uncounted }, window).length;
}

/** Every audience of the campaign, with the most cells that it makes in one occurrence. */
function* audiencesOf(input: SizeInput): Generator<Counted> {
  const { audience, delivery } = input.campaign;
  for (const segment of segmentsOf(delivery)) yield inGroups(1, segment.audience, input);
  if (audience === null) return;
  if (delivery.kind !== 'recipient') yield inGroups(1, audience, input);
  else if (audience.type === 'USER') yield inGroups(offsetsOf(audience, input) + 1, audience, input);
  else yield ownFilter(audience, input);
}

interface Counted {
  readonly audience: Audience;
  readonly cells: number;
  /** Requests in which one of its recipients may stand. */
  readonly split: number;
}

/** The cells of `groups` clocks, each of which the policy may split. */
function inGroups(groups: number, audience: Audience, { campaign }: SizeInput): Counted {
  const { country } = campaign.policy.split;
  const split = devicesOf(audience, campaign) * (country ? Math.max(1, audience.country.length) : 1);
  return { audience, cells: groups * split, split };
}

/** CHANNEL and ALL: a cell for each registered offset, else one for each country and a fallback. Segments may make them fewer. */
function ownFilter(audience: Audience, { campaign, project, audience: facts }: SizeInput): Counted {
  const devices = devicesOf(audience, campaign);
  const countries = audience.country.length;
  const offsets = facts?.offsets;
  if (offsets === undefined || project?.extensions.includes('target-timezone') !== true)
    return { audience, cells: devices * (countries + 1), split: 1 };
  // Where segments leave different channels in different countries, each country has a cell of its own.
  const byCountry = campaign.policy.split.country || segmentsOf(campaign.delivery).length > 0;
  return { audience, cells: offsets.length * devices * (byCountry ? Math.max(1, countries) : 1), split: 1 };
}

function idsOf(audience: Audience, { audience: facts, project }: SizeInput): number {
  if (audience.type !== 'USER') return 0;
  if ('to' in audience) return audience.to.length;
  const groups = facts?.lists?.[audience.list]?.groups ?? [];
  const listed = groups.reduce((sum, { recipients }) => sum + recipients, 0);
  // Each group may have one request that is not full.
  return (Math.ceil(listed / (project?.maxTo ?? 1_000)) + groups.length) * IDS_PER_LISTED;
}

function offsetsOf(audience: Audience & { type: 'USER' }, { audience: facts }: SizeInput): number {
  const groups = 'list' in audience ? facts?.lists?.[audience.list]?.groups : undefined;
  if (groups !== undefined) return groups.length;
  const ids = 'to' in audience ? audience.to.length : Infinity;
  return Math.min(ids, facts?.offsetsKnown ?? USUAL_OFFSETS);
}

function devicesOf({ deviceType }: Audience, { policy }: Campaign): number {
  return policy.split.deviceType && deviceType === null ? 2 : 1;
}

function bytesOf(audience: Audience): number {
  const names = audience.type === 'CHANNEL' ? audience.to : [];
  return names.reduce((sum, name) => sum + name.length, 0) + 4 * audience.country.length;
}
