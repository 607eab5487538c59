// Keeps the chosen clock for this person, takes one from a copied link (`?clock=`), and knows the server's now by the session.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { sessionQuery } from '../api/session.ts';
import { ClockContext, type ChosenClock } from '../parts/time/clock-context.ts';
import { CLOCKS, type ClockName } from '../parts/time/reading.ts';

const KEPT_AS = 'carillon.clock';

const isClock = (name: string | null): name is ClockName => CLOCKS.some((known) => known === name);

function firstClock(): ClockName {
  const asked = new URLSearchParams(window.location.search).get('clock');
  const kept = window.localStorage.getItem(KEPT_AS);
  return [asked, kept].find(isClock) ?? 'mine';
}

export function ClockProvider({ children }: { readonly children: ReactNode }) {
  const [clock, setClock] = useState(firstClock);
  const { data: session, dataUpdatedAt } = useQuery(sessionQuery);
  const chosen = useMemo<ChosenClock>(() => {
    const [told, rate] = [Date.parse(session?.now ?? ''), session?.clockRate ?? 1];
    return {
      clock,
      choose: (next) => {
        window.localStorage.setItem(KEPT_AS, next);
        setClock(next);
      },
      now: () => (Number.isNaN(told) ? Date.now() : told + (Date.now() - dataUpdatedAt) * rate),
    };
  }, [clock, session, dataUpdatedAt]);
  return <ClockContext value={chosen}>{children}</ClockContext>;
}
