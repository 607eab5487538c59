// Whether audiences of one campaign may reach the same user twice (planning.md §2). Only what the event itself says is
// judged; who is in a channel is not known here.
import type { Audience } from '../plan/campaign.js';

/** Whether two audiences overlap; see OverlapIndex for the rule. */
export function overlap(one: Audience, other: Audience): boolean {
  const index = new OverlapIndex<true>();
  index.add(one, true);
  return index.find(other) !== undefined;
}

/**
 * Finds among many audiences one that overlaps with another, without comparing each pair. USER ids are de-duplicated
 * instead, so two USER audiences never overlap. CHANNEL and ALL do unless their countries are disjoint; two CHANNEL
 * audiences only where they name the same channel. USER beside CHANNEL or ALL counts as an overlap as well: nobody can
 * tell whether the ids are among them.
 */
export class OverlapIndex<Name> {
  /** Kind or channel → country → the first audience there; see bucketsOf and meets. */
  readonly #buckets = new Map<string, Map<string, Name>>();

  add(audience: Audience, name: Name): void {
    const countries = audience.country.length === 0 ? [EVERY_COUNTRY] : audience.country;
    for (const bucket of bucketsOf(audience)) {
      const names = this.#buckets.get(bucket) ?? new Map<string, Name>();
      this.#buckets.set(bucket, names);
      for (const country of [...countries, SOME_COUNTRY]) if (!names.has(country)) names.set(country, name);
    }
  }

  /** One of the audiences added so far that overlaps, the first of its kind. */
  find(audience: Audience): Name | undefined {
    const countries = audience.country.length === 0 ? [SOME_COUNTRY] : [...audience.country, EVERY_COUNTRY];
    for (const bucket of meets(audience)) {
      const names = this.#buckets.get(bucket);
      if (names === undefined) continue;
      for (const country of countries) {
        const found = names.get(country);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }
}

/** Under which an audience without a country filter stands, and every audience whatever its countries. */
const EVERY_COUNTRY = '*';
const SOME_COUNTRY = '?';

const channelBucket = (name: string): string => `channel ${name}`;

/** Where an audience is kept. */
function bucketsOf(audience: Audience): string[] {
  switch (audience.type) {
    case 'ALL':
      return ['ALL', 'CHANNEL or ALL', 'anybody'];
    case 'CHANNEL':
      return [...audience.to.map(channelBucket), 'CHANNEL or ALL', 'anybody'];
    case 'USER':
      return ['USER', 'anybody'];
    default:
      return audience satisfies never;
  }
}

/** Where audiences are kept that it may overlap with. */
function meets(audience: Audience): string[] {
  switch (audience.type) {
    case 'ALL':
      return ['anybody'];
    case 'CHANNEL':
      return [...audience.to.map(channelBucket), 'ALL', 'USER'];
    case 'USER':
      return ['CHANNEL or ALL'];
    default:
      return audience satisfies never;
  }
}
