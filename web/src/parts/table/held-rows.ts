// Rows never move under the hand: what came to the head of a list since it was opened waits until it is asked for.
import { useState } from 'react';

export interface HeldRows<Row> {
  readonly rows: readonly Row[];
  /** How many wait. */
  readonly waiting: number;
  readonly show: () => void;
}

/** `list` names the list: another filter is another list, and begins anew. */
export function useHeldRows<Row>(
  list: string,
  rows: readonly Row[] | undefined,
  keyOf: (row: Row) => string,
): HeldRows<Row> {
  const [first, setFirst] = useState<{ readonly list: string; readonly key: string }>();
  const head = rows?.[0] === undefined ? undefined : keyOf(rows[0]);
  const known = first?.list === list ? first.key : undefined;
  if (known === undefined && head !== undefined) setFirst({ list, key: head });
  // The row that headed the list may have gone meanwhile: then all of it is new.
  const at = rows?.findIndex((row) => keyOf(row) === known) ?? -1;
  const waiting = Math.max(0, at);
  return {
    rows: rows?.slice(waiting) ?? [],
    waiting,
    show: () => {
      if (head !== undefined) setFirst({ list, key: head });
    },
  };
}
