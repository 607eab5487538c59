// Source 4 of planning.md §2: the zone of a whole country, where the push service cannot tell its users apart.
import { DAY_MS } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';

/** NO_PRINCIPAL_ZONE: it has several zones whose clocks differ, and the project chooses none of them. */
type CountryZone = { readonly zone: string } | { readonly code: 'UNKNOWN_COUNTRY' | 'NO_PRINCIPAL_ZONE' };

/** For how long the clocks of zones must agree to count as one. */
const AGREE_MS = 400 * DAY_MS;

/**
 * The project's principal zone, else the country's only zone by zone1970. Several zones whose clocks agree for the next
 * 400 days (Germany has two) count as one: the first.
 */
export function zoneOfCountry(
  country: string,
  principalZones: Readonly<Record<string, string>>,
  rules: ZoneRules,
  now: EpochMs,
): CountryZone {
  const principal = Object.hasOwn(principalZones, country) ? principalZones[country] : undefined;
  if (principal !== undefined && rules.has(principal)) return { zone: principal };
  const [first, ...others] = rules.zonesOfCountry(country).filter((zone) => rules.has(zone));
  if (first === undefined) return { code: 'UNKNOWN_COUNTRY' };
  const clock = clockOf(first, rules, now);
  const areOne = others.every((zone) => clockOf(zone, rules, now) === clock);
  return areOne ? { zone: first } : { code: 'NO_PRINCIPAL_ZONE' };
}

function clockOf(zone: string, rules: ZoneRules, now: EpochMs): string {
  const table = rules.table(zone);
  return JSON.stringify([table?.offsetAt(now), table?.between(now, now + AGREE_MS)]);
}
