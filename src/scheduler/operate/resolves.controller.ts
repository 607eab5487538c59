// Resolves of many uncertain sends over HTTP: the preview, its confirmation, and the progress of both.
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../../platform/http/operation.decorator.js';
import { idPlace, pageOf, pageSchema, readCursor, type Page } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { sendFilterBody } from '../store/read/send-filter.js';
import { ResolveItem, ResolveMany, ResolvesView } from './resolve-many.js';
import { RESOLUTIONS } from './resolve-send.js';
import { confirmBody, itemsQuery, listQuery, namedSends, setToken } from './retries.controller.js';

/** The filter of GET /v1/sends, for uncertain sends. Without `sends`, all that match it. */
const previewBody = z.strictObject({
  ...sendFilterBody,
  resolution: z.enum(RESOLUTIONS),
  reason: storableText(500).min(1).optional(),
  sends: namedSends,
});
const ResolvesPage = pageSchema(ResolvesView);
const ItemPage = pageSchema(ResolveItem);

@Controller('v1/resolves')
@Roles('operator')
export class ResolvesController {
  constructor(private readonly resolves: ResolveMany) {}

  /** Changes no send. Large sets are gathered after the answer. */
  @Operation(ResolvesView, {
    summary: 'What resolving all uncertain sends of a filter would come to',
    refusals: { 404: ['NOT_FOUND'] },
  })
  @Post('preview')
  async preview(
    @Body({ schema: previewBody }) { resolution, reason, ...filter }: z.output<typeof previewBody>,
    @Caller() caller: CallerIdentity,
  ): Promise<ResolvesView> {
    const asked = {
      filter: { ...filter, states: ['uncertain' as const] },
      resolution,
      reason: reason ?? null,
    };
    return this.resolves.preview(asked, caller);
  }

  @Operation(ResolvesView, {
    summary: 'Resolves exactly the previewed set',
    refusals: { 404: ['NOT_FOUND'], 409: ['PREVIEW_EXPIRED', 'PREVIEW_NOT_READY'] },
  })
  @Post()
  @HttpCode(202)
  async confirm(
    @Body({ schema: confirmBody }) { token }: z.output<typeof confirmBody>,
    @Caller() caller: CallerIdentity,
  ): Promise<ResolvesView> {
    return this.resolves.confirm(token, caller);
  }

  @Operation(ResolvesPage, { summary: 'Previews and resolves of many, newest first' })
  @Get()
  async list(
    @Query({ schema: listQuery }) { cursor, limit, serviceId }: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<ResolvesView>> {
    const [before] = readCursor(cursor, idPlace) ?? [];
    const sets = await this.resolves.latest(serviceId, { before, limit: limit + 1 }, caller);
    return pageOf(sets, limit, (set) => [set.token]);
  }

  @Operation(ItemPage, { summary: 'Sends that wait in a set for their resolution' })
  @Get(':token/items')
  async items(
    @Param('token', { schema: setToken }) set: string,
    @Query({ schema: itemsQuery }) { cursor, limit, ...filter }: z.output<typeof itemsQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<ResolveItem>> {
    const [from] = readCursor(cursor, idPlace) ?? [];
    const items = await this.resolves.items(set, filter, { from, limit: limit + 1 }, caller);
    return pageOf(items, limit, ({ send }) => [send]);
  }

  @Operation(ResolvesView, { summary: 'How far a preview or its resolves have come' })
  @Get(':token')
  async read(
    @Param('token', { schema: setToken }) set: string,
    @Caller() caller: CallerIdentity,
  ): Promise<ResolvesView> {
    return this.resolves.read(set, caller);
  }
}
