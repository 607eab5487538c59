import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { TzifZoneRules } from '../../../zone-rules/zone-rules-tzif.js';
import { movedTimes } from './moved-times.js';

const before = new TzifZoneRules(
  fileURLToPath(new URL('../../../../test/vectors/tzdata-2026f', import.meta.url)),
);
/** Made up: Vancouver goes by Chisinau's clock, and Havana is gone. */
const after: ZoneRules = {
  source: 'made up',
  version: '2027a',
  names: () => before.names(),
  has: (zone) => before.has(zone),
  zonesOfCountry: (country) => before.zonesOfCountry(country),
  table: (zone) =>
    zone === 'America/Havana'
      ? undefined
      : before.table(zone === 'America/Vancouver' ? 'Europe/Chisinau' : zone),
};
const dst = { gap: 'forward', overlap: 'first' } as const;
const moved = (zone: string, local: string) =>
  movedTimes([{ zone, local, dst }], before, after).map((one) => [one.before, one.after]);

it('names a wall time that the other rules turn into another instant, with both', () => {
  expect(moved('America/Vancouver', '2027-01-15T09:00')).toEqual([
    [Date.parse('2027-01-15T16:00Z'), Date.parse('2027-01-15T07:00Z')],
  ]);
});

it.each([
  ['in a zone that is the same in both', 'Europe/Chisinau', '2027-01-15T09:00'],
  ['on a fixed offset', 'UTC+09:00', '2027-01-15T09:00'],
])('nothing %s', (_, zone, local) => {
  expect(moved(zone, local)).toEqual([]);
});

it('names a zone that the other rules do not have', () => {
  expect(moved('America/Havana', '2027-01-15T09:00')).toEqual([[Date.parse('2027-01-15T13:00Z'), undefined]]);
});
