// Users one by one: the directory of their zones, where it disagrees with the push service, and their erasure.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api, upload, type Upload } from './client.ts';
import { nextPage, PAGE_SIZE } from './paging.ts';
import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];
export type PutZones = Schemas['PutRecipientZones'];
export type Drift = Schemas['RecipientDrift'];
export type Erasure = Schemas['Erasure'];

/** A user is named by the service and the id there. */
export interface UserName {
  readonly serviceId: string;
  readonly userId: string;
}

/** `zone`: an IANA name; null takes the zone away. */
export const putZone = ({ serviceId, userId }: UserName, zone: string | null): Promise<PutZones> =>
  answerOf(
    api.PUT('/v1/recipients/zones', {
      params: { query: { serviceId } },
      body: { recipients: [{ userId, zone }] },
    }),
  );

export const uploadZones = (serviceId: string, file: File): Upload<PutZones> =>
  upload(`/v1/recipients/zones?${new URLSearchParams({ serviceId }).toString()}`, file);

export const driftQuery = (serviceId: string) =>
  infiniteQueryOptions({
    queryKey: ['drift', serviceId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { serviceId, limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) };
      return answerOf(api.GET('/v1/recipients/drift', { params: { query }, signal }));
    },
    getNextPageParam: nextPage,
  });

/** The job; the one that runs where the same was asked for before. */
export const eraseUser = ({ serviceId, userId }: UserName): Promise<Erasure> =>
  answerOf(api.DELETE('/v1/recipients/{userId}', { params: { path: { userId }, query: { serviceId } } }));

export const erasureQuery = (id: string) =>
  queryOptions({
    queryKey: ['erasure', id],
    queryFn: ({ signal }) => answerOf(api.GET('/v1/erasures/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.state === 'done' ? false : 1_000),
  });
