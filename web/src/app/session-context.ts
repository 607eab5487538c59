// The session that the shell found, for pages to ask what they may show. Pages are shown to a signed-in person only.
import { createContext, useContext } from 'react';
import { mayCall, type GuardedRoute } from '../api/may.ts';
import type { Session } from '../api/session.ts';

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('a page is shown without a session');
  return session;
}

/** Whether this person may call that route: what one may never do is not shown. */
export function useMay(): (route: GuardedRoute) => boolean {
  const { roles } = useSession();
  return (route) => mayCall(roles, route);
}

/** The one service that this person holds; undefined for several, and for all. */
export function useOnlyService(): string | undefined {
  const { serviceIds } = useSession();
  const [only, ...more] = serviceIds;
  return only === '*' || more.length > 0 ? undefined : only;
}
