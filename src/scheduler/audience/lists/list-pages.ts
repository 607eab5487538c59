// Sorts the rows of an upload into pages by a hash of the id, so that equal ids meet in one bucket and SQL finds them a bucket at a
// time, whatever the length of the list. Holds a page of each bucket at most. Pure.

/** A bucket of ten million ids has some 160 000: half a second of work for the database. */
export const BUCKETS = 64;
/** Ids of a page. */
const PAGE = 2_000;
/** Different names of zones, right or wrong: there are some 600 zones. More means that the second column is something else. */
export const MAX_ZONES = 1_000;

export interface ListPage {
  readonly bucket: number;
  /** Its place among those of its bucket. */
  readonly part: number;
  readonly ids: readonly string[];
  /** Of each id the place of its zone in zones(); 0: none. */
  readonly zones: readonly number[];
}

export class TooManyZonesError extends Error {
  readonly code = 'TOO_MANY_ZONES';
}

interface Bucket {
  ids: string[];
  zones: number[];
  parts: number;
}

export class ListPages {
  readonly #buckets: Bucket[] = Array.from({ length: BUCKETS }, () => ({ ids: [], zones: [], parts: 0 }));
  readonly #places = new Map<string, number>([['', 0]]);
  readonly #full: ListPage[] = [];
  /** By bucket: the rows that went there. */
  readonly rowsOf = Array.from({ length: BUCKETS }, () => 0);
  rows = 0;

  /** Throws TooManyZonesError. */
  add(userId: string, zone: string | null): void {
    const index = bucketOf(userId);
    const bucket = this.#buckets[index];
    if (bucket === undefined) throw new RangeError(`there is no bucket ${index}`);
    bucket.ids.push(userId);
    bucket.zones.push(this.#placeOf(zone ?? ''));
    this.rows += 1;
    this.rowsOf[index] = (this.rowsOf[index] ?? 0) + 1;
    if (bucket.ids.length >= PAGE) this.#close(index, bucket);
  }

  /** The names of zones by place, right or wrong; the first is empty. */
  get zones(): string[] {
    return [...this.#places.keys()];
  }

  /** Takes the pages that are full; at the end, all. */
  *taken(isEnd = false): Generator<ListPage> {
    if (isEnd) {
      for (const [index, bucket] of this.#buckets.entries())
        if (bucket.ids.length > 0) this.#close(index, bucket);
    }
    for (let page = this.#full.shift(); page !== undefined; page = this.#full.shift()) yield page;
  }

  #close(index: number, bucket: Bucket): void {
    const { ids, zones, parts: part } = bucket;
    this.#full.push({ bucket: index, part, ids, zones });
    bucket.ids = [];
    bucket.zones = [];
    bucket.parts += 1;
  }

  #placeOf(zone: string): number {
    const known = this.#places.get(zone);
    if (known !== undefined) return known;
    if (this.#places.size > MAX_ZONES)
      throw new TooManyZonesError(
        `the second column holds more than ${MAX_ZONES} different names: it must be a time zone, such as Asia/Seoul`,
      );
    this.#places.set(zone, this.#places.size);
    return this.#places.size - 1;
  }
}

/** FNV-1a over the UTF-16 units, folded. */
export function bucketOf(userId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < userId.length; index += 1)
    hash = Math.imul(hash ^ userId.charCodeAt(index), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % BUCKETS;
}
