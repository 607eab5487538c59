// Puts zones into the directory as they stream in, page by page: each page is one statement. What was put before a fault stays, and to
// send the same again is harmless. A row without a zone takes the zone of its user away.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { OthersFirst } from '../../../platform/loops/others-first.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { writeAudit } from '../../store/audit.store.js';
import { writeZones } from '../../store/recipient-zone.store.js';
import { MAX_ZONES, TooManyZonesError } from '../lists/list-pages.js';
import { zonesOfList, type ZonesOfList } from '../lists/zones-of-list.js';
import { readUpload, type Upload } from '../rows/read-upload.js';

/** Users of one statement. */
const PAGE = 5_000;

export interface PutZonesEnd extends Pick<ZonesOfList, 'invalidZones'> {
  /** Rows that came. */
  readonly rows: number;
  /** Users whose zone is as it was sent now. */
  readonly written: number;
  /** Of these, users whose zone was taken away. */
  readonly deleted: number;
  /** Users of whom something newer was said. */
  readonly older: number;
}

/** What ended an upload, and how many rows had come: those before it are kept. */
export class PutZonesFault extends Error {
  constructor(
    readonly kept: number,
    override readonly cause: unknown,
  ) {
    super('not all zones were put');
  }
}

export class PutZones {
  constructor(
    private readonly deps: { readonly database: Database; readonly clock: Clock; readonly rules: ZoneRules },
  ) {}

  /** The project is there. Throws PutZonesFault. */
  async put(
    serviceId: string,
    by: string,
    rows: Upload | readonly (readonly [string, string | null])[],
  ): Promise<PutZonesEnd> {
    const { database, clock } = this.deps;
    const page = new ZonePage(this.deps, serviceId);
    try {
      if ('body' in rows) {
        const others = new OthersFirst(clock);
        const between = async (): Promise<void> => {
          await others.now();
          if (page.isFull) await page.write();
        };
        await readUpload(rows, { take: (userId, zone) => page.add(userId, zone), between });
      } else for (const [userId, zone] of rows) page.add(userId, zone);
      await page.write();
    } catch (error) {
      throw new PutZonesFault(page.kept, error);
    }
    const end = page.end();
    const at = new Date(clock.now());
    await writeAudit(database, {
      at,
      who: by,
      action: 'zones.put',
      target: serviceId,
      serviceId,
      after: { ...end, invalidZones: end.invalidZones.length },
    });
    return end;
  }
}

/** The users of a page, each once: the last of its rows counts. */
class ZonePage {
  #users = new Map<string, string | null>();
  readonly #invalid = new Map<string, number>();
  #rows = 0;
  #written = 0;
  #deleted = 0;
  #older = 0;
  /** Rows whose page is written. */
  kept = 0;

  constructor(
    private readonly deps: { readonly database: Database; readonly clock: Clock; readonly rules: ZoneRules },
    private readonly serviceId: string,
  ) {}

  get isFull(): boolean {
    return this.#users.size >= PAGE;
  }

  add(userId: string, zone: string | null): void {
    this.#rows += 1;
    if (zone === null || this.deps.rules.has(zone)) {
      this.#users.set(userId, zone);
      return;
    }
    this.#invalid.set(zone, (this.#invalid.get(zone) ?? 0) + 1);
    if (this.#invalid.size > MAX_ZONES)
      throw new TooManyZonesError(`there are more than ${MAX_ZONES} names that are no zones`);
  }

  async write(): Promise<void> {
    const users = [...this.#users];
    this.#users = new Map();
    const { database, clock } = this.deps;
    const saidAt = clock.now();
    // A piece of a body may hold more than a page.
    for (let first = 0; first < users.length; first += PAGE) {
      const said = users
        .slice(first, first + PAGE)
        .map(([userId, zone]) => ({ serviceId: this.serviceId, userId, zone, saidAt }));
      const written = await writeZones(database, said);
      this.#written += written;
      this.#older += said.length - written;
      this.#deleted += said.filter(({ zone }) => zone === null).length;
    }
    this.kept = this.#rows;
  }

  end(): PutZonesEnd {
    const { invalidZones } = zonesOfList(this.#invalid, this.deps.rules);
    return {
      rows: this.#rows,
      written: this.#written,
      deleted: this.#deleted,
      older: this.#older,
      invalidZones,
    };
  }
}
