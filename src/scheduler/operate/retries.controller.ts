// Retries of many sends over HTTP: the preview, its confirmation, and the progress of both.
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../../platform/http/operation.decorator.js';
import { idPlace, pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { RETRYABLE_STATES } from '../decide/lifecycle/send-state.js';
import { sendFilterBody, sendStates } from '../store/read/send-filter.js';
import { RetriesView, RetryItem, RetryMany } from './retry-many.js';

export const setToken = z.uuid();
/** Sends that a preview names one by one. */
export const namedSends = z.array(z.uuid()).min(1).max(1_000).optional();
/** The filter of GET /v1/sends and of the failures. Without `sends`, all that match it. */
export const previewBody = z.strictObject({
  ...sendFilterBody,
  states: z
    .array(z.enum(RETRYABLE_STATES))
    .min(1)
    .default([...RETRYABLE_STATES]),
  sends: namedSends,
});
export const confirmBody = z.strictObject({ token: setToken });
export const listQuery = z.object({
  ...pageQuery,
  serviceId: storableText(128).optional().describe('Of sets over this service alone'),
});
export const itemsQuery = z.object({
  ...pageQuery,
  state: sendStates.optional(),
  code: storableText(64).optional(),
});
const RetriesPage = pageSchema(RetriesView);
const ItemPage = pageSchema(RetryItem);

@Controller('v1/retries')
@Roles('operator')
export class RetriesController {
  constructor(private readonly retries: RetryMany) {}

  /** Changes no send. Large sets are gathered and asked about after the answer. */
  @Operation(RetriesView, {
    summary: 'What retrying all of a filter would come to',
    refusals: { 404: ['NOT_FOUND'] },
  })
  @Post('preview')
  async preview(
    @Body({ schema: previewBody }) filter: z.output<typeof previewBody>,
    @Caller() caller: CallerIdentity,
  ): Promise<RetriesView> {
    return this.retries.preview({ filter }, caller);
  }

  @Operation(RetriesView, {
    summary: 'Retries exactly the previewed set',
    refusals: { 404: ['NOT_FOUND'], 409: ['PREVIEW_EXPIRED', 'PREVIEW_NOT_READY'] },
  })
  @Post()
  @HttpCode(202)
  async confirm(
    @Body({ schema: confirmBody }) { token }: z.output<typeof confirmBody>,
    @Caller() caller: CallerIdentity,
  ): Promise<RetriesView> {
    return this.retries.confirm(token, caller);
  }

  @Operation(RetriesPage, { summary: 'Previews and retries of many, newest first' })
  @Get()
  async list(
    @Query({ schema: listQuery }) { cursor, limit, serviceId }: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<RetriesView>> {
    const [before] = readCursor(cursor, idPlace) ?? [];
    const sets = await this.retries.latest(serviceId, { before, limit: limit + 1 }, caller);
    return pageOf(sets, limit, (set) => [set.token]);
  }

  @Operation(ItemPage, {
    summary: 'Sends that wait in a set, for the question what became of them or for their retry',
  })
  @Get(':token/items')
  async items(
    @Param('token', { schema: setToken }) set: string,
    @Query({ schema: itemsQuery }) { cursor, limit, ...filter }: z.output<typeof itemsQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<RetryItem>> {
    const [from] = readCursor(cursor, idPlace) ?? [];
    const items = await this.retries.items(set, filter, { from, limit: limit + 1 }, caller);
    return pageOf(items, limit, ({ send }) => [send]);
  }

  @Operation(RetriesView, { summary: 'How far a preview or its retries have come' })
  @Get(':token')
  async read(
    @Param('token', { schema: setToken }) set: string,
    @Caller() caller: CallerIdentity,
  ): Promise<RetriesView> {
    return this.retries.read(set, caller);
  }
}
