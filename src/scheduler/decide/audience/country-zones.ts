// Source 4 of planning.md §2: the zone a whole country goes by, where the push service cannot tell its users apart.
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';

export type CountryZone =
  | { readonly kind: 'zone'; readonly zone: string }
  | { readonly kind: 'unknown-country' }
  /** Several zones whose clocks differ, and the project names none of them. */
  | { readonly kind: 'no-principal-zone'; readonly zones: readonly string[] };

/** How far ahead zones must agree to count as one. */
const AGREE_MS = 400 * 86_400_000;

/**
 * The project's principal zone, else the country's only one by zone1970. Several zones whose clocks agree for the next
 * 400 days (Germany has two) are one for our purpose: the first.
 */
export function zoneOfCountry(
  country: string,
  principalZones: Readonly<Record<string, string>>,
  rules: ZoneRules,
  now: EpochMs,
): CountryZone {
  const principal = Object.hasOwn(principalZones, country) ? principalZones[country] : undefined;
  if (principal !== undefined && rules.has(principal)) return { kind: 'zone', zone: principal };
  const zones = rules.zonesOfCountry(country).filter((zone) => rules.has(zone));
  const [first, ...others] = zones;
  if (first === undefined) return { kind: 'unknown-country' };
  const clock = clockOf(first, rules, now);
  if (others.every((zone) => clockOf(zone, rules, now) === clock)) return { kind: 'zone', zone: first };
  return { kind: 'no-principal-zone', zones };
}

function clockOf(zone: string, rules: ZoneRules, now: EpochMs): string {
  const table = rules.table(zone);
  return JSON.stringify([table?.offsetAt(now), table?.between(now, now + AGREE_MS)]);
}
