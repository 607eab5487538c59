// What the API answered, kept for the pages: read anew when the stream says that it changed, every 15 s without a stream, and at once when the
// window is looked at again.
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { asProblem } from '../api/api-error.ts';
import { sessionQuery } from '../api/session.ts';
import { LiveStream } from './live/live-stream.ts';

export const POLL_MS = 15_000;
/** With a stream: what no event tells, such as that a time has passed. */
const LIVE_POLL_MS = 60_000;
const TRIES = 2;

export const answers: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session ended meanwhile: the shell asks for a token, over the page that stands.
    onError: (error) => {
      if (asProblem(error).status === 401) answers.setQueryData(sessionQuery.queryKey, null);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchInterval: () => (live.isLive() ? LIVE_POLL_MS : POLL_MS),
      refetchOnWindowFocus: true,
      // What was refused stays refused; what had no answer, or a 503, may pass.
      retry: (failures, error) => {
        const { status } = asProblem(error);
        return failures < TRIES && (status === 0 || status === 503);
      },
      retryDelay: (failures) => 500 * 2 ** failures,
    },
    mutations: { retry: false },
  },
});

export const live: LiveStream = new LiveStream(answers);
