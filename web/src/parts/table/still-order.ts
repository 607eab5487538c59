// Rows that are ordered by a figure would change places as it changes: each keeps the place that it was first seen in, and a new one comes last.
import { useState } from 'react';

/** `list` names the list: another filter is another list, and begins anew. */
export function useStillOrder<Row>(
  list: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const [seen, setSeen] = useState<{ readonly list: string; readonly keys: readonly string[] }>();
  const known = seen?.list === list ? seen.keys : [];
  const fresh = rows.map(keyOf).filter((key) => !known.includes(key));
  if (fresh.length > 0) setSeen({ list, keys: [...known, ...fresh] });
  return rows.toSorted((a, b) => placeIn(known, keyOf(a)) - placeIn(known, keyOf(b)));
}

const placeIn = (keys: readonly string[], key: string): number => {
  const at = keys.indexOf(key);
  return at === -1 ? keys.length : at;
};
