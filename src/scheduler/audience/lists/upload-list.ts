// Takes an upload of a list: its rows stream into pages, from the pages come the ids each once, and one pointer makes the new version
// the one that counts. Until then nobody sees anything of it; what ends it in between leaves a version that housekeeping sweeps.
import { v7 } from 'uuid';
import type { Clock } from '../../../platform/clock.js';
import type { Database, Sql } from '../../../platform/database/database.js';
import { OthersFirst } from '../../../platform/loops/others-first.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import { writeAudit } from '../../store/audit.store.js';
import { readUpload, type Upload } from '../rows/read-upload.js';
import { EmptyListError, isRefusal, type UploadRefusal } from '../upload-refusal.js';
import { BUCKETS, ListPages, type ListPage } from './list-pages.js';
import {
  beat,
  beginUpload,
  giveUpUpload,
  makeParts,
  publishVersion,
  uploadUnderWay,
  writePage,
  type ListName,
} from './list-upload.store.js';
import { zonesOfList, type ZonesOfList } from './zones-of-list.js';

/** How often it is told how far the upload is; real milliseconds. */
const BEAT_MS = 1_000;
const DAY_MS = 86_400_000;

export interface ListAsked extends ListName {
  readonly by: string;
  readonly expiresInDays: number;
}

export interface TakenList extends ZonesOfList {
  readonly version: string;
  readonly rows: number;
  readonly duplicates: number;
  readonly contentDigest: string;
  readonly expiresAt: EpochMs;
  /** The content is that of the version that counted before, which stays. */
  readonly isUnchanged: boolean;
}

export type UploadEnd =
  | { readonly kind: 'taken'; readonly list: TakenList }
  /** Another upload of the name is under way. */
  | { readonly kind: 'busy'; readonly since: Date; readonly rows: number }
  /** Somebody deleted the list meanwhile, or the database has lost what was written. */
  | { readonly kind: 'called-off' | 'lost' }
  /** What was sent cannot be taken. */
  | { readonly kind: 'refused'; readonly code: UploadRefusal['code']; readonly text: string };

const CALLED_OFF = 'the upload was called off';

class CalledOffError extends Error {}
class PagesLostError extends Error {}

export class UploadList {
  constructor(
    private readonly deps: { readonly database: Database; readonly clock: Clock; readonly rules: ZoneRules },
  ) {}

  /** The project is there. Throws whatever ends the body, or keeps the database from answering. */
  async put(asked: ListAsked, upload: Upload): Promise<UploadEnd> {
    const { database, clock } = this.deps;
    const version = v7({ msecs: clock.now() });
    if (!(await beginUpload(database, { ...asked, version, now: clock.now() }))) {
      const other = await uploadUnderWay(database, asked);
      return { kind: 'busy', since: other?.begunAt ?? new Date(clock.now()), rows: other?.rows ?? 0 };
    }
    try {
      return { kind: 'taken', list: await this.#take(version, asked, upload) };
    } catch (error) {
      // What cannot be told now, housekeeping finds by its silence.
      await giveUpUpload(database, version).catch(() => undefined);
      if (error instanceof CalledOffError) return { kind: 'called-off' };
      if (error instanceof PagesLostError) return { kind: 'lost' };
      if (isRefusal(error)) return { kind: 'refused', code: error.code, text: error.message };
      throw error;
    }
  }

  async #take(version: string, asked: ListAsked, upload: Upload): Promise<TakenList> {
    const { database, clock, rules } = this.deps;
    const pages = new ListPages();
    const writer = new PageWriter(database, clock, version, pages);
    const others = new OthersFirst(clock);
    const contentDigest = await readUpload(upload, {
      take: (userId, zone) => pages.add(userId, zone),
      between: async (bytes) => {
        await others.now();
        await writer.write(bytes);
      },
    });
    if (pages.rows === 0) throw new EmptyListError('there is no row in it: to empty a list, delete it');
    await writer.end();
    const rowsOf = await this.#makeParts(version, pages, writer);
    const rows = [...rowsOf.values()].reduce((sum, one) => sum + one, 0);
    const now = clock.now();
    const list = {
      ...zonesOfList(rowsOf, rules),
      version,
      rows,
      duplicates: pages.rows - rows,
      contentDigest,
      expiresAt: now + asked.expiresInDays * DAY_MS,
    };
    const { serviceId, name } = asked;
    const whole = { ...list, serviceId, name, bytes: writer.bytes, now };
    const counts = await database.transaction(async (sql) => {
      const published = await publishVersion(sql, whole);
      if (published !== undefined) await this.#audit(sql, asked, { ...list, version: published });
      return published;
    });
    if (counts === undefined) throw new CalledOffError(CALLED_OFF);
    return { ...list, version: counts, isUnchanged: counts !== version };
  }

