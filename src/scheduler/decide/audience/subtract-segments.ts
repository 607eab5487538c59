// What segments leave of a campaign's own CHANNEL or ALL audience (planning.md §2). A segment takes its countries; from a
// CHANNEL audience it takes them only of the channels that it also names. Pure; USER ids are de-duplicated instead.
import type { Audience } from '../plan/campaign.js';
import { OverlapIndex } from './audience-overlap.js';

export type FilterAudience = Exclude<Audience, { readonly type: 'USER' }>;

/**
 * Splits the own audience into parts that have different channels left, each with its countries. Where no segment takes
 * anything it is one part, unchanged; where segments take all of it there is none.
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
 * Whether a segment overlaps with the own audience in any other way than by taking a part of it: then somebody could get
 * both messages or, if the part were taken, neither. Only whole countries can be taken, and only by a segment that reaches
 * everybody whom the audience reaches there; a channel of ALL, some ids or one device type is less than that.
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
