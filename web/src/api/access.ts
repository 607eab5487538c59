// Who may do what, whom alerts are posted to, and what people did by hand: tokens, webhooks and the audit.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api, done } from './client.ts';
import { nextPage, PAGE_SIZE } from './paging.ts';
import type { components, paths } from './schema.gen.ts';

type Schemas = components['schemas'];
export type Token = Schemas['Token'];
export type NewToken = Schemas['NewToken'];
export type Webhook = Schemas['Webhook'];
export type NewWebhook = Schemas['NewWebhook'];
export type WebhookTest = Schemas['WebhookTest'];
export type AuditRow = Schemas['AuditRow'];
type BodyOf<Route extends '/v1/tokens' | '/v1/webhooks'> =
  paths[Route]['post']['requestBody']['content']['application/json'];
export type TokenOrder = BodyOf<'/v1/tokens'>;
export type WebhookOrder = BodyOf<'/v1/webhooks'>;

type AuditAsk = NonNullable<paths['/v1/audit']['get']['parameters']['query']>;
export type AuditFilter = Omit<AuditAsk, 'cursor' | 'limit'>;

const pageOf = (cursor: string | undefined) => ({
  limit: PAGE_SIZE,
  ...(cursor !== undefined && { cursor }),
});

export const tokensQuery = infiniteQueryOptions({
  queryKey: ['tokens'],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam, signal }) =>
    answerOf(api.GET('/v1/tokens', { params: { query: pageOf(pageParam) }, signal })),
  getNextPageParam: nextPage,
});

/** `key`: one for a sheet. The answer has the token itself, this once. */
export const makeToken = (order: TokenOrder, key: string): Promise<NewToken> =>
  answerOf(api.POST('/v1/tokens', { params: { header: { 'Idempotency-Key': key } }, body: order }));

export const revokeToken = (id: string): Promise<void> =>
  done(api.DELETE('/v1/tokens/{id}', { params: { path: { id } } }));

export const webhooksQuery = infiniteQueryOptions({
  queryKey: ['webhooks'],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam, signal }) =>
    answerOf(api.GET('/v1/webhooks', { params: { query: pageOf(pageParam) }, signal })),
  getNextPageParam: nextPage,
});

/** `key`: one for a sheet. The answer has the secret that the server made, this once. */
export const makeWebhook = (order: WebhookOrder, key: string): Promise<NewWebhook> =>
  answerOf(api.POST('/v1/webhooks', { params: { header: { 'Idempotency-Key': key } }, body: order }));

export const removeWebhook = (id: string): Promise<void> =>
  done(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } }));

export const testWebhook = (id: string): Promise<WebhookTest> =>
  answerOf(api.POST('/v1/webhooks/{id}/test', { params: { path: { id } } }));

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filter, ...pageOf(pageParam) };
      return asPage(await answerOf(api.GET('/v1/audit', { params: { query }, signal })));
    },
    getNextPageParam: nextPage,
  });

const MOST_EXPORTED = 500;

/** All rows of a filter, a page after the other; the server answers them as lists alone. */
export async function allOfAudit(filter: AuditFilter): Promise<readonly AuditRow[]> {
  const rows: AuditRow[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { ...filter, limit: MOST_EXPORTED, ...(typeof cursor === 'string' && { cursor }) };
    // A page names the next one.
    // oxlint-disable-next-line no-await-in-loop
    const page = asPage(await answerOf(api.GET('/v1/audit', { params: { query } })));
    rows.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

/** The API answers a page unless lines are asked for (`format=ndjson`). */
function asPage<Page>(answer: Page | string): Page {
  if (typeof answer === 'string') throw new Error('the audit came as lines');
  return answer;
}
