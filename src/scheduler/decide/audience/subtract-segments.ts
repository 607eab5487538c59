// Subtracts segments from a campaign's own CHANNEL or ALL audience (planning.md §2). A segment takes its countries; from a CHANNEL
// audience it takes them only in the channels that it also names. Pure; USER ids are de-duplicated instead.
import type { Audience } from '../plan/campaign.js';
import { OverlapIndex } from './audience-overlap.js';

export type FilterAudience = Exclude<Audience, { readonly type: 'USER' }>;

/**
 * Splits what is left of the own audience into remainders that have different channels left, each with its countries. Where no
 * segment takes anything, the whole audience is the one remainder; where segments take all of it, there is none.
 */
export function subtractSegments(own: FilterAudience, segments: readonly Audience[]): FilterAudience[] {
  const taking = segments.filter((segment) => takesFrom(own, segment));
  if (taking.length === 0) return [own];
  const remainders = new Map<string, { names: readonly string[]; country: string[] }>();
  for (const country of own.country) {
    const there = taking.filter((segment) => segment.country.includes(country));
    const names = namesLeft(own, there);
    if (names === undefined) continue;
    const key = JSON.stringify(names);
    const remainder = remainders.get(key) ?? { names, country: [] };
    remainders.set(key, remainder);
    remainder.country.push(country);
  }
  return [...remainders.values()].map(({ names, country }) =>
    own.type === 'CHANNEL' ? { ...own, to: names, country } : { ...own, country },
  );
}

/** The channels left in a country; empty for ALL, undefined where nobody is left. */
function namesLeft(own: FilterAudience, taking: readonly Audience[]): readonly string[] | undefined {
  if (taking.some(({ type }) => type === 'ALL')) return undefined;
  if (own.type === 'ALL') return [];
  const taken = new Set(taking.flatMap((segment) => (segment.type === 'CHANNEL' ? segment.to : [])));
  const left = own.to.filter((name) => !taken.has(name));
  return left.length === 0 ? undefined : left;
}

/**
 * Whether a segment overlaps with the own audience without taking whole countries from it: then somebody could get both messages
 * or, if the segment took them, neither. A segment takes a country only if it reaches everybody whom the audience reaches there: a
 * channel of ALL, some ids or one device type is not enough.
 */
export function collides(own: Audience, segment: Audience): boolean {
  const index = new OverlapIndex<true>();
  index.add(own, true);
  return index.find(segment) !== undefined && !(own.type !== 'USER' && takesFrom(own, segment));
}

function takesFrom(own: FilterAudience, segment: Audience): boolean {
  if (own.country.length === 0 || segment.country.length === 0) return false;
  if (segment.deviceType !== null && segment.deviceType !== own.deviceType) return false;
  return segment.type === 'ALL' || (segment.type === 'CHANNEL' && own.type === 'CHANNEL');
}
