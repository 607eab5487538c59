// A revision of a campaign: its event as its publisher wrote it, what devices get of it, and how its plan differed from the one before.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import type { components } from './schema.gen.ts';

export type Revision = components['schemas']['RevisionView'];
export type ShownMessage = Revision['messages'][number];

/** Under its campaign, so that what changes the campaign makes it old. */
export const revisionQuery = (id: string, revision: number) =>
  queryOptions({
    queryKey: ['campaign', id, 'revision', revision],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/v1/campaigns/{id}/revisions/{revision}', { params: { path: { id, revision } }, signal }),
      ),
  });
