// Writes src/zone-rules/iana-data.ts from a directory of compiled zones: node tools/write-iana-data.mjs <directory>
// Run by hand when a release adds a zone or moves a country. The tz database is in the public domain.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('say which directory of compiled zones to read');

const version = /^# version (\S+)/.exec(readFileSync(join(directory, 'tzdata.zi'), 'utf8'))?.[1];
const names = readdirSync(directory, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() || entry.isSymbolicLink())
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => readFileSync(path).toString('latin1', 0, 4) === 'TZif')
  .map((path) => path.slice(join(directory, '/').length))
  .filter((name) => !/^(?:posix\/|right\/|posixrules$|localtime$|Factory$)/.test(name))
  .sort();

// A row's first country is the one the zone belongs to; a zone of one's own stands before one that is lent.
const own = new Map();
const lent = new Map();
for (const line of readFileSync(join(directory, 'zone1970.tab'), 'utf8').split('\n')) {
  const [countries, , zone] = line.split('\t');
  if (line.startsWith('#') || zone === undefined) continue;
  const [owner, ...guests] = countries.split(',');
  own.set(owner, [...(own.get(owner) ?? []), zone]);
  for (const guest of guests) lent.set(guest, [...(lent.get(guest) ?? []), zone]);
}
const countries = [...new Set([...own.keys(), ...lent.keys()])]
  .sort((one, other) => (one < other ? -1 : 1))
  .map((country) => `${country}:${[...(own.get(country) ?? []), ...(lent.get(country) ?? [])].join(',')}`);

/** Fills lines up to the print width. */
function wrap(words) {
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== '' && line.length + word.length > 118) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

writeFileSync(
  new URL('../src/zone-rules/iana-data.ts', import.meta.url),
  `// Written by tools/write-iana-data.mjs from release ${version} of the tz database, which is in the public domain: the names
// that are zones or links, and zone1970's zones of each country. For where no directory of zones is at hand.

export const IANA_DATA_VERSION = '${version}';

const ZONE_NAMES = \`
${wrap(names)}
\`;

/** A country and its zones in zone1970's order, its own before those of a neighbour. */
const COUNTRY_ZONES = \`
${wrap(countries.flatMap((country) => country.split(/(?<=,)/)))}
\`;

/** Every zone and link name of the release. */
export function shippedZoneNames(): readonly string[] {
  return ZONE_NAMES.trim().split(/\\s+/);
}

let countryZones: ReadonlyMap<string, readonly string[]> | undefined;

/** ISO 3166-1 alpha-2 → its zones. */
export function shippedCountryZones(): ReadonlyMap<string, readonly string[]> {
  countryZones ??= new Map(
    COUNTRY_ZONES.trim()
      .replaceAll(/,\\s+/g, ',')
      .split(/\\s+/)
      .map((row) => {
        const [country = '', zones = ''] = row.split(':');
        return [country, zones.split(',')] as const;
      }),
  );
  return countryZones;
}
`,
);
