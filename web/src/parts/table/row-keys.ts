// `j` and `k` on a page with a table: the focus moves to the first link or button of the next or former row.
import { useEffect, type RefObject } from 'react';
import { isTyping } from '../keys.ts';

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

export function useRowKeys(table: RefObject<HTMLTableElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      if (step === undefined || isTyping(event) || table.current === null) return;
      const rows = [...table.current.querySelectorAll<HTMLElement>('tr[data-row]')];
      const at = rows.findIndex((row) => row.contains(document.activeElement));
      const next = rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
      next?.querySelector<HTMLElement>('a, button, input')?.focus();
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [table]);
}
