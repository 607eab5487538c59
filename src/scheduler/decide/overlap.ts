// Whether two audiences of one campaign may reach the same user twice (planning.md §2). Only what the event itself says
// is judged; who is in a channel is not known here.
import type { Audience } from './campaign.js';

/**
 * USER ids are de-duplicated instead, so two USER audiences never overlap. CHANNEL and ALL do unless their countries
 * are disjoint; two CHANNEL audiences only where they name the same channel. USER beside CHANNEL or ALL counts as an
 * overlap as well: nobody can tell whether the ids are among them.
 */
export function overlap(one: Audience, other: Audience): boolean {
  if (one.type === 'USER' && other.type === 'USER') return false;
  if (disjoint(one.country, other.country)) return false;
  if (one.type === 'CHANNEL' && other.type === 'CHANNEL')
    return one.to.some((name) => other.to.includes(name));
  return true;
}

/** An empty list is every country. */
function disjoint(some: readonly string[], others: readonly string[]): boolean {
  return some.length > 0 && others.length > 0 && !some.some((country) => others.includes(country));
}
