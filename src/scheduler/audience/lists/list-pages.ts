// Sorts the rows of an upload into pages by a hash of the id, so that equal ids meet in one bucket and SQL finds them a bucket at a
// time, whatever the length of the list. Holds a page of each bucket at most. Pure.

/** A bucket of ten million ids has some 160 000: half a second of work for the database. */
export const BUCKETS = 64;
/** Ids of a page. */
const PAGE = 2_000;
/** Different names of zones, right or wrong: there are some 600 zones. More means that the second column is something else. */
export const MAX_ZONES = 1_000;

/** Bytes of a page beyond which it is closed, and those that the last id may add: 128 characters, escaped, in UTF-8. */
const PAGE_BYTES = 48 * 1024;
const ONE_ID_BYTES = 2 * 128 * 4 + 3;

export interface ListPage {
  readonly bucket: number;
  /** Its place among those of its bucket. */
  readonly part: number;
  /** How many ids. */
  readonly size: number;
  /** The ids, as PostgreSQL writes an array. */
  readonly ids: string;
  /** Alike, of each id the place of its zone in zones(); 0: none. */
  readonly zones: string;
}

export class TooManyZonesError extends Error {
  readonly code = 'TOO_MANY_ZONES';
}

/** Ids as bytes: a hundred thousand strings that wait for their page to fill cost the collector a tenth of a second at once. */
class Bucket {
  readonly #bytes = Buffer.alloc(PAGE_BYTES + ONE_ID_BYTES);
  readonly #zones = new Uint16Array(PAGE);
  #used = 0;
  #size = 0;
  #part = 0;

  constructor(private readonly index: number) {}

  get isFull(): boolean {
    return this.#size >= PAGE || this.#used >= PAGE_BYTES;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(userId: string, zone: number): void {
    const plain = MEANINGFUL.test(userId) ? userId.replaceAll('\\', '\\\\').replaceAll('"', '\\"') : userId;
    this.#used += this.#bytes.write(this.#size === 0 ? `"${plain}"` : `,"${plain}"`, this.#used);
    this.#zones[this.#size] = zone;
    this.#size += 1;
  }

  close(): ListPage {
    const page = {
      bucket: this.index,
      part: this.#part,
      size: this.#size,
      ids: `{${this.#bytes.toString('utf8', 0, this.#used)}}`,
      zones: `{${this.#zones.subarray(0, this.#size).join(',')}}`,
    };
    this.#part += 1;
    [this.#used, this.#size] = [0, 0];
    return page;
  }
}

/** Characters that are escaped in an array's text. */
const MEANINGFUL = /[\\"]/;

export class ListPages {
  readonly #buckets = Array.from({ length: BUCKETS }, (_, index) => new Bucket(index));
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
    bucket.add(userId, this.#placeOf(zone ?? ''));
    this.rows += 1;
    this.rowsOf[index] = (this.rowsOf[index] ?? 0) + 1;
    if (bucket.isFull) this.#full.push(bucket.close());
  }

  /** The names of zones by place, right or wrong; the first is empty. */
  get zones(): string[] {
    return [...this.#places.keys()];
  }

  /** Takes the pages that are full; at the end, all. */
  *taken(isEnd = false): Generator<ListPage> {
    if (isEnd) {
      for (const bucket of this.#buckets) if (!bucket.isEmpty) this.#full.push(bucket.close());
    }
    for (let page = this.#full.shift(); page !== undefined; page = this.#full.shift()) yield page;
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
