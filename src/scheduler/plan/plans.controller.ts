// POST /v1/plans, the dry run, and GET /v1/plans/{hash}, its further pages. A plan is shown only to callers who hold its
// service. Schedules nothing.
import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  type RawBodyRequest,
} from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { instantText } from '../../platform/instant.js';
import { Database } from '../../platform/database/database.js';
import { budgetSpent } from '../../platform/http/lack-of-turns.js';
import { Operation } from '../../platform/http/operation.decorator.js';
import { pageQuery, pageSchema, readCursor, writeCursor, type Page } from '../../platform/http/paging.js';
import { invalidMember, notFound, Problem } from '../../platform/http/problem.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { ScheduledData, ScheduledEvent } from '../accept/parse/campaign-event.js';
import { Budgets } from '../admin/auth/budgets.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { isCancelable } from '../decide/lifecycle/campaign-state.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { campaignById, type CampaignRow } from '../store/read/campaign.store.js';
import { PlanProblemView, PlanView, PreviewedCell } from '../store/read/plan-view.js';
import { ourCampaignId } from '../store/read/our-ids.js';
import { RevisionPreview } from '../store/send/revision-preview.store.js';
import { shownMessages, ShownMessages } from '../store/read/shown-messages.js';
import { previewByHash, previewCells, type PreviewCell } from './plan-preview.store.js';
import { PreviewPlan, type PreviewAnswer } from './preview-plan.js';
import { PreviewRevision } from './revise/preview-revision.js';

const hashParam = z.string().regex(/^[0-9a-f]{64}$/, 'must be a planHash: 64 hex digits');
const pageOnly = z.object(pageQuery);
const makeQuery = z.object({
  ...pageQuery,
  lookUp: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether the push service is asked for unknown zones, for at most ten seconds'),
  campaign: ourCampaignId
    .optional()
    .describe('The campaign whose next revision it would be: the answer counts what that would do'),
});
const cellPlace = z.tuple([z.string().regex(/^\d{1,9}$/)]);

const PlanPage = z
  .object({
    planHash: z.string().describe('An event that names it runs exactly this plan, or is refused'),
    serviceId: z.string(),
    expiresAt: z.iso.datetime(),
    ...PlanView.shape,
    refusal: PlanProblemView.nullable().describe('Why the campaign cannot be planned at all'),
    ...pageSchema(PreviewedCell).shape,
  })
  .meta({ id: 'PreviewedPlan' });
const Preview = PlanPage.extend({
  ...ShownMessages.shape,
  revision: RevisionPreview.nullable().describe(
    'Only with campaign=…: what it would do as the next revision',
  ),
}).meta({ id: 'DryRun' });

@Controller('v1/plans')
@Roles('publisher')
export class PlansController {
  // oxlint-disable-next-line max-params -- one for each part that Nest hands over
  constructor(
    @Inject(PreviewPlan) private readonly plans: PreviewPlan,
    @Inject(PreviewRevision) private readonly revisions: PreviewRevision,
    private readonly database: Database,
    private readonly budgets: Budgets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The body is the data of a scheduled event, or the whole event. The answer includes the first page of cells. */
  @Operation(Preview, {
    summary: 'Plans without sending: the dry run',
    changesNothing: true,
    body: { 'application/json': ScheduledData, 'application/cloudevents+json': ScheduledEvent },
    refusals: { 404: ['NOT_FOUND'], 409: ['CAMPAIGN_CLOSED'], 413: ['TOO_LARGE'], 422: ['EVENT_REJECTED'] },
  })
  @Post()
  @HttpCode(200)
  async make(
    @Req() request: RawBodyRequest<unknown>,
    @Query({ schema: makeQuery }) query: z.output<typeof makeQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof Preview>> {
    const revised = query.campaign === undefined ? undefined : await this.#open(query.campaign, caller);
    const answer = await this.plans.preview(request.rawBody ?? Buffer.alloc(0), {
      tokenId: caller.tokenId,
      holds: caller.holds,
      lookUp: query.lookUp === 'true',
      admit: (plan) => this.budgets.takePlans(caller, [plan]),
      cells: query.limit,
    });
    if (answer.kind === 'unknown-service') throw notFound('push project');
    if (answer.kind === 'no-room') throw noRoom(answer);
    if (answer.kind === 'rejected') {
      const problems = answer.reasons;
      throw new Problem(422, 'EVENT_REJECTED', 'this would be rejected as an event', { problems });
    }
    const { plan, cells, planHash, serviceId, expiresAt, campaign } = answer;
    const revision = revised === undefined ? null : await this.#revision(revised, campaign);
    const shown = { ...plan, ...shownMessages(campaign.message, campaign), revision };
    return { planHash, serviceId, expiresAt, ...shown, ...pageOfCells(cells, plan.cells) };
  }

  /** A campaign of the caller that a revision may change. */
  async #open(id: string, caller: CallerIdentity): Promise<CampaignRow> {
    const campaign = caller.own(await campaignById(this.database, id), 'campaign');
    if (!isCancelable(campaign.state)) throw closed(campaign.state);
    return campaign;
  }

  /** A draft of data alone names no campaign, so what it names does not count. */
  async #revision(
    { id, campaignId, serviceId, state }: CampaignRow,
    draft: Campaign,
  ): Promise<RevisionPreview> {
    if (serviceId !== draft.serviceId)
      throw invalidMember('/serviceId', `the campaign is of the service ${serviceId}`);
    const preview = await this.revisions.preview(id, { ...draft, campaignId });
    if (preview === undefined) throw closed(state);
    return preview;
  }

  @Operation(PlanPage, { summary: 'Further cells of a dry run' })
  @Get(':hash')
  async read(
    @Param('hash', { schema: hashParam }) hash: string,
    @Query({ schema: pageOnly }) query: z.output<typeof pageOnly>,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof PlanPage>> {
    const preview = await previewByHash(this.database, hash, caller.serviceFilter, this.clock.now());
    if (preview === undefined) throw notFound('plan');
    const { serviceId, plan } = preview;
    const expiresAt = instantText(preview.expiresAt.getTime());
    const [after = '0'] = readCursor(query.cursor, cellPlace) ?? [];
    const page = { after: Number(after), limit: query.limit };
    const cells = await previewCells(this.database, { serviceId, hash }, page);
    return {
      planHash: hash,
      serviceId,
      expiresAt,
      ...plan,

      ...pageOfCells(cells, plan.cells),
    };
  }
}

const closed = (state: string): Problem =>
  new Problem(409, 'CAMPAIGN_CLOSED', `it is ${state} already: use another campaignId`, {
    details: { state },
  });

function noRoom({ serviceId, mostBytes, now, roomAt }: Extract<PreviewAnswer, { kind: 'no-room' }>): Problem {
  const budget = `${mostBytes / 1_000_000} MB of previews (BUDGET_PREVIEW_MB)`;
  if (roomAt === undefined)
    return new Problem(
      413,
      'TOO_LARGE',
      `the preview is larger than the whole budget of ${serviceId}, ${budget}`,
    );
  const retryAfterSeconds = Math.max(1, Math.ceil((roomAt - now) / 1_000));
  return budgetSpent(`the service ${serviceId} has its ${budget} kept, each for 24 h`, retryAfterSeconds);
}

function pageOfCells(cells: readonly PreviewCell[], of: number): Page<PreviewedCell> {
  const last = cells.at(-1)?.position ?? of;
  return {
    items: cells.map(({ cell }) => cell),
    nextCursor: last < of ? writeCursor([String(last)]) : null,
  };
}
