// POST /v1/plans, the dry run, and GET /v1/plans/{hash}, its pages. A plan is shown to those who hold its service;
// nothing is scheduled here.
import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { pageOf, pageQuery, readCursor } from '../../platform/http/paging.js';
import { notFound, Problem } from '../../platform/http/problem.js';
import { CLOCK } from '../../platform/tokens.js';
import { Caller, type CallerIdentity } from '../admin/auth/caller.js';
import { Roles } from '../admin/auth/roles.js';
import { previewByHash, previewCells, type PreviewCell } from './plan-preview.store.js';
import { PreviewPlan } from './preview-plan.js';

const hashParam = z.string().regex(/^[0-9a-f]{64}$/, 'must be a planHash: 64 hex digits');
const pageOnly = z.object(pageQuery);
const cellPlace = z.tuple([z.string().regex(/^\d{1,9}$/)]);

interface RawRequest {
  /** The body's bytes, as Nest keeps them. */
  readonly rawBody?: Buffer;
}

@Controller('v1/plans')
@Roles('publisher')
export class PlansController {
  constructor(
    @Inject(PreviewPlan) private readonly plans: PreviewPlan,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The body: the data of a scheduled event, or the event. The first page of cells comes with the answer. */
  @Post()
  @HttpCode(200)
  async make(
    @Req() request: RawRequest,
    @Query({ schema: pageOnly }) query: z.output<typeof pageOnly>,
    @Caller() caller: CallerIdentity,
  ): Promise<object> {
    const answer = await this.plans.preview(request.rawBody ?? Buffer.alloc(0), caller.holds);
    if (answer.kind === 'unknown-service') throw notFound('push project');
    if (answer.kind === 'rejected') {
      throw new Problem(422, 'EVENT_REJECTED', 'this would be rejected as an event', {
        problems: answer.reasons,
      });
    }
    const { plan, cells, ...named } = answer.preview;
    const placed = cells.slice(0, query.limit + 1).map((cell, index) => ({ position: index + 1, cell }));
    return { ...named, ...plan, ...pageOf(placed, query.limit, placeOf, ({ cell }) => cell) };
  }

  @Get(':hash')
  async read(
    @Param('hash', { schema: hashParam }) hash: string,
    @Query({ schema: pageOnly }) query: z.output<typeof pageOnly>,
    @Caller() caller: CallerIdentity,
  ): Promise<object> {
    const preview = await previewByHash(this.database, hash, caller.serviceFilter, this.clock.now());
    if (preview === undefined) throw notFound('plan');
    const { serviceId, plan, expiresAt } = preview;
    const [after = '0'] = readCursor(query.cursor, cellPlace) ?? [];
    const page = { after: Number(after), limit: query.limit + 1 };
    const cells = await previewCells(this.database, { serviceId, hash }, page);
    return {
      planHash: hash,
      serviceId,
      expiresAt,
      ...plan,
      ...pageOf(cells, query.limit, placeOf, ({ cell }) => cell),
    };
  }
}

function placeOf({ position }: Pick<PreviewCell, 'position'>): readonly string[] {
  return [String(position)];
}
