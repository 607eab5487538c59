// What segments leave of a campaign's own CHANNEL or ALL audience (planning.md §2): a segment takes its countries, of a
// CHANNEL audience from the channels that it names as well and from no other. Pure; USER ids are de-duplicated instead.
import type { Audience } from '../plan/campaign.js';
import { overlap } from './overlap.js';

type Filtered = Exclude<Audience, { readonly type: 'USER' }>;

/**
 * The own audience in as many parts as differ in the channels left to them, each with its countries. One part, as it
 * stands, where no segment takes anything; none where segments took all of it.
 */
export function subtractSegments(own: Filtered, segments: readonly Audience[]): Filtered[] {
  const taking = segments.filter((segment) => takesFrom(own, segment));
  if (taking.length === 0) return [own];
  const parts = new Map<string, { names: readonly string[]; country: string[] }>();
  for (const country of own.country) {
    const there = taking.filter((segment) => segment.country.includes(country));
    const names = namesLeft(own, there);
    if (names === undefined) continue;
    const key = JSON.stringify(names);
    const part = parts.get(key) ?? { names, country: [] };
    parts.set(key, part);
    part.country.push(country);
  }
  return [...parts.values()].map(({ names, country }) =>
    own.type === 'CHANNEL' ? { ...own, to: names, country } : { ...own, country },
  );
}

/** The channels left in a country; empty of ALL, undefined where nobody is left. */
function namesLeft(own: Filtered, taking: readonly Audience[]): readonly string[] | undefined {
  if (taking.some(({ type }) => type === 'ALL')) return undefined;
  if (own.type === 'ALL') return [];
  const taken = new Set(taking.flatMap((segment) => (segment.type === 'CHANNEL' ? segment.to : [])));
  const left = own.to.filter((name) => !taken.has(name));
  return left.length === 0 ? undefined : left;
}

/**
 * Whether a segment meets the own audience otherwise than by taking a part of it: somebody could get both, or, were the
 * part taken, neither. Only whole countries can be taken, and only by a segment that reaches all who were to be reached
 * there: a channel of ALL, some ids or one kind of device are not all.
 */
export function collides(own: Audience, segment: Audience): boolean {
  return overlap(own, segment) && !(own.type !== 'USER' && takesFrom(own, segment));
}

function takesFrom(own: Filtered, segment: Audience): boolean {
  if (own.country.length === 0 || segment.country.length === 0) return false;
  if (segment.deviceType !== null && segment.deviceType !== own.deviceType) return false;
  return segment.type === 'ALL' || (segment.type === 'CHANNEL' && own.type === 'CHANNEL');
}
