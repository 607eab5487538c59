// Retries and resolves of many sends over HTTP: the preview, its confirmation, and the progress of both. Each kind of set has the
// same routes, with a preview and views of its own.
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, type Type } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../../platform/http/operation.decorator.js';
import { idPlace, pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { RETRYABLE_STATES } from '../decide/lifecycle/send-state.js';
import { RESOLUTIONS } from '../decide/lifecycle/resolution.js';
import { sendFilterBody, sendStates } from '../store/read/send-filter.js';
import type { SetAsked } from '../store/send/send-set.store.js';
import type { ManySends } from './many-sends.js';
import { ResolveItem, ResolvesView } from './resolve-many.js';
import { RetriesView, RetryItem } from './retry-many.js';

const setToken = z.uuid();
const confirmBody = z.strictObject({ token: setToken });
const listQuery = z.object({
  ...pageQuery,
  serviceId: storableText(128).optional().describe('Only sets over this service alone'),
});
const itemsQuery = z.object({
  ...pageQuery,
  state: sendStates.optional(),
  code: storableText(64).optional(),
});
/** The sends that a caller names one by one. */
const namedSends = z.array(z.uuid()).min(1).max(1_000).optional();

/** The filter of GET /v1/sends and of the failures. Without `sends`, all that match it. */
export const retriesBody = z.strictObject({
  ...sendFilterBody,
  states: z
    .array(z.enum(RETRYABLE_STATES))
    .min(1)
    .default([...RETRYABLE_STATES]),
  sends: namedSends,
  stale: z
    .boolean()
    .default(false)
    .describe(
      'Retry sends that have been due for more than a day as well; else they are left out: OLDER_THAN_A_DAY',
    ),
});
/** The filter of GET /v1/sends, for uncertain sends. Without `sends`, all that match it. */
const resolvesBody = z.strictObject({
  ...sendFilterBody,
  resolution: z.enum(RESOLUTIONS),
  reason: storableText(500).min(1).optional(),
  sends: namedSends,
});

interface SetRoutes<Asked, View extends { readonly token: string }, Item extends { readonly send: string }> {
  /** Below v1. */
  readonly path: string;
  readonly previewBody: z.ZodType<Asked>;
  readonly askedOf: (body: Asked) => Omit<SetAsked, 'kind'>;
  readonly View: z.ZodType<View>;
  readonly Item: z.ZodType<Item>;
  readonly summaries: Readonly<Record<'preview' | 'confirm' | 'list' | 'items' | 'read', string>>;
}

/** The API's description names operations after the controller: `<name>_preview` and so on. */
function setsController<
  Asked,
  View extends { readonly token: string },
  Item extends { readonly send: string },
>(
  name: string,
  provider: symbol,
  { path, previewBody, askedOf, View, Item, summaries }: SetRoutes<Asked, View, Item>,
): Type {
  @Controller(`v1/${path}`)
  @Roles('operator')
  class SetsController {
    constructor(@Inject(provider) private readonly sets: ManySends<View, Item>) {}

    /** Changes no send. Large sets are gathered and asked about after the answer. */
    @Operation(View, { summary: summaries.preview, refusals: { 404: ['NOT_FOUND'] } })
    @Post('preview')
    async preview(
      @Body({ schema: previewBody }) body: Asked,
      @Caller() caller: CallerIdentity,
    ): Promise<View> {
      return this.sets.preview(askedOf(body), caller);
    }

    @Operation(View, {
      summary: summaries.confirm,
      refusals: { 404: ['NOT_FOUND'], 409: ['PREVIEW_EXPIRED', 'PREVIEW_NOT_READY'] },
    })
    @Post()
    @HttpCode(202)
    async confirm(
      @Body({ schema: confirmBody }) { token }: z.output<typeof confirmBody>,
      @Caller() caller: CallerIdentity,
    ): Promise<View> {
      return this.sets.confirm(token, caller);
    }

    @Operation(pageSchema(View), { summary: summaries.list })
    @Get()
    async list(
      @Query({ schema: listQuery }) { cursor, limit, serviceId }: z.output<typeof listQuery>,
      @Caller() caller: CallerIdentity,
    ): Promise<Page<View>> {
      const [before] = readCursor(cursor, idPlace) ?? [];
      const found = await this.sets.latest(serviceId, { before, limit: limit + 1 }, caller);
      return pageOf(found, limit, (set) => [set.token]);
    }

    @Operation(pageSchema(Item), { summary: summaries.items })
    @Get(':token/items')
    async items(
      @Param('token', { schema: setToken }) set: string,
      @Query({ schema: itemsQuery }) { cursor, limit, ...filter }: z.output<typeof itemsQuery>,
      @Caller() caller: CallerIdentity,
    ): Promise<Page<Item>> {
      const [from] = readCursor(cursor, idPlace) ?? [];
      const items = await this.sets.items(set, filter, { from, limit: limit + 1 }, caller);
      return pageOf(items, limit, ({ send }) => [send]);
    }

    @Operation(View, { summary: summaries.read })
    @Get(':token')
    async read(
      @Param('token', { schema: setToken }) set: string,
      @Caller() caller: CallerIdentity,
    ): Promise<View> {
      return this.sets.read(set, caller);
    }
  }
  Object.defineProperty(SetsController, 'name', { value: name });
  return SetsController;
}

/** Provides ManySends of retries. */
export const RETRY_SETS = Symbol('sets of retries');
export const RetriesController = setsController('RetriesController', RETRY_SETS, {
  path: 'retries',
  previewBody: retriesBody,
  askedOf: (filter) => ({ filter, resolution: null, reason: null }),
  View: RetriesView,
  Item: RetryItem,
  summaries: {
    preview: 'What retrying all sends of a filter would come to',
    confirm: 'Retries exactly the previewed set',
    list: 'Previews and retries of many sends, newest first',
    items: 'Sends that wait in a set, for the question what became of them or for their retry',
    read: 'How far a preview or its retries have come',
  },
});

/** Provides ManySends of resolves. */
export const RESOLVE_SETS = Symbol('sets of resolves');
export const ResolvesController = setsController('ResolvesController', RESOLVE_SETS, {
  path: 'resolves',
  previewBody: resolvesBody,
  askedOf: ({ resolution, reason = null, ...filter }) => ({
    filter: { ...filter, states: ['uncertain'] },
    resolution,
    reason,
  }),
  View: ResolvesView,
  Item: ResolveItem,
  summaries: {
    preview: 'What resolving all uncertain sends of a filter would come to',
    confirm: 'Resolves exactly the previewed set',
    list: 'Previews and resolves of many sends, newest first',
    items: 'Sends that wait in a set for their resolution',
    read: 'How far a preview or its resolves have come',
  },
});
