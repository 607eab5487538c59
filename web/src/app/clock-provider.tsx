// Keeps the chosen clock for this person, takes one from a copied link (`?clock=`) for this tab, and knows the server's now by the session.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { sessionQuery } from '../api/session.ts';
import { ClockContext, type ChosenClock } from '../parts/time/clock-context.ts';
import { CLOCKS, type ClockName } from '../parts/time/reading.ts';

const KEPT_AS = 'carillon.clock';

const isClock = (name: string | null): name is ClockName => CLOCKS.some((known) => known === name);

function firstClock(): ClockName {
  const asked = new URLSearchParams(window.location.search).get('clock');
  // The address loses it at once, and a reload is to show the same.
  if (isClock(asked)) window.sessionStorage.setItem(KEPT_AS, asked);
  const kept = [window.sessionStorage, window.localStorage].map((storage) => storage.getItem(KEPT_AS));
  return [asked, ...kept].find(isClock) ?? 'mine';
}

export function ClockProvider({ children }: { readonly children: ReactNode }) {
  const [clock, setClock] = useState(firstClock);
  const { data: session, dataUpdatedAt } = useQuery(sessionQuery);
  const chosen = useMemo<ChosenClock>(() => {
    const [told, rate] = [Date.parse(session?.now ?? ''), session?.clockRate ?? 1];
    return {
      clock,
      choose: (next) => {
        window.sessionStorage.removeItem(KEPT_AS);
        window.localStorage.setItem(KEPT_AS, next);
        setClock(next);
      },
      now: () => (Number.isNaN(told) ? Date.now() : told + (Date.now() - dataUpdatedAt) * rate),
    };
  }, [clock, session, dataUpdatedAt]);
  return <ClockContext value={chosen}>{children}</ClockContext>;
}
