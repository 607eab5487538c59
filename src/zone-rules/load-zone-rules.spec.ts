import { cpSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completeRuleSets, zoneDirectories } from '../../test/support/planning/rule-sets.js';
import { IANA_DATA_VERSION, shippedCountryZones, shippedZoneNames } from './iana-data.js';
import { TzifError } from './tzif.js';
import { isOlder, loadZoneRules, yearsBehind } from './load-zone-rules.js';

const FIXTURE = fileURLToPath(new URL('../../test/vectors/tzdata-2026f', import.meta.url));

/** Zones whose rules the releases from 2025c to 2026f changed for 2024 to 2032, links included. */
const MOVED_LATELY = new Set(
  (
    'Africa/Casablanca Africa/El_Aaiun America/Edmonton America/Havana America/Inuvik America/Rainy_River ' +
    'America/Coyhaique America/Vancouver America/Winnipeg America/Yellowknife Canada/Central Canada/Mountain ' +
    'Canada/Pacific Cuba Europe/Chisinau Europe/Tiraspol'
  ).split(' '),
);

describe('the sources of zone rules', () => {
  const [icu, ...files] = completeRuleSets();
  it.each(files.map((rules) => [rules.source, rules] as const))(
    '%s agrees with ICU on every zone and transition of 2024 to 2032, where their versions do',
    (_source, rules) => {
      const [from, to] = [Date.UTC(2024, 0), Date.UTC(2033, 0)];
      const sameRelease = rules.version === icu?.version;
      let compared = 0;
      for (const zone of rules.names()) {
        const theirs = icu?.table(zone);
        // ICU may lack a link that is newer than it is; a directory of its own release holds nothing it lacks.
        if ((theirs === undefined || MOVED_LATELY.has(zone)) && !sameRelease) continue;
        expect(theirs?.between(from, to), zone).toEqual(rules.table(zone)?.between(from, to));
        expect(theirs?.offsetAt(from), zone).toBe(rules.table(zone)?.offsetAt(from));
        compared += 1;
      }
      expect(compared).toBeGreaterThan(400);
    },
  );

  it('the shipped names and countries hold for ICU and for every directory', () => {
    const names = new Set(shippedZoneNames());
    expect(names.size).toBeGreaterThan(590);
    for (const zone of Intl.supportedValuesOf('timeZone'))
      expect(names.has(zone) || zone.startsWith('Etc/'), zone).toBe(true);
    for (const [country, zones] of shippedCountryZones()) {
      expect(country).toMatch(/^[A-Z]{2}$/);
      for (const zone of zones) expect(names.has(zone), `${country} ${zone}`).toBe(true);
    }
    expect(shippedCountryZones().size).toBeGreaterThan(240);
    expect(IANA_DATA_VERSION).toMatch(/^20\d\d[a-z]$/);
  });

  it("country data is there without any directory, a country's own zone first", () => {
    for (const rules of completeRuleSets()) {
      expect(rules.zonesOfCountry('KR')).toEqual(['Asia/Seoul']);
      expect(rules.zonesOfCountry('DE')[0]).toBe('Europe/Berlin');
      expect(rules.zonesOfCountry('NO')).toEqual(['Europe/Berlin']);
      expect(rules.zonesOfCountry('US').length).toBeGreaterThan(20);
      expect(rules.zonesOfCountry('ZZ')).toEqual([]);
    }
  });

  it.each([
    'PST',
    'asia/seoul',
    '+09:00',
    'GMT+9',
    'Asia/Seoul ',
    '',
    'posix/Asia/Seoul',
    'right/Asia/Seoul',
    '../zoneinfo/Asia/Seoul',
    'Asia',
    'tzdata.zi',
    'Asia/Seoul/..',
  ])('none of them takes %j for a zone', (name) => {
    for (const rules of completeRuleSets()) expect(rules.has(name), rules.source).toBe(false);
  });
});

describe('loadZoneRules (planning.md §8)', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon zones '));
    cpSync(FIXTURE, join(folder, 'newer'), { recursive: true });
    cpSync(FIXTURE, join(folder, 'older'), { recursive: true });
    writeFileSync(join(folder, 'older', '+VERSION'), '2019c\n');
    cpSync(FIXTURE, join(folder, 'silent'), { recursive: true });
    rmSync(join(folder, 'silent', '+VERSION'));
    mkdirSync(join(folder, 'empty'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const load = (...names: string[]): string =>
    loadZoneRules({ systemDirectories: names.map((name) => join(folder, name)) }).source;

  it('takes the newest', () => {
    expect(load('newer')).toBe(`TZif ${join(folder, 'newer')}`);
    expect(load('older')).toContain('ICU');
  });
  it('takes ICU where there are no zone files, or none that say their release', () => {
    expect(
      [load('empty'), load('missing'), load(), load('silent')].every((source) => source.startsWith('ICU')),
    ).toBe(true);
  });
  it('takes the directory that it is given, however old, and no other', () => {
    expect(loadZoneRules({ directory: join(folder, 'older') })).toMatchObject({ version: '2019c' });
    expect(() => loadZoneRules({ directory: join(folder, 'empty') })).toThrow(TzifError);
    expect(() => loadZoneRules({ directory: join(folder, 'missing') })).toThrow(TzifError);
  });
  it('orders releases, an unknown one before any', () => {
    expect([
      isOlder('2025c', '2026a'),
      isOlder('2026a', '2025c'),
      isOlder('2026a', '2026a'),
      isOlder('unknown', '2025c'),
      isOlder('2025c', 'unknown'),
    ]).toEqual([true, false, false, true, false]);
    const now = Date.parse('2026-12-31T23:59:59.999Z');
    expect([yearsBehind('2025c', now), yearsBehind('2027a', now), yearsBehind('unknown', now)]).toEqual([
      1,
      0,
      undefined,
    ]);
  });
});

it('this machine offers at least one source', () => {
  expect(zoneDirectories().length + completeRuleSets().length).toBeGreaterThan(0);
});
