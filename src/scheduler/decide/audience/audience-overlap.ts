// Whether audiences of one campaign may reach the same user twice (planning.md §2). Judged only by what the event says: who
// is in a channel is not known here.
import type { Audience } from '../plan/campaign.js';

/**
 * Finds one of many audiences that overlaps with another, without comparing each pair. Two USER audiences never overlap:
 * ids are de-duplicated instead. CHANNEL and ALL overlap unless their countries are disjoint; two CHANNEL audiences overlap
 * only where they also name the same channel. USER overlaps with CHANNEL and ALL, because nobody can tell whether the ids
 * are among them.
 */
export class OverlapIndex<Name> {
  /** Bucket (a kind or a channel) → country → the first audience there; see bucketsOf and bucketsThatMeet. */
  readonly #buckets = new Map<string, Map<string, Name>>();

  add(audience: Audience, name: Name): void {
    const countries = audience.country.length === 0 ? [EVERY_COUNTRY] : audience.country;
    for (const bucket of bucketsOf(audience)) {
      const names = this.#buckets.get(bucket) ?? new Map<string, Name>();
      this.#buckets.set(bucket, names);
      for (const country of [...countries, SOME_COUNTRY]) if (!names.has(country)) names.set(country, name);
    }
  }

  /** One of the audiences added so far that overlaps: the first of its bucket. */
  find(audience: Audience): Name | undefined {
    const countries = audience.country.length === 0 ? [SOME_COUNTRY] : [...audience.country, EVERY_COUNTRY];
    for (const bucket of bucketsThatMeet(audience)) {
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

/** The key of audiences without a country filter, and the key of all audiences whatever their countries. */
const EVERY_COUNTRY = '*';
const SOME_COUNTRY = '?';

const channelBucket = (name: string): string => `channel ${name}`;

/** The buckets in which an audience is kept. */
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

/** The buckets of the audiences with which it may overlap. */
function bucketsThatMeet(audience: Audience): string[] {
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
