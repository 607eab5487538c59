import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rulesOf2026f } from '../../test/support/planning/rule-sets.js';
import { TzifError } from './tzif.js';
import { TzifZoneRules } from './zone-rules-tzif.js';

const FIXTURE = fileURLToPath(new URL('../../test/vectors/tzdata-2026f', import.meta.url));

describe('a directory of compiled zones', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon zones '));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  /** The zones kept beside the vectors, with more files or without one. */
  function directory(name: string, files: Readonly<Record<string, string | null>>): string {
    const path = join(folder, name);
    cpSync(FIXTURE, path, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      if (text === null) rmSync(join(path, file));
      else writeFileSync(join(path, file), text);
    }
    return path;
  }

  it('finds a release in tzdata.zi as well', () => {
    const files = { '+VERSION': null, 'tzdata.zi': '# version 2026c\n# This file\n' };
    expect(new TzifZoneRules(directory('silent', files)).version).toBe('2026c');
  });

  it.each<[string, Readonly<Record<string, string | null>>, string]>([
    ['in +VERSION', {}, '2026f'],
    ['in version', { '+VERSION': null, version: '2026d\n' }, '2026d'],
    ['in tzdata.zi before the others', { 'tzdata.zi': '# version 2026c\n', version: '2026d\n' }, '2026c'],
    ['in the next where one says nothing', { 'tzdata.zi': '# no more\n' }, '2026f'],
    ['nowhere', { '+VERSION': null }, 'unknown'],
    ['as something else', { '+VERSION': 'latest\n' }, 'unknown'],
  ])('names its release %s', (what, files, version) => {
    const path = directory(`release ${what}`, files);
    expect(new TzifZoneRules(path)).toMatchObject({ version, source: `TZif ${path}` });
  });

  it('reads the rules of 2026f that older releases have not', () => {
    const offset = rulesOf2026f().table('America/Vancouver')?.offsetAt(Date.parse('2026-12-15T12:00Z'));
    expect(offset).toBe(-7 * 3_600_000);
  });

  it('is refused without Etc/UTC: it holds no zones', () => {
    mkdirSync(join(folder, 'empty'));
    for (const name of ['empty', 'missing'])
      expect(() => new TzifZoneRules(join(folder, name))).toThrow(TzifError);
  });

  it('names its zones, and no other file or folder beside them', () => {
    const path = directory('with others', { 'zone.tab': 'text\n', 'Africa/README': 'text\n' });
    for (const other of ['posix', 'right']) cpSync(FIXTURE, join(path, other), { recursive: true });
    symlinkSync(join(path, 'Etc', 'UTC'), join(path, 'localtime'));
    const rules = new TzifZoneRules(path);
    expect(rules.names().toSorted()).toEqual(rulesOf2026f().names().toSorted());
    expect(rules.names()).toContain('America/Vancouver');
    for (const none of [
      'zone.tab',
      'Africa/README',
      'posix/Etc/UTC',
      'right/Etc/UTC',
      'localtime',
      'Africa',
      'Etc/UTC/x',
    ])
      expect(rules.has(none), none).toBe(false);
  });

  it('is not left by any name', () => {
    const rules = new TzifZoneRules(directory('inside', {}));
    cpSync(join(FIXTURE, 'Etc', 'UTC'), join(folder, 'outside'));
    for (const name of ['../outside', 'Etc/../../outside', join(folder, 'outside'), '/Etc/UTC', './Etc/UTC'])
      expect(rules.has(name), name).toBe(false);
  });

  it('is read once for each zone, and again for a name that was none', () => {
    const path = directory('later', {});
    const rules = new TzifZoneRules(path);
    const vancouver = rules.table('America/Vancouver');
    rmSync(join(path, 'America', 'Vancouver'));
    expect(rules.table('America/Vancouver')).toBe(vancouver);
    expect(rules.has('Etc/Later')).toBe(false);
    cpSync(join(FIXTURE, 'Etc', 'UTC'), join(path, 'Etc', 'Later'));
    expect(rules.has('Etc/Later')).toBe(true);
  });

  it("has the countries of its zone1970.tab, a country's own zones first", () => {
    const tab = [
      '# country-\tcoordinates\tTZ',
      'DE,DK\t+5230+01322\tEurope/Berlin\tmost of Germany',
      'DK\t+5540+01235\tEurope/Copenhagen',
      'CH,DE\t+4723+00832\tEurope/Zurich\tBüsingen',
      '',
    ].join('\n');
    const rules = new TzifZoneRules(directory('countries', { 'zone1970.tab': tab }));
    expect(rules.zonesOfCountry('DE')).toEqual(['Europe/Berlin', 'Europe/Zurich']);
    expect(rules.zonesOfCountry('DK')).toEqual(['Europe/Copenhagen', 'Europe/Berlin']);
    expect(rules.zonesOfCountry('CH')).toEqual(['Europe/Zurich']);
    expect(rules.zonesOfCountry('KR')).toEqual([]);
  });

  it('has those that are shipped without that file', () => {
    expect(new TzifZoneRules(directory('no countries', {})).zonesOfCountry('KR')).toEqual(['Asia/Seoul']);
  });
});
