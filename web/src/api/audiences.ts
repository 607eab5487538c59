// Lists of users: what there is, their versions, and uploads under way.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api, upload, type Upload } from './client.ts';
import { nextPage, PAGE_SIZE } from './paging.ts';
import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];
export type ListedList = Schemas['ListedList'];
export type ListDetail = Schemas['ListDetail'];
export type ListVersion = ListDetail['versions'][number];
export type UploadedList = Schemas['UploadedList'];
export type DeletedList = Schemas['DeletedList'];

const pageOf = (cursor: string | undefined) => ({
  limit: PAGE_SIZE,
  ...(cursor !== undefined && { cursor }),
});

export const listsQuery = (serviceId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['audiences', serviceId ?? ''],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...pageOf(pageParam), ...(serviceId !== undefined && { serviceId }) };
      return answerOf(api.GET('/v1/audiences', { params: { query }, signal }));
    },
    getNextPageParam: nextPage,
  });

/** A list is named by its service and its name. */
export interface ListName {
  readonly serviceId: string;
  readonly name: string;
}

const paramsOf = ({ serviceId, name }: ListName) => ({ path: { name }, query: { serviceId } });

export const listQuery = (of: ListName) =>
  queryOptions({
    queryKey: ['audiences', of.serviceId, of.name],
    queryFn: ({ signal }) => answerOf(api.GET('/v1/audiences/{name}', { params: paramsOf(of), signal })),
  });

export const deleteList = (of: ListName): Promise<DeletedList> =>
  answerOf(api.DELETE('/v1/audiences/{name}', { params: paramsOf(of) }));

export function uploadList({ serviceId, name }: ListName, file: File): Upload<UploadedList> {
  const query = new URLSearchParams({ serviceId });
  return upload(`/v1/audiences/${encodeURIComponent(name)}?${query.toString()}`, file);
}
