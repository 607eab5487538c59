// What somebody found out about uncertain sends: of one at once, of many by a preview that is confirmed.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import type { components, paths } from './schema.gen.ts';
import type { Send } from './sends.ts';

export type Resolves = components['schemas']['Resolves'];
export type Resolution = Resolves['resolution'];
type PreviewBody = paths['/v1/resolves/preview']['post']['requestBody']['content']['application/json'];

export interface ResolveOrder {
  readonly send: string;
  readonly resolution: Resolution;
  /** The push service's, where it was found there: the send is followed by it. */
  readonly requestId?: string | undefined;
  readonly reason: string;
}

/** `key`: one for a sheet. */
export const resolveSend = (
  { send, resolution, requestId, reason }: ResolveOrder,
  key: string,
): Promise<Send> =>
  answerOf(
    api.POST('/v1/sends/{id}/resolve', {
      params: { path: { id: send }, header: { 'Idempotency-Key': key } },
      body: {
        resolution,
        ...(requestId !== undefined && requestId !== '' && { requestId }),
        ...(reason !== '' && { reason }),
      },
    }),
  );

/** The preview holds exactly these sends from now on. `filter`: of a group, as GET /v1/failures answers it. */
export const previewResolves = (
  filter: Readonly<Record<string, string>>,
  { resolution, reason, key }: { resolution: Resolution; reason: string; key: string },
): Promise<Resolves> => {
  const { state: _, ...rest } = filter;
  const body = { ...rest, resolution, ...(reason !== '' && { reason }) } as unknown as PreviewBody;
  return answerOf(api.POST('/v1/resolves/preview', { params: { header: { 'Idempotency-Key': key } }, body }));
};

/** Whether the server is still at it. */
const isWorking = ({ state }: Resolves): boolean => state === 'gathering' || state === 'resolving';

export const resolvesQuery = (token: string) =>
  queryOptions({
    queryKey: ['resolves', token],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/v1/resolves/{token}', { params: { path: { token } }, signal })),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isWorking(data) ? 1_000 : 15_000),
  });

/** Confirming a set twice does nothing twice. */
export const confirmResolves = (token: string): Promise<Resolves> =>
  answerOf(api.POST('/v1/resolves', { params: { header: { 'Idempotency-Key': token } }, body: { token } }));
