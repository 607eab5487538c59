// ZoneRules from a directory of compiled zone files: TZDATA_DIR or the system's zoneinfo. It reads a file once, when somebody
// first asks for its zone.
import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ZoneRules } from './zone-rules.js';
import { ZoneOffsets } from './zone-offsets.js';
import { shippedCountryZones } from './iana-data.js';
import { isTzif, parseTzif, TzifError } from './tzif.js';

/** Areas and places consist of letters, digits, `_`, `+` and `-`, so no name leads out of the directory. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9][A-Za-z0-9_+-]*){0,2}$/;
/** Entries that are no zones: copies with and without leap seconds, and the machine's own setting. */
const NOT_ZONES = new Set(['posix', 'right', 'posixrules', 'localtime', 'Factory', 'leapseconds']);

export class TzifZoneRules implements ZoneRules {
  readonly source: string;
  readonly version: string;
  readonly #directory: string;
  readonly #tables = new Map<string, ZoneOffsets | undefined>();
  #names: readonly string[] | undefined;
  #countries: ReadonlyMap<string, readonly string[]> | undefined;

  /** Throws a TzifError when the directory holds no zones. */
  constructor(directory: string) {
    this.#directory = directory;
    this.source = `TZif ${directory}`;
    this.version = readVersion(directory);
    if (this.table('Etc/UTC') === undefined) throw new TzifError(`no time zone files in ${directory}`);
  }

  has(zone: string): boolean {
    return this.table(zone) !== undefined;
  }

  table(zone: string): ZoneOffsets | undefined {
    if (this.#tables.has(zone)) return this.#tables.get(zone);
    const table = this.#read(zone);
    // Unknown names are not cached, because a caller may ask for any number of them.
    if (table !== undefined) this.#tables.set(zone, table);
    return table;
  }

  names(): readonly string[] {
    this.#names ??= this.#walk('').filter((name) => ZONE_NAME.test(name));
    return this.#names;
  }

  zonesOfCountry(country: string): readonly string[] {
    this.#countries ??= readCountryZones(this.#directory);
    return this.#countries.get(country) ?? [];
  }

  #read(zone: string): ZoneOffsets | undefined {
    const [area = ''] = zone.split('/');
    if (!ZONE_NAME.test(zone) || NOT_ZONES.has(area)) return undefined;
    const bytes = readIfFile(join(this.#directory, zone));
    if (bytes === undefined || !isTzif(bytes)) return undefined;
    return new ZoneOffsets(parseTzif(bytes));
  }

  #walk(folder: string): string[] {
    return readdirSync(join(this.#directory, folder), { withFileTypes: true }).flatMap((entry) => {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (NOT_ZONES.has(name)) return [];
      if (entry.isDirectory()) return this.#walk(name);
      return isTzifFile(join(this.#directory, name)) ? [name] : [];
    });
  }
}

function readIfFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function isTzifFile(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(4);
    readSync(file, magic, 0, 4, 0);
    return magic.toString('latin1') === 'TZif';
  } finally {
    closeSync(file);
  }
}

/** The release of a directory. Distributions differ in the file that names it. */
function readVersion(directory: string): string {
  for (const [name, pattern] of VERSION_FILES) {
    const path = join(directory, name);
    const version = existsSync(path) ? pattern.exec(readFileSync(path, 'utf8'))?.[1] : undefined;
    if (version !== undefined) return version;
  }
  return 'unknown';
}

const VERSION_FILES = [
  ['tzdata.zi', /^# version (\d{4}[a-z]+)/],
  ['+VERSION', /^(\d{4}[a-z]+)/],
  ['version', /^(\d{4}[a-z]+)/],
] as const;

/** Reads zone1970.tab, with the columns country codes, coordinates and zone. Without that file, uses the shipped data. */
function readCountryZones(directory: string): ReadonlyMap<string, readonly string[]> {
  const path = join(directory, 'zone1970.tab');
  if (!existsSync(path)) return shippedCountryZones();
  // Zones by country: its own zones (the first country of a row owns the zone), and zones of a neighbour.
  const own = new Map<string, string[]>();
  const shared = new Map<string, string[]>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [countries = '', , zone] = line.split('\t');
    if (line.startsWith('#') || zone === undefined) continue;
    for (const [index, country] of countries.split(',').entries()) {
      const zones = index === 0 ? own : shared;
      zones.set(country, [...(zones.get(country) ?? []), zone]);
    }
  }
  const all = [...own.keys(), ...shared.keys()];
  return new Map(
    all.map((country) => [country, [...(own.get(country) ?? []), ...(shared.get(country) ?? [])]]),
  );
}
