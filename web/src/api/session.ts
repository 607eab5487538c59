// Who is signed in. The cookie is the browser's alone; no script reads it, and nothing is kept in storage.
import { queryOptions } from '@tanstack/react-query';
import { asProblem } from './api-error.ts';
import { answerOf, api, carryCsrf, done } from './client.ts';
import type { components } from './schema.gen.ts';

export type Session = components['schemas']['Session'];
export type Role = Session['roles'][number];

/** null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: Infinity,
  refetchInterval: false,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await answerOf(api.GET('/v1/session', { signal }));
      carryCsrf(session.csrf);
      return session;
    } catch (error) {
      if (asProblem(error).status !== 401) throw error;
      carryCsrf(null);
      return null;
    }
  },
});

export const signIn = (token: string): Promise<void> => done(api.POST('/v1/session', { body: { token } }));

export const signOut = (): Promise<void> => done(api.DELETE('/v1/session'));
