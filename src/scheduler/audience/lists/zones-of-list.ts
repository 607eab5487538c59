// What an upload's zones came to: how many ids in each, and which names are no zones, with the name that was meant perhaps. Pure.
import { closest, distance } from 'fastest-levenshtein';
import { byText } from '../../../platform/compare-texts.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';

/** Names for which a near one is looked for, the most frequent first: each takes a third of a millisecond. */
const MOST_NEAR = 50;

export interface ZonesOfList {
  /** Zone null: none was given. The largest first. */
  readonly byZone: readonly { readonly zone: string | null; readonly rows: number }[];
  readonly invalidZones: readonly { readonly value: string; readonly rows: number; readonly near?: string }[];
}

/** `rowsOf`: by name as it was given, empty for none. */
export function zonesOfList(
  rowsOf: ReadonlyMap<string, number>,
  rules: Pick<ZoneRules, 'has' | 'names'>,
): ZonesOfList {
  const all = [...rowsOf].toSorted(([one, a], [other, b]) => b - a || byText(one, other));
  const byZone = all
    .filter(([zone]) => zone === '' || rules.has(zone))
    .map(([zone, rows]) => ({ zone: zone === '' ? null : zone, rows }));
  const wrong = all.filter(([zone]) => zone !== '' && !rules.has(zone));
  const names = wrong.length === 0 ? [] : rules.names();
  const invalidZones = wrong.map(([value, rows], index) => {
    const near = index < MOST_NEAR ? nearZone(value, names) : undefined;
    return { value, rows, ...(near !== undefined && { near }) };
  });
  return { byZone, invalidZones };
}

/** The zone that differs by at most two letters, whatever their case, or by blanks for underscores. */
export function nearZone(given: string, names: readonly string[]): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(' ', '_');
  // Places alone: KST is not a slip for EST.
  const byPlain = new Map(names.filter((name) => name.includes('/')).map((name) => [plain(name), name]));
  const wanted = plain(given);
  if (byPlain.size === 0) return undefined;
  const found = closest(wanted, [...byPlain.keys()]);
  return distance(wanted, found) <= Math.min(2, wanted.length - 1) ? byPlain.get(found) : undefined;
}
