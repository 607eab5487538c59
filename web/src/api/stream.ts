// GET /v1/stream: what changed, as server-sent events (docs/use/dashboard-api.md, "Live events").

/** `lastId`: goes on after that event; empty: from now on. The browser itself goes on after a cut. */
export function openStream(lastId: string): EventSource {
  const query = lastId === '' ? '' : `?lastEventId=${encodeURIComponent(lastId)}`;
  return new EventSource(`/v1/stream${query}`);
}

/** The browser will not try again by itself: the server said no. */
export const isRefused = (stream: EventSource): boolean => stream.readyState === EventSource.CLOSED;