  /** The ids by zone as it was given, each once. Two buckets at a time. */
  async #makeParts(version: string, pages: ListPages, writer: PageWriter): Promise<Map<string, number>> {
    const { database } = this.deps;
    const { zones } = pages;
    const rowsOf = new Map<string, number>();
    const buckets = Array.from({ length: BUCKETS }, (_, bucket) => bucket);
    const makeNext = async (): Promise<void> => {
      for (let bucket = buckets.shift(); bucket !== undefined; bucket = buckets.shift()) {
        const wanted = pages.rowsOf[bucket] ?? 0;
        if (wanted === 0) continue;
        const made = await makeParts(database, version, bucket, zones);
        if (made === undefined) throw new CalledOffError(CALLED_OFF);
        if (made.rows !== wanted) throw new PagesLostError(`${made.rows} of ${wanted} rows are there`);
        for (const { zone, size } of made.sizes) rowsOf.set(zone, (rowsOf.get(zone) ?? 0) + size);
        await writer.beat();
      }
    };
    const ends = await Promise.allSettled([makeNext(), makeNext()]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return rowsOf;
  }

  async #audit(
    sql: Sql,
    { serviceId, name, by }: ListAsked,
    list: Omit<TakenList, 'isUnchanged'>,
  ): Promise<void> {
    const { version, rows, duplicates, contentDigest } = list;
    const after = {
      version,
      rows,
      duplicates,
      contentDigest,
      expiresAt: new Date(list.expiresAt).toISOString(),
    };
    const at = new Date(this.deps.clock.now());
    await writeAudit(sql, {
      at,
      who: by,
      action: 'list.put',
      target: `${serviceId}/${name}`,
      serviceId,
      after,
    });
  }
}

/** Writes pages while the next are read, one at a time, and tells how far the upload is. */
class PageWriter {
  #writing: Promise<void> = Promise.resolve();
  #beatAt: number;
  bytes = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly version: string,
    private readonly pages: ListPages,
  ) {
    this.#beatAt = clock.elapsed();
  }

  async write(bytes: number, isEnd = false): Promise<void> {
    this.bytes = bytes;
    for (const page of this.pages.taken(isEnd)) {
      await this.#writing;
      this.#writing = this.#writePage(page);
      // It is awaited with the next page; until then its fault is not unhandled.
      this.#writing.catch(() => undefined);
    }
    await this.beat();
  }

  async end(): Promise<void> {
    await this.write(this.bytes, true);
    await this.#writing;
  }

  async #writePage(page: ListPage): Promise<void> {
    if (!(await writePage(this.database, this.version, page))) throw new CalledOffError(CALLED_OFF);
  }

  /** Throws CalledOffError. */
  async beat(): Promise<void> {
    if (this.clock.elapsed() - this.#beatAt < BEAT_MS) return;
    this.#beatAt = this.clock.elapsed();
    const { rows } = this.pages;
    if (!(await beat(this.database, this.version, { rows, bytes: this.bytes })))
      throw new CalledOffError(CALLED_OFF);
  }
}
