// What an id or a name belongs to.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import type { components } from './schema.gen.ts';

export type Found = components['schemas']['SearchResult']['items'][number];

/** The server takes no shorter text. */
export const LEAST_LETTERS = 2;

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', q],
    enabled: q.length >= LEAST_LETTERS,
    refetchInterval: false,
    queryFn: ({ signal }) => answerOf(api.GET('/v1/search', { params: { query: { q, limit: 12 } }, signal })),
  });
